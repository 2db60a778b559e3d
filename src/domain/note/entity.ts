import * as z from 'zod'
import { defineEntity } from '../../kernel/entity.ts'
import { byUser, link, nullable, prose, reference, required, userId } from '../../kernel/fields.ts'
import type { Notice } from '../../kernel/notices.ts'
import { allOf, anyOf, dungeonMasters, self, where } from '../../kernel/visibility.ts'

/** `private`: its author alone, not even the DM. `whisper`: its author and one recipient. `dm`: author and DMs. `party`: everyone. */
export const noteVisibility = z.enum(['private', 'dm', 'party', 'whisper'])

/** Who gets a whisper is told of it. */
function tellsOfWhisper(
  before: object | null,
  { visibility, recipientUserId }: { readonly visibility: string; readonly recipientUserId: number | null },
): readonly Notice[] {
  if (before !== null || visibility !== 'whisper' || recipientUserId === null) return []
  return [{ kind: 'whisper', to: { userId: recipientUserId } }]
}

export const note = defineEntity({
  name: 'note',
  table: 'notes',
  label: 'note',
  listedBy: 'list_notes',
  owner: 'authorUserId',
  writtenBy: 'authorUserId',
  // What was whispered is between two people.
  neverForAi: where('visibility', 'private', 'whisper'),
  title: 'body',
  trash: true,
  // Private notes and whispers must not come back in an audit; one rule for all notes keeps that simple.
  journal: 'fields',
  visible: anyOf(
    self('authorUserId'),
    self('recipientUserId'),
    where('visibility', 'party'),
    allOf(dungeonMasters, where('visibility', 'dm')),
  ),
  tells: tellsOfWhisper,
  lists: { orders: [[]], filters: ['visibility', 'authorUserId'], arrivals: true },
  fields: {
    authorUserId: required(userId(), { ...byUser, references: 'user' }),
    recipientUserId: nullable(userId(), { ...byUser, references: 'user' }),
    body: required(prose().min(1), { search: 'body' }),
    visibility: required(noteVisibility),
    ...link('entityType', 'entityId'),
    sessionId: reference('session'),
  },
})
