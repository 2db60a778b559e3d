import * as z from 'zod'
import type { Context } from '../../kernel/context.ts'
import type { FieldsOf, NewRow, VisibleRowOf } from '../../kernel/entity.ts'
import { fail, invalid } from '../../kernel/errors.ts'
import { kindOfThing, userId } from '../../kernel/fields.ts'
import { defineOperation } from '../../kernel/operation.ts'
import { listInput, pageOf } from '../../kernel/paging.ts'
import { campaign } from '../campaign/entity.ts'
import { member } from '../member/entity.ts'
import { deletes, trashedOutput } from '../plain.ts'
import { session } from '../session/entity.ts'
import { note, noteVisibility } from './entity.ts'

type Note = VisibleRowOf<typeof note>

/** What an author chooses; a whisper is sent. */
const chosenVisibility = noteVisibility.exclude(['whisper'])

/** A note written while a session is live belongs to it, unless another session is named. */
function write(context: Context, values: Omit<NewRow<FieldsOf<typeof note>>, 'authorUserId'>): Note {
  const live = context.read(session).first({ where: { status: 'live' }, columns: ['id'] })
  const sessionId = values.sessionId ?? live?.id
  const id = context.write(note).insert({ ...values, sessionId, authorUserId: context.actor.userId })
  return context.read(note).get(id)
}

export const noteOperations = {
  list_notes: defineOperation({
    name: 'list_notes',
    title: 'List notes',
    description: 'Notes the caller may see, newest first.',
    toolset: 'journal',
    access: 'viewer',
    effect: 'read',
    route: 'GET /campaigns/{campaignId}/notes',
    input: z.strictObject({
      campaignId: campaign.id,
      entityType: kindOfThing.linked.optional(),
      entityId: z.int().min(1).optional(),
      sessionId: session.id.optional(),
      visibility: noteVisibility.optional(),
      authorUserId: userId().optional(),
      ...listInput,
    }),
    output: pageOf(note.listed),
    example: (world) => ({ campaignId: world.id('campaign') }),
    handle(context, { entityType, entityId, sessionId, visibility, authorUserId, ...page }) {
      if (entityType === undefined && entityId !== undefined) {
        throw invalid('entityType', 'goes with entityId', 'entityId needs entityType.')
      }
      if (entityType !== undefined) context.entity(entityType, 'linked')
      return context.read(note).list(page, {
        where: { entityType, entityId, sessionId, visibility, authorUserId },
        order: [['id', 'desc']],
      })
    },
  }),
  get_note: defineOperation({
    name: 'get_note',
    title: 'Get note',
    description: 'One note.',
    toolset: 'journal',
    access: 'viewer',
    effect: 'read',
    route: 'GET /notes/{noteId}',
    input: z.strictObject({ noteId: note.id }),
    output: note.output,
    example: (world) => ({ noteId: world.id('note', 'party') }),
    handle: (context, { noteId }) => context.read(note).get(noteId),
  }),
  create_note: defineOperation({
    name: 'create_note',
    title: 'Create note',
    description: 'For oneself (private, unless said), the DM or the party.',
    toolset: 'journal',
    access: 'player',
    effect: 'write',
    route: 'POST /campaigns/{campaignId}/notes',
    creates: true,
    input: z.strictObject({
      campaignId: campaign.id,
      ...note.create('body', 'entityType', 'entityId', 'sessionId'),
      visibility: chosenVisibility.optional(),
    }),
    output: note.output,
    example: (world) => ({
      campaignId: world.id('campaign'),
      body: 'Ask Marta for the page before the bell rings.',
      visibility: 'party' as const,
      entityType: 'npc',
      entityId: world.id('npc'),
    }),
    handle: (context, { campaignId: _, visibility, ...values }) =>
      write(context, { ...values, visibility: visibility ?? 'private' }),
  }),
  update_note: defineOperation({
    name: 'update_note',
    title: 'Update note',
    description: "One's own.",
    toolset: 'journal',
    access: 'author',
    effect: 'write',
    route: 'PATCH /notes/{noteId}',
    input: z.strictObject({ noteId: note.id, ...note.update('body'), visibility: chosenVisibility.optional() }),
    output: note.output,
    example: (world) => ({ noteId: world.id('note', 'own'), body: 'Marta has the page. She wants silver for it.' }),
    handle(context, { noteId, expectedRevision, ...patch }) {
      if (patch.visibility !== undefined && context.read(note).get(noteId).visibility === 'whisper') {
        throw fail('invalid_state', 'A whisper stays between its two people. Write a new note instead.')
      }
      context.write(note).update(noteId, patch, expectedRevision)
      return context.read(note).get(noteId)
    },
  }),
  delete_note: defineOperation({
    name: 'delete_note',
    title: 'Delete note',
    description: "One's own, to the trash.",
    toolset: 'journal',
    access: 'author',
    effect: 'destroy',
    route: 'DELETE /notes/{noteId}',
    input: z.strictObject({ noteId: note.id }),
    output: trashedOutput,
    example: (world) => ({ noteId: world.id('note', 'own') }),
    handle: deletes(note, 'noteId'),
  }),
  send_whisper: defineOperation({
    name: 'send_whisper',
    title: 'Send whisper',
    description: 'Note that only one other member reads (list_members).',
    toolset: 'journal',
    access: 'player',
    effect: 'write',
    route: 'POST /campaigns/{campaignId}/whispers',
    creates: true,
    input: z.strictObject({
      campaignId: campaign.id,
      recipientUserId: userId(),
      ...note.create('body', 'entityType', 'entityId'),
    }),
    output: note.output,
    example: (world) => ({
      campaignId: world.id('campaign'),
      recipientUserId: world.id('user', 'other_member'),
      body: 'I kept the ferryman’s coin.',
    }),
    handle(context, { campaignId: _, recipientUserId, ...values }) {
      if (
        recipientUserId === context.actor.userId ||
        context.read(member).count({ userId: recipientUserId, accepted: true }) === 0
      ) {
        throw invalid(
          'recipientUserId',
          'not another member',
          'recipientUserId: not another member of this campaign. list_members finds user ids.',
        )
      }
      return write(context, { ...values, recipientUserId, visibility: 'whisper' })
    },
  }),
}
