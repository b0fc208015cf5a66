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
