import type { MigrationSource } from './source.ts'

export const firstTables: MigrationSource = {
  number: 1,
  name: 'first tables',
  before: `
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
END;
-- Names that differ in ASCII case only are one; what differs in another script is compared before it is written.
CREATE UNIQUE INDEX users_username ON users(username COLLATE NOCASE);
CREATE UNIQUE INDEX users_key ON users(key);
-- Credentials are found by their hash, in whoever's name they are.
CREATE UNIQUE INDEX sessions_hash ON sessions(hash);
CREATE UNIQUE INDEX personal_tokens_hash ON personal_tokens(hash);`,
  frozen: {
    derived: `
CREATE TABLE users (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  revision INTEGER NOT NULL DEFAULT 1,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  deleted_at TEXT,
  trash_batch INTEGER,
  key TEXT NOT NULL DEFAULT (lower(hex(randomblob(16)))),
  username TEXT NOT NULL,
  password_hash TEXT NOT NULL,
  password_set_at TEXT,
  admin INTEGER NOT NULL DEFAULT 0 CHECK (admin IN (0, 1)),
  disabled_at TEXT
) STRICT;
CREATE TABLE sessions (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id INTEGER NOT NULL REFERENCES users(id) ON DELETE CASCADE,
  revision INTEGER NOT NULL DEFAULT 1,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  deleted_at TEXT,
  trash_batch INTEGER,
  hash TEXT NOT NULL,
  last_used_at TEXT NOT NULL,
  user_agent TEXT
) STRICT;
CREATE TABLE personal_tokens (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id INTEGER NOT NULL REFERENCES users(id) ON DELETE CASCADE,
  revision INTEGER NOT NULL DEFAULT 1,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  deleted_at TEXT,
  trash_batch INTEGER,
  minted_by_user_id INTEGER REFERENCES users(id) ON DELETE SET NULL,
  hash TEXT NOT NULL,
  hint TEXT NOT NULL,
  name TEXT NOT NULL,
  scope TEXT NOT NULL,
  campaign_id INTEGER,
  write_mode TEXT NOT NULL,
  admin INTEGER NOT NULL DEFAULT 0 CHECK (admin IN (0, 1)),
  expires_at TEXT,
  last_used_at TEXT,
  revoked_at TEXT
) STRICT;
CREATE TABLE campaigns (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  revision INTEGER NOT NULL DEFAULT 1,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  deleted_at TEXT,
  trash_batch INTEGER,
  name TEXT NOT NULL,
  description TEXT,
  status TEXT NOT NULL DEFAULT 'planning',
  rule_system TEXT,
  current_location_id INTEGER REFERENCES locations(id) ON DELETE SET NULL,
  cover_attachment_id INTEGER REFERENCES attachments(id) ON DELETE SET NULL,
  players_propose INTEGER NOT NULL DEFAULT 1 CHECK (players_propose IN (0, 1))
) STRICT;
CREATE TABLE memberships (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  campaign_id INTEGER NOT NULL REFERENCES campaigns(id),
  revision INTEGER NOT NULL DEFAULT 1,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  deleted_at TEXT,
  trash_batch INTEGER,
  user_id INTEGER NOT NULL REFERENCES users(id),
  role TEXT NOT NULL,
  last_visit_at TEXT
) STRICT;
CREATE TABLE invites (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  campaign_id INTEGER NOT NULL REFERENCES campaigns(id),
  revision INTEGER NOT NULL DEFAULT 1,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  deleted_at TEXT,
  trash_batch INTEGER,
  code_hash TEXT NOT NULL,
  hint TEXT NOT NULL,
  role TEXT NOT NULL,
  expires_at TEXT NOT NULL,
  max_uses INTEGER NOT NULL,
  uses INTEGER NOT NULL DEFAULT 0,
  revoked_at TEXT
) STRICT;
CREATE TABLE quests (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  campaign_id INTEGER NOT NULL REFERENCES campaigns(id),
  revision INTEGER NOT NULL DEFAULT 1,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  deleted_at TEXT,
  trash_batch INTEGER,
  title TEXT NOT NULL,
  body TEXT,
  status TEXT NOT NULL DEFAULT 'available',
  parent_quest_id INTEGER REFERENCES quests(id) ON DELETE SET NULL,
  giver_npc_id INTEGER REFERENCES npcs(id) ON DELETE SET NULL,
  location_id INTEGER REFERENCES locations(id) ON DELETE SET NULL,
  reward TEXT,
  dm_secret TEXT,
  hidden INTEGER NOT NULL DEFAULT 0 CHECK (hidden IN (0, 1)),
  tags TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(tags)),
  position INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE TABLE objectives (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  campaign_id INTEGER NOT NULL REFERENCES campaigns(id),
  revision INTEGER NOT NULL DEFAULT 1,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  deleted_at TEXT,
  trash_batch INTEGER,
  quest_id INTEGER NOT NULL REFERENCES quests(id),
  text TEXT NOT NULL,
  done INTEGER NOT NULL DEFAULT 0 CHECK (done IN (0, 1)),
  optional INTEGER NOT NULL DEFAULT 0 CHECK (optional IN (0, 1)),
  hidden INTEGER NOT NULL DEFAULT 0 CHECK (hidden IN (0, 1)),
  position INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE TABLE npcs (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  campaign_id INTEGER NOT NULL REFERENCES campaigns(id),
  revision INTEGER NOT NULL DEFAULT 1,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  deleted_at TEXT,
  trash_batch INTEGER,
  name TEXT NOT NULL,
  role TEXT,
  species TEXT,
  disposition TEXT NOT NULL DEFAULT 'neutral',
  status TEXT NOT NULL DEFAULT 'alive',
  location_id INTEGER REFERENCES locations(id) ON DELETE SET NULL,
  body TEXT,
  voice TEXT,
  portrait_attachment_id INTEGER REFERENCES attachments(id) ON DELETE SET NULL,
  dm_secret TEXT,
  hidden INTEGER NOT NULL DEFAULT 0 CHECK (hidden IN (0, 1)),
  tags TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(tags)),
  name_sort TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE TABLE locations (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  campaign_id INTEGER NOT NULL REFERENCES campaigns(id),
  revision INTEGER NOT NULL DEFAULT 1,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  deleted_at TEXT,
  trash_batch INTEGER,
  name TEXT NOT NULL,
  kind TEXT,
  parent_location_id INTEGER REFERENCES locations(id) ON DELETE SET NULL,
  body TEXT,
  discovery TEXT NOT NULL DEFAULT 'discovered',
  image_attachment_id INTEGER REFERENCES attachments(id) ON DELETE SET NULL,
  dm_secret TEXT,
  hidden INTEGER NOT NULL DEFAULT 0 CHECK (hidden IN (0, 1)),
  tags TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(tags)),
  name_sort TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE TABLE notes (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  campaign_id INTEGER NOT NULL REFERENCES campaigns(id),
  revision INTEGER NOT NULL DEFAULT 1,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  deleted_at TEXT,
  trash_batch INTEGER,
  author_user_id INTEGER NOT NULL REFERENCES users(id),
  recipient_user_id INTEGER REFERENCES users(id) ON DELETE SET NULL,
  body TEXT NOT NULL,
  visibility TEXT NOT NULL,
  entity_type TEXT,
  entity_id INTEGER,
  session_id INTEGER REFERENCES game_sessions(id) ON DELETE SET NULL
) STRICT;
CREATE TABLE inbox_items (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  campaign_id INTEGER NOT NULL REFERENCES campaigns(id),
  revision INTEGER NOT NULL DEFAULT 1,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  deleted_at TEXT,
  trash_batch INTEGER,
  author_user_id INTEGER NOT NULL REFERENCES users(id),
  body TEXT NOT NULL,
  status TEXT NOT NULL DEFAULT 'open',
  entity_type TEXT,
  entity_id INTEGER,
  resolution TEXT,
  resolved_at TEXT,
  resolved_by_user_id INTEGER REFERENCES users(id) ON DELETE SET NULL
) STRICT;
CREATE TABLE game_sessions (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  campaign_id INTEGER NOT NULL REFERENCES campaigns(id),
  revision INTEGER NOT NULL DEFAULT 1,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  deleted_at TEXT,
  trash_batch INTEGER,
  number INTEGER NOT NULL,
  title TEXT,
  status TEXT NOT NULL DEFAULT 'planned',
  played_at TEXT,
  started_at TEXT,
  ended_at TEXT,
  recap TEXT,
  prep TEXT,
  dm_secret TEXT
) STRICT;
CREATE TABLE attachments (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  campaign_id INTEGER NOT NULL REFERENCES campaigns(id),
  revision INTEGER NOT NULL DEFAULT 1,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  deleted_at TEXT,
  trash_batch INTEGER,
  uploaded_by_user_id INTEGER NOT NULL REFERENCES users(id),
  file_name TEXT NOT NULL,
  kind TEXT NOT NULL DEFAULT 'image',
  caption TEXT,
  mime_type TEXT NOT NULL,
  byte_size INTEGER NOT NULL,
  width INTEGER NOT NULL,
  height INTEGER NOT NULL,
  hidden INTEGER NOT NULL DEFAULT 0 CHECK (hidden IN (0, 1)),
  sha256 TEXT NOT NULL,
  file_key TEXT NOT NULL,
  missing INTEGER NOT NULL DEFAULT 0 CHECK (missing IN (0, 1))
) STRICT;
CREATE TABLE proposals (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  campaign_id INTEGER NOT NULL REFERENCES campaigns(id),
  revision INTEGER NOT NULL DEFAULT 1,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  deleted_at TEXT,
  trash_batch INTEGER,
  author_user_id INTEGER NOT NULL REFERENCES users(id),
  title TEXT NOT NULL,
  operation TEXT NOT NULL,
  input TEXT NOT NULL CHECK (json_valid(input)),
  reason TEXT,
  status TEXT NOT NULL DEFAULT 'pending',
  target_type TEXT,
  target_id INTEGER,
  target_revision INTEGER,
  decided_by_user_id INTEGER REFERENCES users(id) ON DELETE SET NULL,
  decided_at TEXT,
  decision_note TEXT
) STRICT;
CREATE TABLE npcs_tags (
  label TEXT NOT NULL,
  campaign_id INTEGER NOT NULL,
  name_sort TEXT NOT NULL,
  id INTEGER NOT NULL REFERENCES npcs(id) ON DELETE CASCADE,
  PRIMARY KEY (campaign_id, label, name_sort, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX npcs_tags_row ON npcs_tags(id);
CREATE TABLE locations_tags (
  label TEXT NOT NULL,
  campaign_id INTEGER NOT NULL,
  name_sort TEXT NOT NULL,
  id INTEGER NOT NULL REFERENCES locations(id) ON DELETE CASCADE,
  PRIMARY KEY (campaign_id, label, name_sort, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX locations_tags_row ON locations_tags(id);
CREATE INDEX sessions_home_user_id ON sessions(user_id);
CREATE INDEX personal_tokens_home_user_id ON personal_tokens(user_id);
CREATE INDEX personal_tokens_ref_minted_by_user_id ON personal_tokens(minted_by_user_id);
CREATE INDEX campaigns_ref_current_location_id ON campaigns(current_location_id);
CREATE INDEX campaigns_ref_cover_attachment_id ON campaigns(cover_attachment_id);
CREATE INDEX campaigns_trash_trash_batch_desc_id ON campaigns(trash_batch DESC, id) WHERE deleted_at IS NOT NULL;
CREATE INDEX memberships_home_campaign_id ON memberships(campaign_id);
CREATE INDEX memberships_ref_user_id ON memberships(user_id);
CREATE UNIQUE INDEX memberships_unique_campaign_id_user_id ON memberships(campaign_id, user_id) WHERE deleted_at IS NULL;
CREATE INDEX invites_home_campaign_id ON invites(campaign_id);
CREATE INDEX invites_lookup_code_hash ON invites(code_hash);
CREATE INDEX quests_home_campaign_id ON quests(campaign_id);
CREATE INDEX quests_ref_parent_quest_id ON quests(parent_quest_id);
CREATE INDEX quests_ref_giver_npc_id ON quests(giver_npc_id);
CREATE INDEX quests_ref_location_id ON quests(location_id);
CREATE INDEX quests_trash_campaign_id_trash_batch_desc_id ON quests(campaign_id, trash_batch DESC, id) WHERE deleted_at IS NOT NULL;
CREATE INDEX quests_list_campaign_id_position_id ON quests(campaign_id, position, id) WHERE deleted_at IS NULL;
CREATE INDEX quests_list_campaign_id_status_position_id ON quests(campaign_id, status, position, id) WHERE deleted_at IS NULL;
CREATE INDEX quests_list_campaign_id_parent_quest_id_position_id ON quests(campaign_id, parent_quest_id, position, id) WHERE deleted_at IS NULL;
CREATE INDEX quests_list_campaign_id_giver_npc_id_position_id ON quests(campaign_id, giver_npc_id, position, id) WHERE deleted_at IS NULL;
CREATE INDEX quests_list_campaign_id_hidden_position_id ON quests(campaign_id, hidden, position, id) WHERE deleted_at IS NULL;
CREATE INDEX quests_list_campaign_id_updated_at_id ON quests(campaign_id, updated_at, id) WHERE deleted_at IS NULL;
CREATE INDEX quests_list_campaign_id_hidden_updated_at_id ON quests(campaign_id, hidden, updated_at, id) WHERE deleted_at IS NULL;
CREATE INDEX objectives_home_campaign_id ON objectives(campaign_id);
CREATE INDEX objectives_ref_quest_id ON objectives(quest_id);
CREATE INDEX objectives_trash_campaign_id_trash_batch_desc_id ON objectives(campaign_id, trash_batch DESC, id) WHERE deleted_at IS NOT NULL;
CREATE INDEX objectives_list_campaign_id_quest_id_position_id ON objectives(campaign_id, quest_id, position, id) WHERE deleted_at IS NULL;
CREATE INDEX objectives_list_campaign_id_quest_id_done_position_id ON objectives(campaign_id, quest_id, done, position, id) WHERE deleted_at IS NULL;
CREATE INDEX objectives_list_campaign_id_quest_id_hidden_position_id ON objectives(campaign_id, quest_id, hidden, position, id) WHERE deleted_at IS NULL;
CREATE INDEX objectives_list_campaign_id_updated_at_id ON objectives(campaign_id, updated_at, id) WHERE deleted_at IS NULL;
CREATE INDEX objectives_list_campaign_id_hidden_updated_at_id ON objectives(campaign_id, hidden, updated_at, id) WHERE deleted_at IS NULL;
CREATE INDEX npcs_home_campaign_id ON npcs(campaign_id);
CREATE INDEX npcs_ref_location_id ON npcs(location_id);
CREATE INDEX npcs_ref_portrait_attachment_id ON npcs(portrait_attachment_id);
CREATE INDEX npcs_trash_campaign_id_trash_batch_desc_id ON npcs(campaign_id, trash_batch DESC, id) WHERE deleted_at IS NOT NULL;
CREATE INDEX npcs_list_campaign_id_name_sort_id ON npcs(campaign_id, name_sort, id) WHERE deleted_at IS NULL;
CREATE INDEX npcs_list_campaign_id_location_id_name_sort_id ON npcs(campaign_id, location_id, name_sort, id) WHERE deleted_at IS NULL;
CREATE INDEX npcs_list_campaign_id_disposition_name_sort_id ON npcs(campaign_id, disposition, name_sort, id) WHERE deleted_at IS NULL;
CREATE INDEX npcs_list_campaign_id_hidden_name_sort_id ON npcs(campaign_id, hidden, name_sort, id) WHERE deleted_at IS NULL;
CREATE INDEX locations_home_campaign_id ON locations(campaign_id);
CREATE INDEX locations_ref_parent_location_id ON locations(parent_location_id);
CREATE INDEX locations_ref_image_attachment_id ON locations(image_attachment_id);
CREATE INDEX locations_trash_campaign_id_trash_batch_desc_id ON locations(campaign_id, trash_batch DESC, id) WHERE deleted_at IS NOT NULL;
CREATE INDEX locations_list_campaign_id_name_sort_id ON locations(campaign_id, name_sort, id) WHERE deleted_at IS NULL;
CREATE INDEX locations_list_campaign_id_parent_location_id_name_sort_id ON locations(campaign_id, parent_location_id, name_sort, id) WHERE deleted_at IS NULL;
CREATE INDEX locations_list_campaign_id_discovery_name_sort_id ON locations(campaign_id, discovery, name_sort, id) WHERE deleted_at IS NULL;
CREATE INDEX locations_list_campaign_id_hidden_name_sort_id ON locations(campaign_id, hidden, name_sort, id) WHERE deleted_at IS NULL;
CREATE INDEX notes_home_campaign_id ON notes(campaign_id);
CREATE INDEX notes_ref_author_user_id ON notes(author_user_id);
CREATE INDEX notes_ref_recipient_user_id ON notes(recipient_user_id);
CREATE INDEX notes_link_entity_type_entity_id ON notes(entity_type, entity_id);
CREATE INDEX notes_ref_session_id ON notes(session_id);
CREATE INDEX notes_trash_campaign_id_trash_batch_desc_id ON notes(campaign_id, trash_batch DESC, id) WHERE deleted_at IS NOT NULL;
CREATE INDEX notes_list_campaign_id_visibility_id ON notes(campaign_id, visibility, id) WHERE deleted_at IS NULL;
CREATE INDEX notes_list_campaign_id_author_user_id_id ON notes(campaign_id, author_user_id, id) WHERE deleted_at IS NULL;
CREATE INDEX inbox_items_home_campaign_id ON inbox_items(campaign_id);
CREATE INDEX inbox_items_ref_author_user_id ON inbox_items(author_user_id);
CREATE INDEX inbox_items_link_entity_type_entity_id ON inbox_items(entity_type, entity_id);
CREATE INDEX inbox_items_ref_resolved_by_user_id ON inbox_items(resolved_by_user_id);
CREATE INDEX inbox_items_trash_campaign_id_trash_batch_desc_id ON inbox_items(campaign_id, trash_batch DESC, id) WHERE deleted_at IS NOT NULL;
CREATE INDEX inbox_items_list_campaign_id_status_id ON inbox_items(campaign_id, status, id) WHERE deleted_at IS NULL;
CREATE INDEX game_sessions_home_campaign_id ON game_sessions(campaign_id);
CREATE UNIQUE INDEX game_sessions_unique_campaign_id_number ON game_sessions(campaign_id, number) WHERE deleted_at IS NULL;
CREATE INDEX game_sessions_trash_campaign_id_trash_batch_desc_id ON game_sessions(campaign_id, trash_batch DESC, id) WHERE deleted_at IS NOT NULL;
CREATE INDEX game_sessions_list_campaign_id_status_number_id ON game_sessions(campaign_id, status, number, id) WHERE deleted_at IS NULL;
CREATE INDEX game_sessions_list_campaign_id_status_id ON game_sessions(campaign_id, status, id) WHERE deleted_at IS NULL;
CREATE INDEX attachments_home_campaign_id ON attachments(campaign_id);
CREATE INDEX attachments_ref_uploaded_by_user_id ON attachments(uploaded_by_user_id);
CREATE INDEX attachments_trash_campaign_id_trash_batch_desc_id ON attachments(campaign_id, trash_batch DESC, id) WHERE deleted_at IS NOT NULL;
CREATE INDEX attachments_list_campaign_id_kind_id ON attachments(campaign_id, kind, id) WHERE deleted_at IS NULL;
CREATE INDEX attachments_list_campaign_id_hidden_id ON attachments(campaign_id, hidden, id) WHERE deleted_at IS NULL;
CREATE INDEX proposals_home_campaign_id ON proposals(campaign_id);
CREATE INDEX proposals_ref_author_user_id ON proposals(author_user_id);
CREATE INDEX proposals_link_target_type_target_id ON proposals(target_type, target_id);
CREATE INDEX proposals_ref_decided_by_user_id ON proposals(decided_by_user_id);
CREATE INDEX proposals_list_campaign_id_status_id ON proposals(campaign_id, status, id) WHERE deleted_at IS NULL;
`,
    checksum: '1be2925690a92781177319233f1f1fd744ead793e41974f8cf47da8b7ecfaaea',
  },
}
