-- The schema at version 18: the sum of migrations/. Written by `make docs`.

CREATE TABLE tenant (
  id            INTEGER PRIMARY KEY CHECK (id = 1),
  name          TEXT    NOT NULL,
  seq           INTEGER NOT NULL DEFAULT 0,
  changes_floor INTEGER NOT NULL DEFAULT 0,
  created_at    INTEGER NOT NULL
) STRICT;

CREATE TABLE changes (
  seq  INTEGER NOT NULL,
  kind TEXT    NOT NULL,
  num  INTEGER NOT NULL,
  op   TEXT    NOT NULL CHECK (op IN ('upsert', 'delete')),
  PRIMARY KEY (seq, kind, num)
) STRICT, WITHOUT ROWID;

CREATE TABLE nodes (
  num  INTEGER PRIMARY KEY AUTOINCREMENT,
  id   TEXT    NOT NULL UNIQUE,
  kind TEXT    NOT NULL
) STRICT;

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

CREATE UNIQUE INDEX memories_one_active ON memories (type, key) WHERE status = 'active';

CREATE INDEX memories_by_key ON memories (key);

CREATE INDEX memories_by_source ON memories (source_turn_id);

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

CREATE TABLE tombstones (
  kind        TEXT    NOT NULL,
  fingerprint TEXT    NOT NULL,
  subject_id  TEXT    NOT NULL,
  reason      TEXT    NOT NULL,
  created_at  INTEGER NOT NULL,
  PRIMARY KEY (kind, fingerprint)
) STRICT, WITHOUT ROWID;

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

