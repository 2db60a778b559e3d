import * as z from 'zod'
import type { Context } from '../kernel/context.ts'
import type { Entity } from '../kernel/entity.ts'
import { invalid } from '../kernel/errors.ts'
import { withDefault } from '../kernel/fields.ts'
import { encodeCursor } from '../kernel/paging.ts'
import type { Order, UnfilteredReader, Where } from '../kernel/reader.ts'

// Rows in an order that people choose. Each has a position, an integer far from its neighbours', so that a row is moved by
// writing that row alone: it goes halfway between its new neighbours. Where there is no room left, as many of the rows behind
// it are moved apart as are needed to make some.

/** Between two rows that were put one behind the other. Four million fit before a number is no longer exact. */
const gap = 2 ** 30

/** How many rows behind it are moved apart where there is no room, fewest first. */
const neighbourhoods = [8, 32, 128, 512] as const

/** The room between rows after that many were moved. More is asked of many, so that they need not be moved again soon. */
function roomFor(neighbours: number): number {
  return neighbours < 512 ? Math.max(1, 4 * neighbours ** 2) : 1
}

/** The field that says where a row stands. */
export const position = () => withDefault(z.int(), 0, { place: true })

interface Placed {
  readonly id: number
  readonly position: number
}

/** The rows of one order: of a campaign, or of the parent that they go with. */
export interface Places {
  /** Null for a row that is none of this order. */
  find(id: number): Placed | null
  /** The first rows behind a place, or from the beginning. */
  behind(place: Placed | null, limit: number): readonly Placed[]
  /** Where the last row is; null where there is none. */
  last(): number | null
  put(id: number, position: number): void
}

type AnyReader = Pick<UnfilteredReader<Entity>, 'find' | 'page'>

/** The order of an entity with a field `position`, of those rows that pass. Whole rows: hidden ones have their place too. */
export function placesOf<E extends Entity>(context: Context<unknown>, entity: E, where: Where<E> = {}): Places {
  const rows = context.unfiltered(entity) as unknown as AnyReader
  const page = (direction: 'asc' | 'desc', limit: number, behind: Placed | null): readonly Placed[] => {
    const order = [['position', direction]] as unknown as Order<Entity>
    const cursor = behind === null ? undefined : encodeCursor([behind.position, behind.id])
    const columns = ['position'] as never
    const query = { where: where as Where<Entity>, order, columns, limit, cursor }
    return rows.page(query).items as unknown as readonly Placed[]
  }
  return {
    find(id) {
      const row = rows.find(id) as Readonly<Record<string, unknown>> | null
      const isOfIt = row !== null && Object.entries(where).every(([key, value]) => row[key] === value)
      return isOfIt ? (row as unknown as Placed) : null
    },
    behind: (place, limit) => page('asc', limit, place),
    last: () => page('desc', 1, null)[0]?.position ?? null,
    put: (id, position) => context.write(entity).update(id, { position } as never),
  }
}

/** The members of an input that say which rows are placed and behind which, for what is said of them. */
export interface PlacingMembers {
  readonly rows: string
  readonly after: string
}

/** The position of a new row: behind all. */
export function lastPosition(places: Places): number {
  return (places.last() ?? 0) + gap
}

/**
 * Puts rows one behind the other, first of all or right behind `after`. It writes those rows and, where they find no room,
 * up to 512 of the rows behind them; nothing where they stand so already. Returns the rows that were named.
 * Throws `validation_failed` on an id that is none of this order, is named twice, or is to stand behind itself.
 */
export function placeRows(
  places: Places,
  named: readonly number[],
  after: number | undefined,
  members: PlacingMembers,
): number[] {
  const wanted = new Set(named)
  if (wanted.size !== named.length) throw invalid(members.rows, 'an id is named twice')
  if (after !== undefined && wanted.has(after)) throw invalid(members.after, `row ${after} cannot stand behind itself`)
  const left = after === undefined ? null : placed(places, after, members.after)
  const moving = named.map((id) => placed(places, id, members.rows))
  const atPlace = places.behind(left, named.length)
  if (atPlace.length === named.length && atPlace.every(({ id }, index) => id === named[index])) return [...named]
  for (const [id, position] of assigned(places, left, moving, wanted)) places.put(id, position)
  return [...named]
}

function placed(places: Places, id: number, member: string): Placed {
  const row = places.find(id)
  if (row === null) throw invalid(member, `there is no row ${id} here to put in order`)
  return row
}

/** New positions: of the rows that move, and of as many behind them as make room. */
function assigned(
  places: Places,
  left: Placed | null,
  moving: readonly Placed[],
  wanted: ReadonlySet<number>,
): readonly (readonly [id: number, position: number])[] {
  const behind = (count: number): readonly Placed[] =>
    places
      .behind(left, count + moving.length)
      .filter(({ id }) => !wanted.has(id))
      .slice(0, count)
  for (let neighbours = 0; ; neighbours = widened(neighbours)) {
    const rows = behind(neighbours + 1)
    const pushed = rows.slice(0, neighbours)
    const right = rows[neighbours]?.position ?? null
    const run = [...moving, ...pushed]
    const step = stepBetween(left?.position ?? null, right, run.length)
    if (step < roomFor(neighbours)) continue
    const start = left?.position ?? (right === null ? 0 : right - step * (run.length + 1))
    return run.map(({ id }, index) => [id, start + step * (index + 1)] as const)
  }
}

function widened(neighbours: number): number {
  return neighbourhoods.find((each) => each > neighbours) ?? neighbours * 2
}

/** How far apart so many rows come to stand between two positions, or from one on where there is no other. */
function stepBetween(left: number | null, right: number | null, count: number): number {
  return left === null || right === null ? gap : Math.min(gap, Math.floor((right - left) / (count + 1)))
}
