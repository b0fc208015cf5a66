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
