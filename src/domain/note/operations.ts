import * as z from 'zod'
import type { Context, Query } from '../../kernel/context.ts'
import type { FieldsOf, NewRow, VisibleRowOf } from '../../kernel/entity.ts'
import { fail, invalid } from '../../kernel/errors.ts'
import { userId } from '../../kernel/fields.ts'
import { limits } from '../../kernel/limits.ts'
import { defineOperation } from '../../kernel/operation.ts'
import { type Page, type PageRequest, pageFrom, pageInput, pageOf } from '../../kernel/paging.ts'
import { campaign } from '../campaign/entity.ts'
import { member } from '../member/entity.ts'
import { deletes, trashedOutput } from '../plain.ts'
import { session } from '../session/entity.ts'
import { checkAttached, note, noteVisibility, seesThing, withVisibleThing } from './entity.ts'
import { holdsWords } from './rules.ts'

type Note = VisibleRowOf<typeof note>

/** What an author chooses; a whisper is sent. */
const chosenVisibility = noteVisibility.exclude(['whisper'])

function shown(context: Context, row: Note): Note {
  return withVisibleThing(context, [row])[0] ?? row
}

/** A note written while a session is live belongs to it, unless another session is named. */
function write(context: Context, values: Omit<NewRow<FieldsOf<typeof note>>, 'authorUserId'>): Note {
  checkAttached(context, values)
  const live = context.read(session).all({ where: { status: 'live' } })[0]
  const sessionId = values.sessionId ?? live?.id
  const id = context.write(note).insert({ ...values, sessionId, authorUserId: context.actor.userId })
  return shown(context, context.read(note).get(id))
}

/** A page of the notes that pass `keep`, in the order of `query`. It reads on until the page is full or no note is left. */
function pageOfKept(
  context: Context,
  query: Query<typeof note>,
  page: PageRequest,
  keep: (row: Note) => boolean,
): Page<Note> {
  let withheld: number | undefined
  function* kept(): Generator<Note> {
    let { cursor } = page
    do {
      const batch = context.read(note).page({ ...query, limit: limits.page.most, cursor })
      if (batch.withheld !== undefined) withheld ??= 0
      for (const row of withVisibleThing(context, batch.items)) {
        if (keep(row)) yield row
        if (withheld !== undefined && 'textWithheld' in row) withheld += 1
      }
      cursor = batch.nextCursor ?? undefined
    } while (cursor !== undefined)
  }
  return { ...pageFrom(page, kept, ({ id }) => [id]), withheld }
}

export const noteOperations = {
  list_notes: defineOperation({
    name: 'list_notes',
    title: 'List notes',
    description: 'Notes the caller may see, newest first. query keeps those that hold all its words.',
    toolset: 'journal',
    access: 'viewer',
    effect: 'read',
    route: 'GET /campaigns/{campaignId}/notes',
    input: z.strictObject({
      campaignId: campaign.id,
      entityType: z.string().max(40).optional(),
      entityId: z.int().min(1).optional(),
      sessionId: session.id.optional(),
      visibility: noteVisibility.optional(),
      authorUserId: userId().optional(),
      query: z.string().trim().min(1).max(limits.query).optional(),
      ...pageInput,
    }),
    output: pageOf(note.output),
    example: (world) => ({ campaignId: world.id('campaign') }),
    handle(context, { entityType, entityId, sessionId, visibility, authorUserId, query, limit, cursor }) {
      const page = { limit, cursor }
      if (entityType === undefined && entityId !== undefined) {
        throw invalid('entityType', 'goes with entityId', 'entityId needs entityType.')
      }
      if (entityType !== undefined) context.entity(entityType)
      // Whoever does not see the thing does not learn what is attached to it, nor that something is.
      if (entityType !== undefined && entityId !== undefined && !seesThing(context, entityType, entityId)) {
        return { items: [], nextCursor: null }
      }
      const listed = {
        where: { entityType, entityId, sessionId, visibility, authorUserId },
        order: [['id', 'desc']],
      } as const
      if (entityType === undefined && query === undefined) {
        const found = context.read(note).page({ ...listed, ...page })
        return { ...found, items: withVisibleThing(context, found.items) }
      }
      const keep = (row: Note): boolean =>
        (entityType === undefined || row.entityType !== null) && (query === undefined || holdsWords(row.body, query))
      return pageOfKept(context, listed, page, keep)
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
    handle: (context, { noteId }) => shown(context, context.read(note).get(noteId)),
  }),
  create_note: defineOperation({
    name: 'create_note',
    title: 'Create note',
    description:
      'Note for oneself (private, unless said otherwise), for the DM or for the party; may be attached to a thing.',
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
    description: "Change one's own note. Who reads a whisper stays as it was sent.",
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
      return shown(context, context.read(note).get(noteId))
    },
  }),
  delete_note: defineOperation({
    name: 'delete_note',
    title: 'Delete note',
    description: "Move one's own note to the trash.",
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
    description: 'Note that only one other member reads. list_members finds user ids.',
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
      if (recipientUserId === context.actor.userId || context.read(member).count({ userId: recipientUserId }) === 0) {
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
