import * as z from 'zod'
import type { Context } from '../../kernel/context.ts'
import { groupOf } from '../../kernel/reader.ts'
import { session } from '../session/entity.ts'
import { arc, beat, branch } from './entity.ts'
import type { BeatStatus, Story } from './rules.ts'

/** How many ways out come along with a beat; list_branches has them all. */
const mostWays = 50

export const progressOutput = z.object({ done: z.int(), total: z.int() })
export const arcOutput = arc.output.extend({
  /** Told beats, and all of them. */
  progress: progressOutput,
})

/** Arcs with how much of each is told, counted in two statements for all of them. */
export function withTold<T extends { readonly id: number }>(context: Context, arcs: readonly T[]) {
  const arcId = arcs.map(({ id }) => id)
  const beats = context.read(beat)
  const [total, done] = [beats.countBy('arcId', { arcId }), beats.countBy('arcId', { arcId, status: 'done' })]
  return arcs.map((row) => ({ ...row, progress: { done: done.get(row.id) ?? 0, total: total.get(row.id) ?? 0 } }))
}

const wayOutput = branch.output.pick({
  id: true,
  label: true,
  condition: true,
  status: true,
  toBeatId: true,
  toBeat: true,
})
/** Where a beat can lead: the first of its ways out, and how many there are. */
export const waysOutput = { branches: z.array(wayOutput), branchCount: z.int() }

/** Beats with where they can lead, in one statement for all of them. */
export function withWays<T extends { readonly id: number }>(context: Context, beats: readonly T[]) {
  const columns = ['label', 'condition', 'status', 'toBeatId', 'toBeat'] as const
  const ids = beats.map(({ id }) => id)
  const ways = context.read(branch).groupBy('beatId', ids, { limit: mostWays, columns })
  return beats.map((row) => {
    const { items, count } = groupOf(ways, row.id as number)
    return { ...row, branches: items, branchCount: count }
  })
}

const arrivalOutput = branch.output.pick({ id: true, label: true, status: true, beatId: true, beat: true })
export const beatDetail = beat.output.extend({
  ...waysOutput,
  /** What leads here: the first 50, and how many there are. */
  arrivals: z.array(arrivalOutput),
  arrivalCount: z.int(),
})

export function detailOf(context: Context, beatId: number) {
  const [row] = withWays(context, [context.read(beat).get(beatId)])
  const columns = ['label', 'status', 'beatId', 'beat'] as const
  const { items, count } = groupOf(
    context.read(branch).groupBy('toBeatId', [beatId], { limit: mostWays, columns }),
    beatId,
  )
  if (row === undefined) throw new Error('a beat that is there has its ways')
  return { ...row, arrivals: items, arrivalCount: count }
}

interface Placed {
  readonly id: number
  readonly position: number
}

/** In the order of their arcs. Sorted here: the index of places begins with the arc. */
export function inOrder<T extends Placed>(beats: readonly T[]): T[] {
  return beats.toSorted((one, other) => one.position - other.position || one.id - other.id)
}

/** All of the campaign's story, without its words: 25 statements for 5,000 beats. */
export function wholeStory(context: Context): Story {
  return {
    beats: inOrder([...context.read(beat).each({ columns: ['arcId', 'status', 'position'] })]),
    branches: [...context.read(branch).each({ columns: ['beatId', 'toBeatId', 'status'] })],
  }
}

/**
 * What else a beat's new state says: one that is told was told in the session that is live, where there is one.
 */
export function toldIn(context: Context, status: BeatStatus | undefined): { readonly sessionId?: number } {
  if (status !== 'done') return {}
  const live = context.read(session).first({ where: { status: 'live' }, columns: ['id'] })
  return live === null ? {} : { sessionId: live.id }
}

/** A beat that is to come again, or now again, has all its ways open. */
export function reopen(context: Context, beatId: number, status: BeatStatus | undefined): void {
  if (status !== 'planned' && status !== 'active') return
  const chosen = context.read(branch).each({ where: { beatId, status: ['taken', 'not_taken'] }, columns: ['id'] })
  for (const { id } of [...chosen]) context.write(branch).update(id, { status: 'open' })
}
