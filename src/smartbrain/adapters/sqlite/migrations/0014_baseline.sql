-- The whole schema at version 14, the first that is read. Later versions are files of their own.

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
  owner        TEXT    NOT NULL DEFAULT 'main', -- the agent that ran it (W6)
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

-- Memories with all their versions, the edges between nodes, and what was rejected.

CREATE TABLE memories (
  num                 INTEGER PRIMARY KEY REFERENCES nodes (num),
  type                TEXT    NOT NULL,
  key                 TEXT    NOT NULL,
  version             INTEGER NOT NULL CHECK (version >= 1),
  status              TEXT    NOT NULL CHECK (status IN ('candidate', 'active', 'superseded',
                        'retracted', 'disputed', 'deprecated', 'archived', 'expired')),
  title               TEXT    NOT NULL,
  text                TEXT    NOT NULL,
  value               TEXT    NOT NULL,
  confidence          REAL    NOT NULL CHECK (confidence BETWEEN 0 AND 1),
  valid_since         INTEGER,
  valid_until         INTEGER,
  source_turn_id      TEXT    REFERENCES turns (id),
  source_message_id   TEXT    REFERENCES messages (id),
  source_operation_id TEXT    REFERENCES operations (id),
  said_at             INTEGER NOT NULL,
  utc_offset          INTEGER NOT NULL,
  evidence_refs       TEXT    NOT NULL,
  raw_refs            TEXT    NOT NULL,
  keywords            TEXT    NOT NULL,
  entities            TEXT    NOT NULL,
  tags                TEXT    NOT NULL,
  valence             REAL    NOT NULL,
  arousal             REAL    NOT NULL,
  importance          REAL    NOT NULL,
  frequency           INTEGER NOT NULL,
  last_access         INTEGER,
  pii                 INTEGER NOT NULL CHECK (pii IN (0, 1)),
  scope               TEXT    NOT NULL CHECK (scope IN ('private', 'team', 'public')),
  creator             TEXT    NOT NULL,
  creator_version     INTEGER NOT NULL,
  layer               TEXT    NOT NULL CHECK (layer IN ('short', 'mid', 'long')),
  compression         TEXT    NOT NULL CHECK (compression IN ('raw', 'phase', 'milestone', 'theme')),
  created_at          INTEGER NOT NULL,
  updated_at          INTEGER NOT NULL,
  deleted_at          INTEGER,
  session             INTEGER REFERENCES sessions (num), -- where it was said, which never changes
  seq                 INTEGER, -- of its turn
  speaker             TEXT,    -- of its message: a name, or else a role
  UNIQUE (type, key, version),
  CHECK ((source_turn_id IS NULL) <> (source_operation_id IS NULL))
) STRICT;
-- At most one active version of a key, held by the database itself.
CREATE UNIQUE INDEX memories_one_active ON memories (type, key) WHERE status = 'active';
CREATE INDEX memories_by_key ON memories (key);
CREATE INDEX memories_by_source ON memories (source_turn_id);

-- Search texts made of memories; they can be made again.
CREATE TABLE chunks (
  memory  INTEGER NOT NULL REFERENCES memories (num),
  ordinal INTEGER NOT NULL,
  id      TEXT    NOT NULL UNIQUE,
  text    TEXT    NOT NULL,
  PRIMARY KEY (memory, ordinal)
) STRICT, WITHOUT ROWID;

CREATE TABLE edges (
  num             INTEGER PRIMARY KEY AUTOINCREMENT,
  id              TEXT    NOT NULL UNIQUE,
  src             INTEGER NOT NULL REFERENCES nodes (num),
  dst             INTEGER NOT NULL REFERENCES nodes (num),
  type            TEXT    NOT NULL,
  weight          REAL    NOT NULL,
  confidence      REAL    NOT NULL CHECK (confidence BETWEEN 0 AND 1),
  since           INTEGER,
  until           INTEGER,
  creator         TEXT    NOT NULL,
  creator_version INTEGER NOT NULL,
  tier            TEXT    NOT NULL CHECK (tier IN ('hot', 'cold')),
  attrs           TEXT    NOT NULL,
  created_at      INTEGER NOT NULL,
  updated_at      INTEGER NOT NULL,
  deleted_at      INTEGER
) STRICT;
CREATE INDEX edges_out ON edges (src, type);
CREATE INDEX edges_in ON edges (dst, type);

-- What was rejected or forgotten, by fingerprint only.
CREATE TABLE tombstones (
  kind        TEXT    NOT NULL,
  fingerprint TEXT    NOT NULL,
  subject_id  TEXT    NOT NULL,
  reason      TEXT    NOT NULL,
  created_at  INTEGER NOT NULL,
  PRIMARY KEY (kind, fingerprint)
) STRICT, WITHOUT ROWID;

