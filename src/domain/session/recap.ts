import * as z from 'zod'
import type { Context } from '../../kernel/context.ts'
import type { VisibleRowOf } from '../../kernel/entity.ts'
import { limits } from '../../kernel/limits.ts'
import type { Page } from '../../kernel/paging.ts'
import { groupOf } from '../../kernel/reader.ts'
import { inboxItem } from '../inbox/entity.ts'
import { note } from '../note/entity.ts'
import { objective } from '../objective/entity.ts'
import { quest } from '../quest/entity.ts'
import { consentOutput, gateByConsent, ungated } from './consent.ts'
import { session } from './entity.ts'
import { recapOutline, type Span, spanBetween, within } from './rules.ts'

type Session = VisibleRowOf<typeof session>

export const recapOutput = session.output
  .pick({ number: true, title: true, playedAt: true })
  .extend({ sessionId: session.output.shape.id, recap: z.string() })

export function recapOf({ id, number, title, playedAt, recap }: Session): z.input<typeof recapOutput> {
  return { sessionId: id, number, title, playedAt, recap: recap ?? '' }
}

const questOutput = quest.output.pick({ id: true, title: true, status: true }).extend({
  /** The first 50 in order; list_objectives has them all. */
  objectives: z.array(objective.output.pick({ id: true, text: true, done: true, optional: true })),
  objectiveCount: z.int(),
})

/** Nothing in it is the Dungeon Master's alone: what is drafted from it is for players to read. */
export const draftOutput = z.object({
  /** Null while no session was played yet. */
  session: session.output
    .pick({
      id: true,
      number: true,
      title: true,
      status: true,
      playedAt: true,
      startedAt: true,
      endedAt: true,
      recap: true,
    })
    .nullable(),
  previousRecap: recapOutput.nullable(),
  outline: z.array(z.object({ heading: z.string(), points: z.array(z.string()) })),
  sources: z.object({
    inboxItems: z.array(
      inboxItem.output.pick({
        id: true,
        body: true,
        status: true,
        resolution: true,
        authorUserId: true,
        authorUser: true,
        entityType: true,
        entityId: true,
        entity: true,
        createdAt: true,
      }),
    ),
    notes: z.array(
      note.output.pick({
        id: true,
        body: true,
        authorUserId: true,
        authorUser: true,
        entityType: true,
        entityId: true,
        entity: true,
        createdAt: true,
      }),
    ),
    quests: z.array(questOutput),
  }),
  /** There was more than the newest of a kind that are given here. */
  truncated: z.boolean(),
  consent: consentOutput,
})

/**
 * Source material for the recap of a session, or of the last one that began: what members passed on and noted for the
 * party since the session before, for an outside AI through the consent gate, and which quests moved. Notes to the DM, private
 * notes, whispers and hidden quests are no source. Throws `not_found`.
 */
export function draftRecap(context: Context, sessionId: number | undefined): z.input<typeof draftOutput> {
  const row = sessionId === undefined ? lastBegun(context) : context.read(session).get(sessionId)
  const previous = row && begunBeside(context, row, 'before')
  const span = spanBetween(previous, row && begunBeside(context, row, 'after'))
  const where = { createdAt: within(span) }
  const inboxItems = newest(context.read(inboxItem).page({ where, order: byArrival, limit: limits.page.most }))
  const notes = partyNotes(context, row, span)
  const { ai } = context.viewer
  const sources = { inboxItems: inboxItems.rows, notes: notes.rows }
  const { admitted, consent } =
    ai === null
      ? ungated(context.consentTerms.policy, sources)
      : gateByConsent(ai, sources, context.withheld(inboxItem, where) + notes.withheld)
  const quests = questsMoved(context, span)
  const previousRecap = row && recapBefore(context, row)
  return {
    session: row,
    previousRecap,
    outline: recapOutline({
      session: row,
      previousRecap,
      quests: quests.rows,
      notes: admitted.notes,
      inboxItems: admitted.inboxItems,
    }),
    sources: {
      inboxItems: admitted.inboxItems,
      notes: admitted.notes,
      quests: quests.rows,
    },
    truncated: inboxItems.truncated || notes.truncated || quests.truncated,
    consent,
  }
}

/** The last session that began; null while none was played. */
export function lastBegun(context: Context): Session | null {
  return context.read(session).first({ where: { status: ['live', 'played'] }, order: [['number', 'desc']] })
}

function begunBeside(context: Context, { number }: Session, side: 'before' | 'after'): Session | null {
  const [range, direction] =
    side === 'before' ? ([{ to: number - 1 }, 'desc'] as const) : ([{ from: number + 1 }, 'asc'] as const)
  const where = { status: ['live', 'played'], number: range }
  return context.read(session).first({ where, order: [['number', direction]] })
}

function recapBefore(context: Context, { number }: Session): z.input<typeof recapOutput> | null {
  const where = { recap: { set: true }, number: { to: number - 1 } } as const
  const row = context.read(session).first({ where, order: [['number', 'desc']] })
  return row && recapOf(row)
}

const byArrival = [['createdAt', 'desc']] as const

/** Party notes of the session, and those of its time that belong to no session. */
function partyNotes(context: Context, row: Session | null, span: Span) {
  const page = (asked: { readonly sessionId: number | null; readonly createdAt?: ReturnType<typeof within> }) => {
    const where = { visibility: 'party', ...asked } as const
    const order = asked.createdAt === undefined ? ([['id', 'desc']] as const) : byArrival
    const found = context.read(note).page({ where, order, limit: limits.page.most })
    return { ...newest(found), withheld: context.withheld(note, where) }
  }
  const loose = page({ sessionId: null, createdAt: within(span) })
  const attached = row === null ? { rows: [], truncated: false, withheld: 0 } : page({ sessionId: row.id })
  return {
    rows: [...attached.rows, ...loose.rows].sort((one, other) => one.id - other.id),
    truncated: attached.truncated || loose.truncated,
    withheld: attached.withheld + loose.withheld,
  }
}

/** Quests that players know and that changed, themselves or in a step of theirs, with all their known steps. */
function questsMoved(context: Context, span: Span) {
  const where = { hidden: false, updatedAt: within(span) }
  const order = [['updatedAt', 'desc']] as const
  const quests = context.read(quest).page({ where, order, columns: [], limit: limits.page.most })
  const steps = context.read(objective).page({ where, order, columns: ['questId'], limit: limits.page.most })
  const ids = Array.from(new Set([...quests.items.map(({ id }) => id), ...steps.items.map(({ questId }) => questId)]))
  const inOrder = [['position', 'asc']] as const
  const known = context.read(quest).all({
    where: { id: ids, hidden: false },
    order: inOrder,
    columns: ['title', 'status'],
  })
  const objectives = context.read(objective).groupBy('questId', ids, {
    where: { hidden: false },
    order: inOrder,
    columns: ['text', 'done', 'optional'],
    limit: 50,
  })
  const rows = known.map((each) => {
    const { items, count } = groupOf(objectives, each.id as number)
    return { ...each, objectives: items, objectiveCount: count }
  })
  return { rows, truncated: quests.nextCursor !== null || steps.nextCursor !== null }
}

/** The newest rows, the oldest of them first. */
export function newest<T>({ items, nextCursor }: Page<T>): { readonly rows: T[]; readonly truncated: boolean } {
  return { rows: items.toReversed(), truncated: nextCursor !== null }
}
