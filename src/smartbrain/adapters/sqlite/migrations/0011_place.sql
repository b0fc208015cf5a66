-- Where a memory was said and by whom, beside what is ranked by it: neither ever changes, and to look
-- it up for each of a hundred candidates took half of the time that a recall reads for (R6).
ALTER TABLE memories ADD COLUMN session INTEGER REFERENCES sessions (num);
ALTER TABLE memories ADD COLUMN seq INTEGER; -- of its turn
ALTER TABLE memories ADD COLUMN speaker TEXT; -- of its message: a name, or else a role
UPDATE memories SET
  (session, seq) = (SELECT session, seq FROM turns WHERE id = source_turn_id),
  speaker = (SELECT coalesce(name, role) FROM messages WHERE id = source_message_id);
-- What was told around a turn.
CREATE INDEX episodes_by_place ON memories (session, seq) WHERE type = 'episodes';