-- Working state, queued work, the audit trail and the traces of composed contexts.

-- A pin, a plan item, a note, a run's goal…: `owner` is tenant, session:<id> or run:<id>.
CREATE TABLE working_state (
  num        INTEGER PRIMARY KEY AUTOINCREMENT,
  owner      TEXT    NOT NULL,
  kind       TEXT    NOT NULL,
  id         TEXT    NOT NULL,
  body       TEXT    NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  expires_at INTEGER,
  UNIQUE (owner, kind, id)
) STRICT;

CREATE TABLE jobs (
  num         INTEGER PRIMARY KEY AUTOINCREMENT,
  id          TEXT    NOT NULL UNIQUE,
  kind        TEXT    NOT NULL,
  payload     TEXT    NOT NULL,
  state       TEXT    NOT NULL CHECK (state IN ('queued', 'leased', 'done', 'failed')),
  attempts    INTEGER NOT NULL CHECK (attempts >= 0),
  run_after   INTEGER,
  lease_owner TEXT,
  lease_until INTEGER,
  result      TEXT,
  created_at  INTEGER NOT NULL,
  updated_at  INTEGER NOT NULL
) STRICT;
CREATE INDEX jobs_waiting ON jobs (kind, num) WHERE state IN ('queued', 'leased');

CREATE TABLE audit (
  num          INTEGER PRIMARY KEY AUTOINCREMENT,
  at           INTEGER NOT NULL,
  actor        TEXT    NOT NULL,
  action       TEXT    NOT NULL,
  subject_kind TEXT    NOT NULL,
  subject_id   TEXT    NOT NULL,
  before       TEXT,
  after        TEXT,
  reason       TEXT    NOT NULL
) STRICT;
CREATE INDEX audit_by_subject ON audit (subject_id);

CREATE TABLE traces (
  context_id TEXT    NOT NULL PRIMARY KEY,
  session_id TEXT    NOT NULL,
  created_at INTEGER NOT NULL,
  body       TEXT    NOT NULL
) STRICT;
CREATE INDEX traces_by_time ON traces (created_at);

-- What embedders made of memories' texts: the vectors are truth, the indexes over them are views.

CREATE TABLE embeddings (
  num        INTEGER PRIMARY KEY AUTOINCREMENT,
  name       TEXT    NOT NULL,
  model      TEXT    NOT NULL,
  dimensions INTEGER NOT NULL CHECK (dimensions > 0),
  created_at INTEGER NOT NULL,
  UNIQUE (name, model, dimensions)
) STRICT;

CREATE TABLE vectors (
  node      INTEGER NOT NULL REFERENCES memories (num),
  embedding INTEGER NOT NULL REFERENCES embeddings (num),
  vector    BLOB    NOT NULL, -- single precision, little endian
  UNIQUE (embedding, node)
) STRICT;
CREATE INDEX vectors_by_node ON vectors (node);

-- What commits decided, and quick ways to what a new turn is held against.

