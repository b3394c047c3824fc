CREATE TABLE IF NOT EXISTS meta(key TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;

-- A file as it was when it was last added whole.
CREATE TABLE IF NOT EXISTS source(
  path TEXT PRIMARY KEY, hash TEXT NOT NULL, size INTEGER NOT NULL, modified INTEGER NOT NULL
) STRICT;

CREATE TABLE IF NOT EXISTS document(
  key INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  source TEXT NOT NULL, source_id TEXT NOT NULL, name TEXT NOT NULL, title TEXT NOT NULL,
  hash TEXT NOT NULL, fields TEXT NOT NULL, report TEXT NOT NULL, outline TEXT NOT NULL,
  tables INTEGER NOT NULL, generation INTEGER NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS document_source ON document(source);
CREATE INDEX IF NOT EXISTS document_name ON document(name);
CREATE INDEX IF NOT EXISTS document_source_id ON document(source_id);
CREATE INDEX IF NOT EXISTS document_generation ON document(generation);

-- Rows are in `data` (small tables) or in the Parquet file `file` (large ones).
CREATE TABLE IF NOT EXISTS "table"(
  key INTEGER PRIMARY KEY AUTOINCREMENT,
  document INTEGER NOT NULL REFERENCES document(key) ON DELETE CASCADE,
  number INTEGER NOT NULL, name TEXT NOT NULL UNIQUE, meta TEXT NOT NULL,
  rows INTEGER NOT NULL, columns INTEGER NOT NULL, data BLOB, file TEXT,
  UNIQUE(document, number)
) STRICT;

-- Nodes of groups that are kept; schema, cell, row and column nodes are made from their table when asked for.
CREATE TABLE IF NOT EXISTS node(
  key INTEGER PRIMARY KEY AUTOINCREMENT,
  document INTEGER NOT NULL REFERENCES document(key) ON DELETE CASCADE,
  id TEXT NOT NULL UNIQUE, grp TEXT NOT NULL, parent TEXT NOT NULL,
  place TEXT NOT NULL, text TEXT NOT NULL, fields TEXT NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS node_document ON node(document, grp);
CREATE INDEX IF NOT EXISTS node_group ON node(grp);

CREATE TABLE IF NOT EXISTS grp(name TEXT PRIMARY KEY, definition TEXT NOT NULL) STRICT;

-- Documents that went, so that an index that is behind can forget them too.
CREATE TABLE IF NOT EXISTS gone(document INTEGER NOT NULL, generation INTEGER NOT NULL) STRICT;

-- The vector of a text under a model, kept by content: a text that comes again is not embedded again.
CREATE TABLE IF NOT EXISTS embedding(
  model TEXT NOT NULL, hash BLOB NOT NULL, data BLOB NOT NULL, PRIMARY KEY(model, hash)
) STRICT, WITHOUT ROWID;

-- A piece of a node that has a vector. `owner` and `part` say which node: as in the keyword index.
CREATE TABLE IF NOT EXISTS vector(
  key INTEGER PRIMARY KEY AUTOINCREMENT,
  document INTEGER NOT NULL REFERENCES document(key) ON DELETE CASCADE,
  embed TEXT NOT NULL, grp TEXT NOT NULL, owner INTEGER NOT NULL, part INTEGER NOT NULL,
  model TEXT NOT NULL, hash BLOB NOT NULL, cell TEXT
) STRICT;
CREATE INDEX IF NOT EXISTS vector_document ON vector(document);
CREATE INDEX IF NOT EXISTS vector_group ON vector(embed, grp, document);

-- Documents whose nodes of a group all have their vectors, and what those depend on.
CREATE TABLE IF NOT EXISTS embedded(
  document INTEGER NOT NULL REFERENCES document(key) ON DELETE CASCADE,
  embed TEXT NOT NULL, grp TEXT NOT NULL, definition TEXT NOT NULL,
  PRIMARY KEY(document, embed, grp)
) STRICT, WITHOUT ROWID;

-- Questions asked one after another, and what came of each.
CREATE TABLE IF NOT EXISTS turn(
  conversation TEXT NOT NULL, number INTEGER NOT NULL,
  question TEXT NOT NULL, answer TEXT NOT NULL, asked INTEGER NOT NULL,
  PRIMARY KEY(conversation, number)
) STRICT, WITHOUT ROWID;

-- Which of several readings of a question was chosen.
CREATE TABLE IF NOT EXISTS choice(question TEXT PRIMARY KEY, choice TEXT NOT NULL) STRICT, WITHOUT ROWID;

-- What users call conversations.
CREATE TABLE IF NOT EXISTS title(conversation TEXT PRIMARY KEY, title TEXT NOT NULL) STRICT, WITHOUT ROWID;

-- What users thought of answers: the question, how it was read, and whether that was right. The last word counts.
CREATE TABLE IF NOT EXISTS feedback(
  question TEXT NOT NULL, sql TEXT NOT NULL, feedback TEXT NOT NULL, PRIMARY KEY(question, sql)
) STRICT, WITHOUT ROWID;

-- What a language model made of a text, by content: asked for again, it costs nothing.
CREATE TABLE IF NOT EXISTS made(hash BLOB PRIMARY KEY, text TEXT NOT NULL) STRICT, WITHOUT ROWID;

-- What users say of tables that were understood otherwise: by the document's id, since that outlives reading it again.
CREATE TABLE IF NOT EXISTS correction(
  document TEXT NOT NULL,
  number INTEGER NOT NULL,
  correction TEXT NOT NULL,
  PRIMARY KEY(document, number)
) WITHOUT ROWID;

-- What of a shared library others can see: a document as it was when it was last written to the shared store, or taken from it.
CREATE TABLE IF NOT EXISTS published(
  document INTEGER PRIMARY KEY, id TEXT NOT NULL, state TEXT NOT NULL
) STRICT;

-- The model and the length of the vectors of a space whose vectors are kept elsewhere.
CREATE TABLE IF NOT EXISTS space(
  embed TEXT NOT NULL, grp TEXT NOT NULL, model TEXT NOT NULL, dim INTEGER NOT NULL, PRIMARY KEY(embed, grp)
) STRICT, WITHOUT ROWID;

-- Columns that name rows of other tables: found among their values.
CREATE TABLE IF NOT EXISTS foreign_key(
  from_table INTEGER NOT NULL REFERENCES "table"(key) ON DELETE CASCADE, from_column TEXT NOT NULL,
  to_table INTEGER NOT NULL REFERENCES "table"(key) ON DELETE CASCADE, to_column TEXT NOT NULL,
  share REAL NOT NULL, PRIMARY KEY(from_table, from_column)
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS foreign_key_to ON foreign_key(to_table);

-- What users say of them, by names, since those outlive reading a file again: `to_table` is empty where a column names none.
CREATE TABLE IF NOT EXISTS said_key(
  from_table TEXT NOT NULL, from_column TEXT NOT NULL, to_table TEXT NOT NULL, to_column TEXT NOT NULL,
  PRIMARY KEY(from_table, from_column)
) STRICT, WITHOUT ROWID;
