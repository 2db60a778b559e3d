import type { MigrationSource } from './source.ts'

export const firstTables: MigrationSource = {
  number: 1,
  name: 'first tables',
  before: `
CREATE TABLE users (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  key TEXT NOT NULL UNIQUE DEFAULT (lower(hex(randomblob(16)))),
  username TEXT NOT NULL COLLATE NOCASE UNIQUE,
  password_hash TEXT NOT NULL,
  admin INTEGER NOT NULL DEFAULT 0 CHECK (admin IN (0, 1)),
  disabled_at TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE TABLE sessions (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id INTEGER NOT NULL REFERENCES users(id) ON DELETE CASCADE,
  hash TEXT NOT NULL UNIQUE,
  created_at TEXT NOT NULL,
  last_used_at TEXT NOT NULL,
  user_agent TEXT
) STRICT;
CREATE INDEX sessions_user ON sessions(user_id);
CREATE TABLE personal_tokens (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id INTEGER NOT NULL REFERENCES users(id) ON DELETE CASCADE,
  minted_by_user_id INTEGER REFERENCES users(id) ON DELETE SET NULL,
  hash TEXT NOT NULL UNIQUE,
  hint TEXT NOT NULL,
  name TEXT NOT NULL,
  scope TEXT NOT NULL CHECK (scope IN ('viewer', 'player', 'dm')),
  campaign_id INTEGER REFERENCES campaigns(id),
  write_mode TEXT NOT NULL CHECK (write_mode IN ('read', 'propose', 'direct')),
  admin INTEGER NOT NULL DEFAULT 0 CHECK (admin IN (0, 1)),
  created_at TEXT NOT NULL,
  expires_at TEXT,
  last_used_at TEXT,
  revoked_at TEXT
) STRICT;
CREATE INDEX personal_tokens_user ON personal_tokens(user_id);
CREATE TABLE change_sets (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  campaign_id INTEGER,
  at TEXT NOT NULL,
  operation TEXT NOT NULL,
  effect TEXT NOT NULL,
  door TEXT NOT NULL,
  actor_user_id INTEGER,
  credential_kind TEXT,
  credential_id INTEGER,
  client_id TEXT,
  proposal_id INTEGER,
  proposed_by_user_id INTEGER,
  reason TEXT,
  revertible INTEGER NOT NULL CHECK (revertible IN (0, 1)),
  reverted_by INTEGER REFERENCES change_sets(id),
  facts TEXT CHECK (facts IS NULL OR json_valid(facts))
) STRICT;
CREATE INDEX change_sets_campaign ON change_sets(campaign_id, id);
CREATE INDEX change_sets_at ON change_sets(campaign_id, at, id);
CREATE TABLE changes (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  change_set_id INTEGER NOT NULL REFERENCES change_sets(id),
  campaign_id INTEGER,
  entity_type TEXT NOT NULL,
  entity_id INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('create', 'update', 'trash', 'restore', 'purge')),
  public INTEGER NOT NULL CHECK (public IN (0, 1)),
  fields TEXT NOT NULL CHECK (json_valid(fields)),
  before TEXT CHECK (before IS NULL OR json_valid(before)),
  after TEXT CHECK (after IS NULL OR json_valid(after))
) STRICT;
CREATE INDEX changes_set ON changes(change_set_id);
CREATE INDEX changes_row ON changes(entity_type, entity_id, id);
CREATE INDEX changes_campaign ON changes(campaign_id, id);
CREATE TABLE idempotency_keys (
  scope TEXT PRIMARY KEY,
  input_hash TEXT NOT NULL,
  answer TEXT,
  created_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_keys_age ON idempotency_keys(created_at);
CREATE TABLE search_documents (
  id INTEGER PRIMARY KEY,
  campaign_id INTEGER,
  entity_type TEXT NOT NULL,
  entity_id INTEGER NOT NULL,
  title TEXT NOT NULL,
  body TEXT NOT NULL,
  secret TEXT NOT NULL,
  UNIQUE (entity_type, entity_id)
) STRICT;
CREATE INDEX search_documents_campaign ON search_documents(campaign_id);
CREATE VIRTUAL TABLE search_text USING fts5(title, body, secret, content='search_documents', content_rowid='id', tokenize='unicode61 remove_diacritics 2', prefix='2 3');
CREATE TRIGGER search_documents_insert AFTER INSERT ON search_documents BEGIN
  INSERT INTO search_text(rowid, title, body, secret) VALUES (new.id, new.title, new.body, new.secret);
END;
CREATE TRIGGER search_documents_delete AFTER DELETE ON search_documents BEGIN
  INSERT INTO search_text(search_text, rowid, title, body, secret) VALUES ('delete', old.id, old.title, old.body, old.secret);
END;
CREATE TRIGGER search_documents_update AFTER UPDATE ON search_documents BEGIN
  INSERT INTO search_text(search_text, rowid, title, body, secret) VALUES ('delete', old.id, old.title, old.body, old.secret);
  INSERT INTO search_text(rowid, title, body, secret) VALUES (new.id, new.title, new.body, new.secret);
END;
CREATE TABLE mentions (
  from_type TEXT NOT NULL,
  from_id INTEGER NOT NULL,
  to_type TEXT NOT NULL,
  to_id INTEGER NOT NULL,
  campaign_id INTEGER,
  secret INTEGER NOT NULL CHECK (secret IN (0, 1)),
  PRIMARY KEY (to_type, to_id, from_type, from_id, secret)
) STRICT, WITHOUT ROWID;
CREATE INDEX mentions_from ON mentions(from_type, from_id);
CREATE TABLE retired_files (
  file_key TEXT PRIMARY KEY,
  noticed_at TEXT
) STRICT, WITHOUT ROWID;`,
  after: `
CREATE TRIGGER attachments_retire AFTER DELETE ON attachments BEGIN
  INSERT OR REPLACE INTO retired_files(file_key, noticed_at) VALUES (old.file_key, NULL);
END;`,
  frozen: null,
}
