-- What was masked in the messages, tool calls and refs of an encrypted tenant (C10); no view reads it.
CREATE TABLE withheld (
  turn INTEGER NOT NULL REFERENCES turns (num),
  part TEXT    NOT NULL, -- the id of the message, tool call or ref
  was  TEXT    NOT NULL, -- the difference to what was said
  PRIMARY KEY (turn, part)
) STRICT, WITHOUT ROWID;
