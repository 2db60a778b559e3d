import type { RowOf } from '../../kernel/entity.ts'
import type { session } from './entity.ts'

type Times = Pick<RowOf<typeof session>, 'startedAt' | 'endedAt' | 'playedAt' | 'createdAt'>

/** Instants, both included; null is open. */
export interface Span {
  readonly from: string | null
  readonly to: string | null
}

/**
 * When what belongs to a session was written: after the one before it ended, until the one after it began. A session that
 * was entered later has only its day; then the whole day in UTC counts as its own.
 */
export function spanBetween(previous: Times | null, next: Times | null): Span {
  return {
    from: previous && (previous.endedAt ?? previous.startedAt ?? endOfDay(previous.playedAt) ?? previous.createdAt),
    to: next && (next.startedAt ?? startOfDay(next.playedAt) ?? next.createdAt),
  }
}

/** A span as a test on a field. */
export function within({ from, to }: Span): { readonly from?: string; readonly to?: string } {
  return { ...(from === null ? {} : { from }), ...(to === null ? {} : { to }) }
}

function startOfDay(day: string | null): string | null {
  return day === null ? null : `${day}T00:00:00.000Z`
}

function endOfDay(day: string | null): string | null {
  return day === null ? null : `${day}T23:59:59.999Z`
}

/** Whole minutes between two instants, rounded; null where the beginning is not known. */
export function minutesBetween(startedAt: string | null, endedAt: string): number | null {
  return startedAt === null ? null : Math.max(0, Math.round((Date.parse(endedAt) - Date.parse(startedAt)) / 60_000))
}

export interface OutlineSources {
  readonly session: { readonly number: number; readonly title: string | null } | null
  readonly previousRecap: { readonly number: number; readonly recap: string } | null
  readonly quests: readonly {
    readonly title: string
    readonly status: string
    readonly objectives: readonly { readonly text: string; readonly done: boolean }[]
  }[]
  readonly notes: readonly { readonly body: string }[]
  readonly inboxItems: readonly { readonly body: string }[]
}

export interface OutlinePart {
  readonly heading: string
  readonly points: string[]
}

/** The parts a recap usually has, with the first line of what there is for each. Parts without any are left out. */
export function recapOutline({ session, previousRecap, quests, notes, inboxItems }: OutlineSources): OutlinePart[] {
  const steps = (done: boolean): string[] =>
    quests.flatMap(({ title, objectives }) =>
      objectives.filter((each) => each.done === done).map(({ text }) => `${title}: ${text}`),
    )
  const parts = [
    {
      heading: 'Before',
      points: previousRecap === null ? [] : [`Session ${previousRecap.number}: ${firstLine(previousRecap.recap)}`],
    },
    { heading: session === null ? 'Now' : `Session ${session.number}`, points: session?.title ? [session.title] : [] },
    { heading: 'What the table noted', points: [...notes, ...inboxItems].map(({ body }) => firstLine(body)) },
    { heading: 'Quests', points: quests.map(({ title, status }) => `${title}: ${status.replace('_', ' ')}`) },
    { heading: 'Done', points: steps(true) },
    { heading: 'Still open', points: steps(false) },
  ]
  return parts.filter(({ points }) => points.length > 0)
}

const lineLength = 160

function firstLine(text: string): string {
  const line = text.trim().split('\n', 1)[0] ?? ''
  if (line.length <= lineLength) return line
  // A pair of surrogates is not cut in two.
  return `${line
    .slice(0, lineLength)
    .replace(/[\ud800-\udbff]$/, '')
    .trimEnd()}…`
}
