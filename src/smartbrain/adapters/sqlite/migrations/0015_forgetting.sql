-- What was forgotten: requests with their receipts, what closed claims leave, and the key of both.

-- `words` and `undo` are empty once it is erased; until then it can be taken back.
CREATE TABLE forgettings (
  num     INTEGER PRIMARY KEY AUTOINCREMENT,
  id      TEXT    NOT NULL UNIQUE,
  state   TEXT    NOT NULL CHECK (state IN ('hidden', 'erasing', 'erased',
            'taken_back')),
  due_at  INTEGER NOT NULL,
  words   TEXT    NOT NULL,
  paths   TEXT    NOT NULL, -- files whose content goes
  undo    BLOB,
  receipt TEXT    NOT NULL
) STRICT;

CREATE INDEX forgettings_due ON forgettings (due_at) WHERE state IN ('hidden', 'erasing');

-- `grp` and `value` are keyed hashes: no word of what was claimed stays.
CREATE TABLE closed_claims (
  claim        TEXT    NOT NULL PRIMARY KEY,
  forgetting   TEXT    NOT NULL,
  grp          TEXT    NOT NULL,
  value        TEXT    NOT NULL,
  type         TEXT    NOT NULL,
  attribute    TEXT    NOT NULL,
  said_at      INTEGER NOT NULL,
  place        INTEGER NOT NULL,
  forgotten_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX closed_claims_by_group ON closed_claims (grp);

-- One row: what receipts are signed with and hashes are keyed by.
CREATE TABLE forgetting_key (
  id  INTEGER PRIMARY KEY CHECK (id = 1),
  key BLOB    NOT NULL
) STRICT;

-- What was told of an attribute is looked up by questions that ask for it.
CREATE INDEX claims_by_attribute ON claims (attribute, said_at)
  WHERE attribute <> 'other' AND status IN ('counted', 'candidate');
