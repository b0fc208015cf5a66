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
