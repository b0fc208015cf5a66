-- What embedders made of memories' texts: the vectors are truth, the indexes over them are views.

CREATE TABLE embeddings (
  num        INTEGER PRIMARY KEY AUTOINCREMENT,
  name       TEXT    NOT NULL,
  model      TEXT    NOT NULL,
  dimensions INTEGER NOT NULL CHECK (dimensions > 0),
  created_at INTEGER NOT NULL,
  UNIQUE (name, model, dimensions)
) STRICT;

CREATE TABLE vectors (
  node      INTEGER NOT NULL REFERENCES memories (num),
  embedding INTEGER NOT NULL REFERENCES embeddings (num),
  vector    BLOB    NOT NULL, -- single precision, little endian
  UNIQUE (embedding, node)
) STRICT;
CREATE INDEX vectors_by_node ON vectors (node);
