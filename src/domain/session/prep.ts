import * as z from 'zod'
import type { Context } from '../../kernel/context.ts'
import { excerptOf } from '../../kernel/excerpt.ts'
import { limits } from '../../kernel/limits.ts'
import { groupOf, type Where } from '../../kernel/reader.ts'
import { inboxItem } from '../inbox/entity.ts'
import { objective } from '../objective/entity.ts'
import { quest } from '../quest/entity.ts'
import { arc, beat, branch } from '../story/entity.ts'
import { consentOutput, gateByConsent } from './consent.ts'
import { session } from './entity.ts'
import { newest, recapOf, recapOutput } from './recap.ts'

/** How much of each there is: in brief names and one line, of the first few; in full what one night could take. */
const share = {
  brief: { beats: 8, branches: 3, quests: 10, steps: 1, items: 6 },
  full: { beats: 50, branches: 20, quests: limits.page.most, steps: 50, items: limits.page.most },
} as const
type View = keyof typeof share

export const prepOutput = z.object({
  nextSession: session.output.nullable(),
  lastRecap: recapOutput.nullable(),
  /** What is told now, in arcs that go on. */
  activeBeats: z.array(
    beat.output
      .pick({
        id: true,
        title: true,
        arcId: true,
        arc: true,
        questId: true,
        quest: true,
        locationId: true,
        location: true,
      })
      .extend({
        /** The first ways in which it can go on; list_branches has them all. */
        branches: z.array(branch.output.pick({ id: true, label: true, condition: true, toBeatId: true, toBeat: true })),
        branchCount: z.int(),
      }),
  ),
  openQuests: z.array(
    quest.output
      .pick({
        id: true,
        title: true,
        status: true,
        giverNpcId: true,
        giverNpc: true,
        locationId: true,
        location: true,
        hidden: true,
      })
      .extend({
        /** The first that are open; list_objectives has them all. */
        openObjectives: z.array(objective.output.pick({ id: true, text: true, optional: true, hidden: true })),
        openObjectiveCount: z.int(),
      }),
  ),
  openQuestCount: z.int(),
  inbox: z.array(
    inboxItem.output.pick({
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
  /** There was more than the first beats, quests or the newest items that are given here; view full has more of them. */
  truncated: z.boolean(),
  /** What the consent gate withheld from an AI; null where a person asks. */
  consent: consentOutput.nullable(),
})

/** Arcs are looked into so many at a time, in their order, until there is enough to tell. */
const arcsAtOnce = 20

/** The first active beats of arcs that go on, in the order of their arcs, and whether arcs were left out: of many planned ones not all are looked into. */
function activeBeats(context: Context, most: number) {
  const found = []
  let cursor: string | null | undefined
  for (let looked = 0; looked < limits.page.most && found.length <= most && cursor !== null; looked += arcsAtOnce) {
    const arcs = context.read(arc).page({
      where: { status: ['active', 'planned'] },
      order: [['position', 'asc']],
      columns: ['id'],
      limit: arcsAtOnce,
      cursor,
    })
    const arcIds = arcs.items.map(({ id }) => id as number)
    const beats = context.read(beat).groupBy('arcId', arcIds, {
      where: { status: 'active' },
      order: [['position', 'asc']],
      columns: ['title', 'arcId', 'arc', 'questId', 'quest', 'locationId', 'location'],
      limit: most + 1,
    })
    found.push(...arcIds.flatMap((id) => groupOf(beats, id).items))
    cursor = arcs.nextCursor
  }
  return { found, isCut: cursor !== null }
}

/** What the story is at, and where it can go from there. */
function beatsNow(context: Context, most: (typeof share)[View]) {
  const { found: all, isCut } = activeBeats(context, most.beats)
  const now = all.slice(0, most.beats)
  const ways = context.read(branch).groupBy(
    'beatId',
    now.map(({ id }) => id),
    { where: { status: 'open' }, limit: most.branches, columns: ['label', 'condition', 'toBeatId', 'toBeat'] },
  )
  const beats = now.map((row) => {
    const { items: branches, count: branchCount } = groupOf(ways, row.id as number)
    return { ...row, branches, branchCount }
  })
  return { beats, truncated: isCut || all.length > most.beats }
}

/** Open threads for the next session. An outside AI gets the inbox through the consent gate (SPEC appendix 3), a person all of it. */
export function prepareSession(context: Context, view: View = 'brief'): z.input<typeof prepOutput> {
  const most = share[view]
  const short = (text: string | null | undefined) =>
    view === 'full' || text === null || text === undefined ? (text ?? null) : excerptOf(text)
  const order = [['position', 'asc']] as const
  const isOpen = { status: ['active', 'available'] } satisfies Where<typeof quest>
  const openQuests = context.read(quest).page({ where: isOpen, order, limit: most.quests })
  const steps = context.read(objective).groupBy(
    'questId',
    openQuests.items.map(({ id }) => id),
    { where: { done: false }, order, limit: most.steps, columns: ['text', 'optional', 'hidden'] },
  )
  const where = { status: 'open' } as const
  const open = newest(context.read(inboxItem).page({ where, order: [['id', 'desc']], limit: most.items }))
  const { ai } = context.viewer
  const gated = ai && gateByConsent(ai, { inbox: open.rows }, context.withheld(inboxItem, where))
  const story = beatsNow(context, most)
  const sessions = context.read(session)
  const firstOf = (status: 'live' | 'planned') => sessions.first({ where: { status }, order: [['number', 'asc']] })
  const lastRecapped = sessions.first({ where: { recap: { set: true } }, order: [['number', 'desc']] })
  const next = firstOf('live') ?? firstOf('planned')
  const inbox = gated?.admitted.inbox ?? open.rows
  return {
    nextSession: next && { ...next, prep: short(next.prep), recap: short(next.recap) },
    lastRecap: lastRecapped && recapOf({ ...lastRecapped, recap: short(lastRecapped.recap) }),
    activeBeats: story.beats,
    openQuests: openQuests.items.map((row) => {
      const { items: openObjectives, count: openObjectiveCount } = groupOf(steps, row.id as number)
      return { ...row, openObjectives, openObjectiveCount }
    }),
    openQuestCount: openQuests.nextCursor === null ? openQuests.items.length : context.read(quest).count(isOpen),
    inbox: inbox.map((row) => ({ ...row, body: short(row.body) ?? '' })),
    truncated: openQuests.nextCursor !== null || open.truncated || story.truncated,
    consent: gated?.consent ?? null,
  }
}