-- Why a commit wrote what it wrote, one row a commit: a step of a turn, or an operation.
CREATE TABLE explanations (
  num        INTEGER PRIMARY KEY AUTOINCREMENT,
  source_id  TEXT    NOT NULL, -- the turn or the operation
  body       TEXT    NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX explanations_by_source ON explanations (source_id);

-- The newest memories of a type that stand.
CREATE INDEX memories_standing ON memories (type, num) WHERE status IN ('active', 'candidate');

-- Statements that tell the same kind of event, newest last.
CREATE INDEX statements_by_predicate ON memories (value ->> '$.predicate.normalized', num)
  WHERE type = 'statements';

-- What each commit added to its turn, in the order of the commits: enough to run them again.
CREATE TABLE steps (
  num        INTEGER PRIMARY KEY AUTOINCREMENT,
  turn       INTEGER NOT NULL REFERENCES turns (num),
  stage      TEXT    NOT NULL CHECK (stage IN ('commit', 'record', 'remember')),
  operation  INTEGER NOT NULL, -- the last operation before it, 0 for none
  rules_hash TEXT    NOT NULL,
  context_id TEXT,
  parts      TEXT    NOT NULL, -- how many messages, refs and proposals, and which tool calls
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX steps_by_turn ON steps (turn);

-- Turns of earlier versions are taken as committed whole.
INSERT INTO steps (turn, stage, operation, rules_hash, context_id, parts, created_at)
SELECT t.num, 'commit',
  (SELECT coalesce(max(o.num), 0) FROM operations o WHERE o.created_at < t.created_at),
  t.rules_hash, t.context_id,
  json_object(
    'messages', (SELECT count(*) FROM messages WHERE turn = t.num),
    'open_calls', json_array(),
    'proposals', (SELECT json_group_object(key, json_array_length(value))
      FROM json_each(t.proposals)),
    'refs', (SELECT count(*) FROM refs WHERE turn = t.num),
    'tool_calls', (SELECT json_group_array(id ORDER BY ordinal)
      FROM tool_calls WHERE turn = t.num)),
  t.created_at
FROM turns t ORDER BY t.num;

-- Recall by time: the turns of a stretch of time, without reading the others.
CREATE INDEX turns_by_time ON turns (at);

-- What a tenant holds, counted in no time: the originals in files, and memories that are deleted (S7).
CREATE INDEX raw_chunks_in_files ON raw_chunks (length) WHERE path IS NOT NULL;

CREATE INDEX memories_deleted ON memories (num) WHERE deleted_at IS NOT NULL;

-- What was masked in the messages, tool calls and refs of an encrypted tenant (C10); no view reads it.
CREATE TABLE withheld (
  turn INTEGER NOT NULL REFERENCES turns (num),
  part TEXT    NOT NULL, -- the id of the message, tool call or ref
  was  TEXT    NOT NULL, -- the difference to what was said
  PRIMARY KEY (turn, part)
) STRICT, WITHOUT ROWID;

-- What was put away for its age, newest first: a later turn may still end it or take it up again (C4).
CREATE INDEX memories_put_away ON memories (type, num)
  WHERE status = 'archived' AND deleted_at IS NULL;

-- What was told around a turn.
CREATE INDEX episodes_by_place ON memories (session, seq) WHERE type = 'episodes';

-- The turns of a session in the order of their own times: which of them an entity is named in is
-- counted by those, in whatever order they arrived.
CREATE INDEX turns_in_time ON turns (session, at, seq);

-- Keys of facts whatever the case of their letters: "the API" and "the api" are one subject (M2).
CREATE INDEX facts_by_folded_key ON memories (lower(key)) WHERE type = 'facts';

-- What was stated, one row a statement; memories are folded from it.
CREATE TABLE claims (
  num          INTEGER PRIMARY KEY AUTOINCREMENT,
  id           TEXT    NOT NULL UNIQUE,
  grp          TEXT    NOT NULL, -- what it is folded with
  type         TEXT    NOT NULL,
  subject      TEXT    NOT NULL,
  relation     TEXT    NOT NULL,
  attribute    TEXT    NOT NULL,
  value        TEXT    NOT NULL,
  say          TEXT    NOT NULL CHECK (say IN ('assert', 'end', 'wrong', 'doing', 'blocked', 'done')),
  due          TEXT    NOT NULL, -- the deadline of a task, the day of an event
  until        INTEGER,
  scope        TEXT    NOT NULL,
  topic        TEXT    NOT NULL,
  because      TEXT    NOT NULL,
  fields       TEXT    NOT NULL,
  detail       TEXT    NOT NULL,
  text         TEXT    NOT NULL,
  turn_id      TEXT    REFERENCES turns (id),
  operation_id TEXT    REFERENCES operations (id),
  session_id   TEXT    NOT NULL,
  place        INTEGER NOT NULL, -- of the turn in its session
  message      INTEGER NOT NULL, -- of the turn, -1 for none
  message_id   TEXT,
  start        INTEGER NOT NULL,
  length       INTEGER NOT NULL,
  spans        TEXT    NOT NULL,
  said_at      INTEGER NOT NULL,
  utc_offset   INTEGER NOT NULL,
  speaker      TEXT    NOT NULL,
  source       TEXT    NOT NULL,
  reader       TEXT    NOT NULL,
  rule         TEXT    NOT NULL,
  confidence   REAL    NOT NULL CHECK (confidence BETWEEN 0 AND 1),
  certainty    REAL    NOT NULL CHECK (certainty BETWEEN 0 AND 1),
  pii          INTEGER NOT NULL CHECK (pii IN (0, 1)),
  status       TEXT    NOT NULL CHECK (status IN ('counted', 'candidate', 'refused', 'replaced')),
  memory       TEXT, -- the id of the version that it is part of
  CHECK ((turn_id IS NULL) <> (operation_id IS NULL))
) STRICT;

CREATE INDEX claims_by_group ON claims (grp, said_at);

CREATE INDEX claims_by_turn ON claims (turn_id) WHERE turn_id IS NOT NULL;

CREATE INDEX claims_of_people ON claims (relation, subject) WHERE relation NOT IN ('self', 'thing');