CREATE TABLE explanations (
  num        INTEGER PRIMARY KEY AUTOINCREMENT,
  source_id  TEXT    NOT NULL, -- the turn or the operation
  body       TEXT    NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

CREATE INDEX explanations_by_source ON explanations (source_id);

CREATE INDEX memories_standing ON memories (type, num) WHERE status IN ('active', 'candidate');

CREATE INDEX statements_by_predicate ON memories (value ->> '$.predicate.normalized', num)
  WHERE type = 'statements';

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

CREATE INDEX turns_by_time ON turns (at);

CREATE INDEX raw_chunks_in_files ON raw_chunks (length) WHERE path IS NOT NULL;

CREATE INDEX memories_deleted ON memories (num) WHERE deleted_at IS NOT NULL;

CREATE INDEX memories_put_away ON memories (type, num)
  WHERE status = 'archived' AND deleted_at IS NULL;

CREATE INDEX episodes_by_place ON memories (session, seq) WHERE type = 'episodes';

CREATE INDEX turns_in_time ON turns (session, at, seq);

CREATE INDEX facts_by_folded_key ON memories (lower(key)) WHERE type = 'facts';

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

CREATE TABLE forgettings (
  num     INTEGER PRIMARY KEY AUTOINCREMENT,
  id      TEXT    NOT NULL UNIQUE,
  state   TEXT    NOT NULL CHECK (state IN ('hidden', 'erasing', 'erased',
            'taken_back')),
  due_at  INTEGER NOT NULL,
  words   TEXT    NOT NULL,
  paths   TEXT    NOT NULL, -- files whose content goes
  undo    BLOB,
  receipt TEXT    NOT NULL
) STRICT;

CREATE INDEX forgettings_due ON forgettings (due_at) WHERE state IN ('hidden', 'erasing');

CREATE TABLE closed_claims (
  claim        TEXT    NOT NULL PRIMARY KEY,
  forgetting   TEXT    NOT NULL,
  grp          TEXT    NOT NULL,
  value        TEXT    NOT NULL,
  type         TEXT    NOT NULL,
  attribute    TEXT    NOT NULL,
  said_at      INTEGER NOT NULL,
  place        INTEGER NOT NULL,
  forgotten_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX closed_claims_by_group ON closed_claims (grp);

CREATE TABLE forgetting_key (
  id  INTEGER PRIMARY KEY CHECK (id = 1),
  key BLOB    NOT NULL
) STRICT;

CREATE INDEX claims_by_attribute ON claims (attribute, said_at)
  WHERE attribute <> 'other' AND status IN ('counted', 'candidate');

CREATE TABLE memory_events (
  num     INTEGER PRIMARY KEY AUTOINCREMENT,
  kind    TEXT    NOT NULL,
  subject TEXT    NOT NULL, -- the id of a memory, edge, turn, run of a tool or forgetting
  type    TEXT    NOT NULL,
  code    TEXT    NOT NULL,
  at      INTEGER NOT NULL DEFAULT 0 -- written when the transaction commits
) STRICT;

CREATE TABLE event_readers (
  reader   TEXT    NOT NULL PRIMARY KEY,
  num      INTEGER NOT NULL,
  failures INTEGER NOT NULL,
  due_at   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TRIGGER memory_created AFTER INSERT ON memories BEGIN
  INSERT INTO memory_events (kind, subject, type, code)
    SELECT 'NodeCreated', id, NEW.type, NEW.status FROM nodes WHERE num = NEW.num;
END;

CREATE TRIGGER memory_disputed AFTER INSERT ON memories WHEN NEW.status = 'disputed' BEGIN
  INSERT INTO memory_events (kind, subject, type, code)
    SELECT 'ConflictDetected', id, NEW.type, NEW.status FROM nodes WHERE num = NEW.num;
END;

CREATE TRIGGER memory_changed AFTER UPDATE OF status, deleted_at ON memories
WHEN OLD.status <> NEW.status OR (OLD.deleted_at IS NULL) <> (NEW.deleted_at IS NULL) BEGIN
  INSERT INTO memory_events (kind, subject, type, code)
    SELECT CASE
        WHEN NEW.deleted_at IS NOT NULL THEN 'NodeRemoved'
        WHEN NEW.status = 'active' AND OLD.status = 'candidate' THEN 'FactPromoted'
        WHEN NEW.status = 'active' THEN 'NodeRestored'
        WHEN NEW.status = 'disputed' THEN 'ConflictDetected'
        WHEN NEW.status = 'superseded' THEN 'Superseded'
        WHEN NEW.status = 'retracted' THEN 'Retracted'
        WHEN NEW.status = 'archived' THEN 'Archived'
        WHEN NEW.status = 'expired' THEN 'Expired'
        ELSE 'FactDemoted'
      END, id, NEW.type, OLD.status || '>' || NEW.status FROM nodes WHERE num = NEW.num;
END;

CREATE TRIGGER memory_consolidated AFTER UPDATE OF layer, compression ON memories
WHEN OLD.layer <> NEW.layer OR OLD.compression <> NEW.compression BEGIN
  INSERT INTO memory_events (kind, subject, type, code)
    SELECT 'Consolidated', id, NEW.type, NEW.layer || '/' || NEW.compression
    FROM nodes WHERE num = NEW.num;
END;

CREATE TRIGGER node_forgotten AFTER DELETE ON nodes WHEN OLD.kind <> 'Raw' BEGIN
  INSERT INTO memory_events (kind, subject, type, code)
    VALUES ('NodeForgotten', OLD.id, '', '');
END;

CREATE TRIGGER edge_created AFTER INSERT ON edges BEGIN
  INSERT INTO memory_events (kind, subject, type, code)
    VALUES ('EdgeCreated', NEW.id, NEW.type, NEW.tier);
END;

CREATE TRIGGER edge_weighed AFTER UPDATE OF weight ON edges WHEN OLD.weight <> NEW.weight BEGIN
  INSERT INTO memory_events (kind, subject, type, code)
    VALUES ('WeightUpdated', NEW.id, NEW.type, '');
END;

CREATE TRIGGER edge_removed AFTER UPDATE OF deleted_at ON edges
WHEN OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL BEGIN
  INSERT INTO memory_events (kind, subject, type, code)
    VALUES ('EdgeRemoved', NEW.id, NEW.type, '');
END;

CREATE TRIGGER edge_forgotten AFTER DELETE ON edges WHEN OLD.deleted_at IS NULL BEGIN
  INSERT INTO memory_events (kind, subject, type, code)
    VALUES ('EdgeRemoved', OLD.id, OLD.type, '');
END;

CREATE TRIGGER turn_stored AFTER INSERT ON turns BEGIN
  INSERT INTO memory_events (kind, subject, type, code)
    VALUES ('TurnStored', NEW.id, '', '');
END;

CREATE TRIGGER artifact_stored AFTER INSERT ON tool_calls BEGIN
  INSERT INTO memory_events (kind, subject, type, code)
    VALUES ('ArtifactStored', NEW.id, '', NEW.status);
END;

CREATE TRIGGER artifact_completed AFTER UPDATE OF status ON tool_calls
WHEN OLD.status <> NEW.status BEGIN
  INSERT INTO memory_events (kind, subject, type, code)
    VALUES ('ArtifactStored', NEW.id, '', NEW.status);
END;

CREATE TRIGGER state_changed AFTER INSERT ON audit BEGIN
  INSERT INTO memory_events (kind, subject, type, code)
    VALUES ('StateChanged', '', NEW.subject_kind, NEW.action);
END;

CREATE TRIGGER forgetting_asked AFTER INSERT ON forgettings BEGIN
  INSERT INTO memory_events (kind, subject, type, code)
    VALUES ('Forgetting', NEW.id, '', NEW.state);
END;

CREATE TRIGGER forgetting_moved AFTER UPDATE OF state ON forgettings
WHEN OLD.state <> NEW.state BEGIN
  INSERT INTO memory_events (kind, subject, type, code)
    VALUES ('Forgetting', NEW.id, '', NEW.state);
END;

CREATE TABLE traces (
  context_id TEXT    NOT NULL PRIMARY KEY,
  session_id TEXT    NOT NULL,
  created_at INTEGER NOT NULL,
  body       BLOB    NOT NULL
) STRICT;

CREATE INDEX traces_by_time ON traces (created_at);
