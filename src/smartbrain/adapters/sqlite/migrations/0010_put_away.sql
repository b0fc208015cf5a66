-- What was put away for its age, newest first: a later turn may still end it or take it up again (C4).
CREATE INDEX memories_put_away ON memories (type, num)
  WHERE status = 'archived' AND deleted_at IS NULL;
