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
