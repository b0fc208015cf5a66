-- What happened to memory, numbered in the order of commits. Triggers write it, so that nobody can
-- change a row and say nothing. A row has ids, kinds and codes, and no word that anybody said.

CREATE TABLE memory_events (
  num     INTEGER PRIMARY KEY AUTOINCREMENT,
  kind    TEXT    NOT NULL,
  subject TEXT    NOT NULL, -- the id of a memory, edge, turn, run of a tool or forgetting
  type    TEXT    NOT NULL,
  code    TEXT    NOT NULL,
  at      INTEGER NOT NULL DEFAULT 0 -- written when the transaction commits
) STRICT;

-- How far those have come whom events are delivered to, and when they are served again.
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
