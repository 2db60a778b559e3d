import * as z from 'zod'
import type { Context } from '../../kernel/context.ts'
import { defineEntity } from '../../kernel/entity.ts'
import { fail } from '../../kernel/errors.ts'
import { byUser, idOf, nullable, prose, reference, required, userId } from '../../kernel/fields.ts'
import { allOf, anyOf, dungeonMasters, self, where } from '../../kernel/visibility.ts'

/** `private`: its author alone, not even the DM. `whisper`: its author and one recipient. `dm`: author and DMs. `party`: everyone. */
export const noteVisibility = z.enum(['private', 'dm', 'party', 'whisper'])

export const note = defineEntity({
  name: 'note',
  table: 'notes',
  label: 'note',
  listedBy: 'list_notes',
  owner: 'authorUserId',
  memberText: 'body',
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
  lists: { orders: [[]], filters: ['visibility', 'authorUserId'] },
  fields: {
    authorUserId: required(userId(), { ...byUser, references: 'user' }),
    recipientUserId: nullable(userId(), { ...byUser, references: 'user' }),
    body: required(prose().min(1), { search: 'body' }),
    visibility: required(noteVisibility),
    entityType: nullable(z.string().max(40)),
    entityId: nullable(idOf('any'), { carry: 'remap' }),
    sessionId: reference('session'),
  },
})

/** What a note or an inbox item is attached to: both members or neither. */
interface Attached {
  readonly entityType?: string | null | undefined
  readonly entityId?: number | null | undefined
}

/** Whether the viewer sees the thing. Throws `validation_failed` on a kind of thing that there is not. */
export function seesThing(context: Context<unknown>, entityType: string, entityId: number): boolean {
  return context.read(context.entity(entityType)).find(entityId) !== null
}

/** Throws `validation_failed` unless the input names no thing or one that the caller sees. */
export function checkAttached(context: Context<unknown>, { entityType, entityId }: Attached): void {
  if (entityType == null && entityId == null) return
  if (entityType == null || entityId == null) {
    throw fail('validation_failed', 'Give both entityType and entityId, or neither.', {
      details: [{ path: entityType == null ? 'entityType' : 'entityId', message: 'goes with the other' }],
    })
  }
  if (seesThing(context, entityType, entityId)) return
  const { label, listedBy } = context.entity(entityType)
  throw fail('validation_failed', `entityId: there is no such ${label} here. ${listedBy} finds ids.`, {
    details: [{ path: 'entityId', message: `no such ${label}` }],
  })
}

/** Rows as the viewer may read them: like any link, what they are attached to is null where it is hidden or in the trash. */
export function withVisibleThing<T extends { readonly entityType: string | null; readonly entityId: number | null }>(
  context: Context<unknown>,
  rows: readonly T[],
): T[] {
  const seen = new Map<string, boolean>()
  const sees = (entityType: string, entityId: number): boolean => {
    const key = `${entityType}:${entityId}`
    const known = seen.get(key) ?? seesThing(context, entityType, entityId)
    seen.set(key, known)
    return known
  }
  return rows.map((row) =>
    row.entityType === null || row.entityId === null || sees(row.entityType, row.entityId)
      ? row
      : { ...row, entityType: null, entityId: null },
  )
}
