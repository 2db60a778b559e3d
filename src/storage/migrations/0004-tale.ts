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
  statblock TEXT,
  UNIQUE (entry_id, edition_id)
) STRICT;
CREATE INDEX rule_entries_edition ON rule_entries(edition_id, kind);
CREATE VIRTUAL TABLE rule_text USING fts5(title, body, content='rule_entries', content_rowid='place', tokenize='unicode61 remove_diacritics 2', prefix='2 3');
CREATE TRIGGER rule_entries_insert AFTER INSERT ON rule_entries BEGIN
  INSERT INTO rule_text(rowid, title, body) VALUES (new.place, new.title, new.body);
END;
CREATE TRIGGER rule_entries_delete AFTER DELETE ON rule_entries BEGIN
  INSERT INTO rule_text(rule_text, rowid, title, body) VALUES ('delete', old.place, old.title, old.body);
END;`,
  // The name of a picture's file is found by Dungeon Masters alone; its caption is what it is called.
  after: `
UPDATE search_documents SET
  title = coalesce((SELECT t.caption FROM attachments t WHERE t.id = search_documents.entity_id), ''),
  body = '',
  secret = coalesce((SELECT t.file_name FROM attachments t WHERE t.id = search_documents.entity_id), '')
WHERE entity_type = 'attachment';`,
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
