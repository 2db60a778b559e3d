import type { MigrationSource } from './source.ts'

export const tale: MigrationSource = {
  number: 4,
  name: 'The tale',
  // Entries of rule packs are no entities (storage/rule-entries.ts).
  before: `
CREATE TABLE rule_editions (id INTEGER PRIMARY KEY AUTOINCREMENT, begun_at TEXT NOT NULL) STRICT;
CREATE INDEX rule_editions_begun_at ON rule_editions (begun_at);
CREATE TABLE rule_entry_ids (
  id INTEGER PRIMARY KEY,
  pack_key TEXT NOT NULL,
  entry_key TEXT NOT NULL,
  UNIQUE (pack_key, entry_key)
) STRICT;
CREATE TABLE rule_entries (
  place INTEGER PRIMARY KEY,
  edition_id INTEGER NOT NULL,
  entry_id INTEGER NOT NULL,
  key TEXT NOT NULL,
  kind TEXT NOT NULL,
  system TEXT NOT NULL,
  title TEXT NOT NULL,
  summary TEXT NOT NULL,
  text TEXT NOT NULL,
  body TEXT NOT NULL GENERATED ALWAYS AS (summary || char(10) || text) VIRTUAL,
  title_spaced TEXT,
  body_spaced TEXT,
  statblock TEXT,
  UNIQUE (entry_id, edition_id)
) STRICT;
CREATE INDEX rule_entries_edition ON rule_entries(edition_id, kind);
CREATE VIRTUAL TABLE rule_text USING fts5(title, body, content='rule_entries', content_rowid='place', tokenize='unicode61 remove_diacritics 2', prefix='2 3');
CREATE TRIGGER rule_entries_insert AFTER INSERT ON rule_entries BEGIN
  INSERT INTO rule_text(rowid, title, body) VALUES (new.place, coalesce(new.title_spaced, new.title), coalesce(new.body_spaced, new.body));
END;
CREATE TRIGGER rule_entries_delete AFTER DELETE ON rule_entries BEGIN
  INSERT INTO rule_text(rule_text, rowid, title, body) VALUES ('delete', old.place, coalesce(old.title_spaced, old.title), coalesce(old.body_spaced, old.body));
END;
-- What the index reads where a script puts no spaces between words (kernel/unspaced.ts); null where it reads the text itself.
ALTER TABLE search_documents ADD COLUMN title_spaced TEXT;
ALTER TABLE search_documents ADD COLUMN body_spaced TEXT;
ALTER TABLE search_documents ADD COLUMN secret_spaced TEXT;
DROP TRIGGER search_documents_insert;
DROP TRIGGER search_documents_delete;
DROP TRIGGER search_documents_update;
-- Nothing is ranked by the lengths of texts (storage/search-run.ts): without them each write has a page less to write.
DROP TABLE search_text;
CREATE VIRTUAL TABLE search_text USING fts5(title, body, secret, content='search_documents', content_rowid='id', columnsize=0, tokenize='unicode61 remove_diacritics 2', prefix='2 3');
INSERT INTO search_text(search_text) VALUES ('rebuild');
CREATE TRIGGER search_documents_insert AFTER INSERT ON search_documents BEGIN
  INSERT INTO search_text(rowid, title, body, secret) VALUES (new.id, coalesce(new.title_spaced, new.title), coalesce(new.body_spaced, new.body), coalesce(new.secret_spaced, new.secret));
END;
CREATE TRIGGER search_documents_delete AFTER DELETE ON search_documents BEGIN
  INSERT INTO search_text(search_text, rowid, title, body, secret) VALUES ('delete', old.id, coalesce(old.title_spaced, old.title), coalesce(old.body_spaced, old.body), coalesce(old.secret_spaced, old.secret));
END;
CREATE TRIGGER search_documents_update AFTER UPDATE ON search_documents BEGIN
  INSERT INTO search_text(search_text, rowid, title, body, secret) VALUES ('delete', old.id, coalesce(old.title_spaced, old.title), coalesce(old.body_spaced, old.body), coalesce(old.secret_spaced, old.secret));
  INSERT INTO search_text(rowid, title, body, secret) VALUES (new.id, coalesce(new.title_spaced, new.title), coalesce(new.body_spaced, new.body), coalesce(new.secret_spaced, new.secret));
END;
-- The words of the search index, and who sees a closed document that names them (storage/search-places.ts).
CREATE VIRTUAL TABLE search_text_terms USING fts5vocab(search_text, 'instance');
CREATE TABLE search_text_readers (
  campaign_id INTEGER NOT NULL,
  user_id INTEGER NOT NULL,
  document_id INTEGER NOT NULL,
  PRIMARY KEY (campaign_id, user_id, document_id),
  CHECK (campaign_id < 1048576 AND user_id < 262144 AND document_id % 4294967296 < 33554432)
) STRICT, WITHOUT ROWID;
-- The closed documents once more for each whom they name, in a range of its own: campaign, user and turn share its 63 bits.
CREATE VIRTUAL TABLE search_text_own USING fts5(title, body, content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 2', prefix='2 3');
CREATE TRIGGER search_text_own_insert AFTER INSERT ON search_text_readers BEGIN
  INSERT INTO search_text_own(rowid, title, body)
  SELECT (new.campaign_id << 43) | (new.user_id << 25) | (d.id % 4294967296), coalesce(d.title_spaced, d.title), coalesce(d.body_spaced, d.body)
  FROM search_documents d WHERE d.id = new.document_id;
END;
CREATE TRIGGER search_text_own_delete AFTER DELETE ON search_text_readers BEGIN
  DELETE FROM search_text_own WHERE rowid = (old.campaign_id << 43) | (old.user_id << 25) | (old.document_id % 4294967296);
END;
-- How many rows have which value, of those that members see (part 0) and of the others (storage/tallies.ts).
CREATE TABLE tallies (
  campaign_id INTEGER NOT NULL,
  name TEXT NOT NULL,
  part INTEGER NOT NULL,
  key TEXT NOT NULL,
  value TEXT NOT NULL,
  count INTEGER NOT NULL,
  sum INTEGER NOT NULL,
  PRIMARY KEY (campaign_id, name, part, key, value)
) STRICT, WITHOUT ROWID;
-- The newest change of each thing: with what members see (place 0), or apart (-1) and with whom the thing names (storage/recent-changes.ts).
CREATE TABLE recent_changes (
  entity_type TEXT NOT NULL,
  entity_id INTEGER NOT NULL,
  place INTEGER NOT NULL,
  campaign_id INTEGER NOT NULL,
  change_id INTEGER NOT NULL,
  public_change_id INTEGER,
  PRIMARY KEY (entity_type, entity_id, place)
) STRICT, WITHOUT ROWID;
CREATE INDEX recent_changes_all ON recent_changes(campaign_id, change_id) WHERE place <= 0;
CREATE INDEX recent_changes_public ON recent_changes(campaign_id, place, public_change_id);
CREATE INDEX search_text_readers_document ON search_text_readers(document_id);
CREATE TRIGGER search_text_readers_delete AFTER DELETE ON search_documents BEGIN
  DELETE FROM search_text_readers WHERE document_id = old.id;
END;
-- What lies in a campaign is found by where its documents stand, and its history by its change sets: nothing reads these.
DROP INDEX search_documents_campaign;
DROP INDEX changes_campaign;
CREATE TRIGGER search_text_readers_move AFTER UPDATE OF id ON search_documents WHEN old.id <> new.id BEGIN
  DELETE FROM search_text_readers WHERE document_id = old.id;
END;`,
  // The name of a picture's file is found by Dungeon Masters alone; its caption is what it is called.
  after: `
-- What somebody has not read yet is counted with each page of their notices.
CREATE INDEX notifications_unread ON notifications(campaign_id, user_id) WHERE read_at IS NULL AND deleted_at IS NULL;
UPDATE search_documents SET
  title = coalesce((SELECT t.caption FROM attachments t WHERE t.id = search_documents.entity_id), ''),
  body = '',
  secret = coalesce((SELECT t.file_name FROM attachments t WHERE t.id = search_documents.entity_id), '')
WHERE entity_type = 'attachment';
UPDATE search_documents SET title_spaced = spaced_out(title), body_spaced = spaced_out(body), secret_spaced = spaced_out(secret)
WHERE coalesce(spaced_out(title), spaced_out(body), spaced_out(secret)) IS NOT NULL;
-- Each document goes to its campaign, and to the part of what is closed or open there.
UPDATE search_documents SET id = id + coalesce(campaign_id, 0) * 8589934592 + 4294967296 * coalesce(CASE entity_type
  WHEN 'quest' THEN (SELECT t.hidden FROM quests t WHERE t.id = search_documents.entity_id)
  WHEN 'objective' THEN (SELECT t.hidden OR q.hidden FROM objectives t JOIN quests q ON q.id = t.quest_id WHERE t.id = search_documents.entity_id)
  WHEN 'npc' THEN (SELECT t.hidden FROM npcs t WHERE t.id = search_documents.entity_id)
  WHEN 'location' THEN (SELECT t.hidden OR t.discovery = 'unknown' FROM locations t WHERE t.id = search_documents.entity_id)
  WHEN 'note' THEN (SELECT t.visibility <> 'party' FROM notes t WHERE t.id = search_documents.entity_id)
  WHEN 'inbox_item' THEN 1
  WHEN 'attachment' THEN (SELECT t.hidden FROM attachments t WHERE t.id = search_documents.entity_id)
  ELSE 0 END, 0);
INSERT OR IGNORE INTO search_text_readers (campaign_id, user_id, document_id)
  SELECT d.campaign_id, t.author_user_id, d.id FROM search_documents d JOIN notes t ON d.entity_type = 'note' AND d.entity_id = t.id WHERE t.visibility <> 'party'
  UNION SELECT d.campaign_id, t.recipient_user_id, d.id FROM search_documents d JOIN notes t ON d.entity_type = 'note' AND d.entity_id = t.id WHERE t.visibility <> 'party' AND t.recipient_user_id IS NOT NULL
  UNION SELECT d.campaign_id, t.author_user_id, d.id FROM search_documents d JOIN inbox_items t ON d.entity_type = 'inbox_item' AND d.entity_id = t.id
  UNION SELECT d.campaign_id, t.uploaded_by_user_id, d.id FROM search_documents d JOIN attachments t ON d.entity_type = 'attachment' AND d.entity_id = t.id WHERE t.hidden = 1;
INSERT INTO recent_changes (entity_type, entity_id, place, campaign_id, change_id, public_change_id)
  SELECT d.entity_type, d.entity_id, -((d.id / 4294967296) % 2), d.campaign_id, max(c.id), max(CASE WHEN c.public = 1 THEN c.id END)
  FROM search_documents d JOIN changes c ON c.entity_type = d.entity_type AND c.entity_id = d.entity_id
  WHERE c.campaign_id = d.campaign_id AND c.kind <> 'purge' AND d.entity_type <> 'campaign' GROUP BY d.id;
INSERT INTO recent_changes (entity_type, entity_id, place, campaign_id, change_id, public_change_id)
  SELECT r.entity_type, r.entity_id, reader.user_id, r.campaign_id, r.change_id, r.public_change_id
  FROM search_text_readers reader JOIN search_documents d ON d.id = reader.document_id
  JOIN recent_changes r ON r.entity_type = d.entity_type AND r.entity_id = d.entity_id AND r.place = -1;
INSERT INTO tallies (campaign_id, name, part, key, value, count, sum)
  SELECT campaign, name, part, CASE WHEN name LIKE '%.tags' THEN fold_text(value) ELSE value END, value, count(*), 0 FROM (
    SELECT t.campaign_id AS campaign, 'npc.tags' AS name, t.hidden AS part, tag.value AS value FROM npcs t, json_each(t.tags) tag WHERE t.deleted_at IS NULL
    UNION ALL SELECT t.campaign_id, 'location.tags', t.hidden OR t.discovery = 'unknown', tag.value FROM locations t, json_each(t.tags) tag WHERE t.deleted_at IS NULL
    UNION ALL SELECT t.campaign_id, 'quest.tags', t.hidden, tag.value FROM quests t, json_each(t.tags) tag WHERE t.deleted_at IS NULL
    UNION ALL SELECT t.campaign_id, 'quest.status', t.hidden, t.status FROM quests t WHERE t.deleted_at IS NULL
    UNION ALL SELECT t.campaign_id, 'session.status', 0, t.status FROM game_sessions t WHERE t.deleted_at IS NULL
    UNION ALL SELECT t.campaign_id, 'objective.done', t.hidden OR q.hidden, CAST(t.done AS TEXT) FROM objectives t JOIN quests q ON q.id = t.quest_id WHERE t.deleted_at IS NULL
  ) GROUP BY 1, 2, 3, 4, 5;`,
  // A proposal holds several changes, and the journal tells what was changed since.
  farewell: `
UPDATE proposals SET
  changes = json_array(json_object('operation', operation, 'input', json(input))),
  journal_at = (SELECT coalesce(max(c.id), 0) FROM changes c JOIN change_sets s ON s.id = c.change_set_id WHERE s.at <= proposals.updated_at),
  touched = CASE
    WHEN target_type IS NULL OR target_id IS NULL THEN '[]'
    ELSE json_array(json_object('entityType', target_type, 'entityId', target_id, 'fields', (SELECT json_group_array(key) FROM json_each(input))))
  END;
ALTER TABLE proposals DROP COLUMN operation;
ALTER TABLE proposals DROP COLUMN input;
ALTER TABLE proposals DROP COLUMN target_revision;`,
  frozen: null,
}
