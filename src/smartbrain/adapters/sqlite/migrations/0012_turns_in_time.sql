-- The turns of a session in the order of their own times: which of them an entity is named in is
-- counted by those, in whatever order they arrived.
CREATE INDEX turns_in_time ON turns (session, at, seq);
