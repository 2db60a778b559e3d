import type { MigrationSource } from './source.ts'

export const tale: MigrationSource = {
  number: 4,
  name: 'The tale',
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
