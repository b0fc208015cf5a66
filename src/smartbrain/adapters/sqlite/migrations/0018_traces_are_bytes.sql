-- Traces are compressed: as bytes they take three quarters of what they took as text. They are kept
-- for some days only, and those of an older form cannot be read any more.

DROP TABLE traces;

CREATE TABLE traces (
  context_id TEXT    NOT NULL PRIMARY KEY,
  session_id TEXT    NOT NULL,
  created_at INTEGER NOT NULL,
  body       BLOB    NOT NULL
) STRICT;
CREATE INDEX traces_by_time ON traces (created_at);
