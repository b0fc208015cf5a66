-- The turns of a session in the order of their own times: which of them an entity is named in is
-- counted by those, in whatever order they arrived.
CREATE INDEX turns_in_time ON turns (session, at, seq);
-- The edge from a version to the one that stands is one row that moves with it (M4): rows of versions that stood before go.
DELETE FROM edges WHERE type = 'ACTIVE_OF' AND deleted_at IS NOT NULL;
UPDATE OR REPLACE edges SET id = 'edge_active_of_' || (SELECT n.id FROM nodes n WHERE n.num = edges.src)
  WHERE type = 'ACTIVE_OF';
