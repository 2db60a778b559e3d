import * as z from 'zod'
import { defineEntity } from '../../kernel/entity.ts'
import { byUser, line, name, nullable, required, userId, withDefault } from '../../kernel/fields.ts'
import { anyOf, dungeonMasters, self, where } from '../../kernel/visibility.ts'

export const attachmentKind = z.enum(['image', 'portrait', 'map', 'handout'])

/** An uploaded image. The bytes lie under their own SHA-256 in the uploads folder; two rows may share one file. */
export const attachment = defineEntity({
  name: 'attachment',
  table: 'attachments',
  label: 'attachment',
  listedBy: 'list_attachments',
  owner: 'uploadedByUserId',
  title: 'caption',
  untitled: { word: 'Untitled', field: 'kind' },
  trash: true,
  hide: true,
  visible: anyOf(dungeonMasters, where('hidden', false), self('uploadedByUserId')),
  lists: { orders: [[]], filters: ['kind'] },
  fields: {
    uploadedByUserId: required(userId(), { ...byUser, references: 'user' }),
    // Files are named by whoever prepares them, for themself.
    fileName: required(name(200), { search: 'secret', carry: 'own' }),
    kind: withDefault(attachmentKind, 'image'),
    caption: nullable(line(), { search: 'title' }),
    mimeType: required(z.string(), { carry: 'file' }),
    byteSize: required(z.int().min(1), { carry: 'file' }),
    width: required(z.int().min(1), { carry: 'file' }),
    height: required(z.int().min(1), { carry: 'file' }),
    hidden: withDefault(z.boolean(), false),
    sha256: required(z.string(), { internal: true, carry: 'file' }),
    fileKey: required(z.string(), { internal: true, carry: 'file' }),
    /** Its file is gone from the disk; set when a backup is taken or restored. */
    missing: withDefault(z.boolean(), false, { carry: { drop: 'says what is on the disk of one server' } }),
  },
})
