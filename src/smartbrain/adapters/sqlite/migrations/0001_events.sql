-- Events: what was said and done, and the log of changes that views follow.

-- One row: who this database belongs to, the last transaction's number, the oldest kept change.
CREATE TABLE tenant (
  id            INTEGER PRIMARY KEY CHECK (id = 1),
  name          TEXT    NOT NULL,
  seq           INTEGER NOT NULL DEFAULT 0,
  changes_floor INTEGER NOT NULL DEFAULT 0,
  created_at    INTEGER NOT NULL
) STRICT;

-- What each transaction touched, without content; the last change of a row in a transaction wins.
CREATE TABLE changes (
  seq  INTEGER NOT NULL,
  kind TEXT    NOT NULL,
  num  INTEGER NOT NULL,
  op   TEXT    NOT NULL CHECK (op IN ('upsert', 'delete')),
  PRIMARY KEY (seq, kind, num)
) STRICT, WITHOUT ROWID;

-- Every node of the graph: a memory version or a raw chunk. A number is never used twice.
CREATE TABLE nodes (
  num  INTEGER PRIMARY KEY AUTOINCREMENT,
  id   TEXT    NOT NULL UNIQUE,
  kind TEXT    NOT NULL
) STRICT;

-- Original content: small in `body`, larger in the file at `path`; `held` counts who needs it.
CREATE TABLE raw_chunks (
  num       INTEGER PRIMARY KEY REFERENCES nodes (num),
  address   TEXT    NOT NULL UNIQUE,
  length    INTEGER NOT NULL CHECK (length >= 0),
  mime      TEXT    NOT NULL,
  body      BLOB,
  path      TEXT,
  tier      TEXT    NOT NULL CHECK (tier IN ('hot', 'cold', 'archived')),
  held      INTEGER NOT NULL CHECK (held >= 0),
  stored_at INTEGER NOT NULL,
  CHECK ((body IS NULL) <> (path IS NULL))
) STRICT;
CREATE INDEX raw_chunks_unheld ON raw_chunks (num) WHERE held = 0;

CREATE TABLE sessions (
  num        INTEGER PRIMARY KEY AUTOINCREMENT,
  id         TEXT    NOT NULL UNIQUE,
  started_at INTEGER NOT NULL,
  last_at    INTEGER NOT NULL,
  ended_at   INTEGER,
  turns      INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX sessions_by_time ON sessions (last_at);

-- `at` is the turn's own time, `created_at` the time it was committed.
CREATE TABLE turns (
  num        INTEGER PRIMARY KEY AUTOINCREMENT,
  id         TEXT    NOT NULL UNIQUE,
  session    INTEGER NOT NULL REFERENCES sessions (num),
  seq        INTEGER NOT NULL,
  at         INTEGER NOT NULL,
  utc_offset INTEGER NOT NULL,
  run_id     TEXT,
  context_id TEXT,
  rules_hash TEXT    NOT NULL,
  proposals  TEXT    NOT NULL,
  created_at INTEGER NOT NULL,
  UNIQUE (session, seq)
) STRICT;

-- `spans` is a JSON list of [raw chunk number, offset, length] in bytes.
CREATE TABLE messages (
  turn        INTEGER NOT NULL REFERENCES turns (num),
  ordinal     INTEGER NOT NULL,
  id          TEXT    NOT NULL UNIQUE,
  role        TEXT    NOT NULL,
  name        TEXT,
  external_id TEXT,
  model       TEXT,
  meta        TEXT    NOT NULL,
  spans       TEXT    NOT NULL,
  PRIMARY KEY (turn, ordinal)
) STRICT, WITHOUT ROWID;

CREATE TABLE tool_calls (
  turn         INTEGER NOT NULL REFERENCES turns (num),
  ordinal      INTEGER NOT NULL,
  id           TEXT    NOT NULL UNIQUE,
  call_id      TEXT,
  name         TEXT    NOT NULL,
  args         TEXT    NOT NULL,
  status       TEXT    NOT NULL,
  exit_code    INTEGER,
  result_json  INTEGER NOT NULL CHECK (result_json IN (0, 1)), -- 1: the result's text is JSON
  result_spans TEXT    NOT NULL,
  stdout_spans TEXT    NOT NULL,
  stderr_spans TEXT    NOT NULL,
  PRIMARY KEY (turn, ordinal)
) STRICT, WITHOUT ROWID;

CREATE TABLE refs (
  turn     INTEGER NOT NULL REFERENCES turns (num),
  ordinal  INTEGER NOT NULL,
  id       TEXT    NOT NULL UNIQUE,
  ref_type TEXT    NOT NULL CHECK (ref_type IN ('file', 'url', 'artifact')),
  ref_uri  TEXT    NOT NULL,
  ref_meta TEXT    NOT NULL,
  PRIMARY KEY (turn, ordinal)
) STRICT, WITHOUT ROWID;

-- Writes that are not turns, with their input, so that they can be replayed.
CREATE TABLE operations (
  num        INTEGER PRIMARY KEY AUTOINCREMENT,
  id         TEXT    NOT NULL UNIQUE,
  kind       TEXT    NOT NULL,
  input      TEXT    NOT NULL,
  at         INTEGER NOT NULL,
  utc_offset INTEGER NOT NULL,
  actor      TEXT    NOT NULL,
  rules_hash TEXT    NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE idempotency_keys (
  key        TEXT    NOT NULL PRIMARY KEY,
  body_hash  TEXT    NOT NULL,
  result     TEXT    NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
