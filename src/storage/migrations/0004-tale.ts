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
  frozen: null,
}
