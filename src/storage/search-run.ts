import Database, { type Database as Connection, type Statement } from 'better-sqlite3'
import { foldText } from '../kernel/sort-key.ts'
import type { SqlValue } from './columns.ts'
import { planKept } from './plan-kept.ts'
import { snippetOf } from './search-snippets.ts'
import {
  beginningsExpression,
  keptBeginnings,
  matchExpression,
  mistakesFor,
  nextTermSql,
  occurrencesOf,
  type SearchWord,
  termsIn,
} from './search-words.ts'

// A search in three steps, each of which stops when the time is up and says so:
//
// 1. collect what holds the words and is seen, the newest first, no more than can be ranked; beyond that only titles; where
//    there is nothing, the titles that are nearly what was asked for
// 2. rank by a bounded beginning of each text
// 3. read the page and make its snippets
//
// It is plain data in and out, since it runs on a thread of its own.

/** What a search asks of the database. The statements bind `bindings` and what is said at each. */
export interface SearchPlan {
  readonly words: readonly SearchWord[]
  /** In which columns the words are looked for, and in which where so much answers that only the newest is looked at. */
  readonly columns: { readonly all: string; readonly beyond: string }
  /** Everything is asked for, in place of words. */
  readonly isUnasked: boolean
  /** Whether the words of its index are found in `search_text_terms`. */
  readonly hasTerms: boolean
  readonly bindings: Readonly<Record<string, SqlValue>>
  /**
   * Each gives `id`, `turn` and `seen` of what answers `@match`, by falling turn where there are several. One row is one step, so
   * that the time can be looked at after each.
   */
  readonly candidates: readonly string[]
  /** Gives what of a document (`@id`) it is ranked by, each text no longer than `@length`. */
  readonly excerpt: string
  /** Each gives `id` and `title` of what has one, seen or not: of the newest, and of those in which `@match` stands. */
  readonly titles: readonly string[]
  readonly titlesThatBegin: readonly string[]
  /** Gives a row where a document (`@id`) is seen. */
  readonly isSeen: string
  /** Gives a document (`@id`) as a hit, with `body` and `secret` as far as they are readable. */
  readonly hit: string
  readonly offset: number
  readonly size: number
}

type Row = Readonly<Record<string, SqlValue>>

export interface Found {
  /** Each with its `snippet`. */
  readonly hits: readonly Row[]
  /** Whether there is more behind this page. */
  readonly more: boolean
  /** What was not looked at: what is older than the newest that answer (`older`), or whatever the time did not suffice for. */
  readonly leftOut: 'older' | 'time' | null
}

/** How many documents are ranked. */
const mostRanked = 1000
/** How much of a text counts for its rank, in characters. */
const rankedLength = 1000
/** How many titles are offered that are only nearly what was asked for. */
const mostNear = 50

/** A connection, as far as a search uses it. */
export type Searched = Pick<Connection, 'prepare' | 'transaction'>

/** Runs a search. `mayGoOn` is asked again and again; from its first no on the search only comes to an end. */
export function runSearch(connection: Searched, plan: SearchPlan, mayGoOn: () => boolean): Found {
  let isLate = false
  const goesOn = (): boolean => {
    isLate ||= !mayGoOn()
    return !isLate
  }
  // One view of the database for all of its statements.
  return connection.transaction(() => {
    const { ids, isCut } = collect(connection, plan, goesOn)
    const isExact = ids.length > 0
    const ordered = isExact ? ranked(connection, plan, ids, goesOn) : nearly(connection, plan, goesOn)
    const read = connection.prepare(plan.hit)
    const hits = ordered.slice(plan.offset, plan.offset + plan.size).map((id) => {
      const row = read.get({ ...plan.bindings, id }) as Row
      return hitOf(row, plan.words, goesOn)
    })
    const more = ordered.length > plan.offset + plan.size
    return { hits, more, leftOut: isLate ? ('time' as const) : isCut ? ('older' as const) : null }
  })()
}

/** What answers and is seen, and whether there is more than can be ranked. */
function collect(connection: Searched, plan: SearchPlan, goesOn: () => boolean): { ids: number[]; isCut: boolean } {
  const ids = new Set<number>()
  const step = plan.hasTerms ? connection.prepare(nextTermSql).pluck() : null
  const terms = step === null ? undefined : termsIn((from, to) => step.get({ from, to }) as string | undefined)
  let isCut = false
  for (const columns of [plan.columns.all, plan.columns.beyond]) {
    const match = plan.isUnasked ? '' : matchExpression(plan, columns, terms)
    if (match === null) continue
    let found = 0
    for (const { id, seen } of inTurn(connection, plan, match)) {
      if (!goesOn()) return { ids: Array.from(ids), isCut }
      if (seen !== 1) continue
      found += 1
      if (found > mostRanked) {
        isCut = true
        break
      }
      ids.add(id as number)
    }
    if (!isCut) break
  }
  return { ids: Array.from(ids), isCut }
}

/** What answers, from all sources by their turns. */
function* inTurn(connection: Searched, { candidates, bindings }: SearchPlan, match: string): Generator<Row, void> {
  const sources = candidates.map(
    (sql) => connection.prepare(sql).iterate({ ...bindings, match }) as IterableIterator<Row>,
  )
  try {
    const heads = sources.map((rows) => rows.next())
    for (;;) {
      let first = -1
      for (const [index, { done, value }] of heads.entries()) {
        if (done) continue
        if (first < 0 || (value.turn as number) > (heads[first]?.value.turn as number)) first = index
      }
      const head = heads[first]
      if (head === undefined || head.done) return
      yield head.value
      heads[first] = (sources[first] as IterableIterator<Row>).next()
    }
  } finally {
    for (const rows of sources) rows.return?.()
  }
}

/**
 * Best first: how often the words stand in a text, most of all in its title, for its length. It looks at nothing but texts of
 * that document which the viewer may read: `bm25` would also weigh secret texts and other people's rows, and the order of the
 * hits would tell of them.
 */
function ranked(connection: Searched, plan: SearchPlan, ids: readonly number[], goesOn: () => boolean): number[] {
  const excerpt = connection.prepare(plan.excerpt)
  const occurrences = occurrencesOf(plan.words)
  const rank = (id: number): number => {
    if (!goesOn()) return 0
    const { title, body, secret } = excerpt.get({ ...plan.bindings, id, length: rankedLength }) as Record<
      string,
      string
    >
    const [titled, ...others] = [title, body, secret].map((text) => occurrences(foldText(text ?? ''))) as [
      number,
      number,
    ]
    const length = [title, body, secret].reduce((sum, text) => sum + (text?.length ?? 0), 0)
    return (8 * titled + others.reduce((sum, each) => sum + each, 0)) / (200 + length)
  }
  return ids
    .map((id) => ({ id, rank: rank(id) }))
    .sort((a, b) => b.rank - a.rank || a.id - b.id)
    .map(({ id }) => id)
}

/** What has a title that is nearly what was asked for: somebody wrote the name as they heard it. */
function nearly(connection: Searched, plan: SearchPlan, goesOn: () => boolean): number[] {
  if (plan.words.length === 0) return []
  const near = new Map<number, number>()
  const mistakesIn = mistakesFor(plan.words)
  const look = (sql: string, bindings: SearchPlan['bindings']): void => {
    for (const { id, title } of connection.prepare(sql).iterate(bindings) as Iterable<Row>) {
      if (!goesOn()) return
      const mistakes = mistakesIn(String(title))
      if (mistakes !== null) near.set(id as number, mistakes)
    }
  }
  for (const sql of plan.titles) look(sql, plan.bindings)
  for (const length of keptBeginnings) {
    const match = beginningsExpression(plan.words, length)
    if (match !== null) for (const sql of plan.titlesThatBegin) look(sql, { ...plan.bindings, match })
  }
  const seen: number[] = []
  const isSeen = connection.prepare(plan.isSeen)
  const ordered = Array.from(near, ([id, mistakes]) => ({ id, mistakes }))
  for (const { id } of ordered.sort((a, b) => a.mistakes - b.mistakes || a.id - b.id)) {
    if (seen.length >= mostNear || !goesOn()) break
    if (isSeen.get({ ...plan.bindings, id }) !== undefined) seen.push(id)
  }
  return seen
}

function hitOf({ body, secret, ...row }: Row, words: readonly SearchWord[], goesOn: () => boolean): Row {
  const of = (text: SqlValue | undefined) => snippetOf(String(text ?? ''), words, goesOn)
  const open = of(body)
  const other = open.found || secret === '' ? open : of(secret)
  return { ...row, snippet: other.found ? other.text : open.text }
}

export interface SearchPayload {
  /** The database file. */
  readonly path: string
  readonly plan: SearchPlan
  readonly withinMs: number
}

const statementsKept = 60

/** The connection with its statements kept, and their plans: making either takes longer than a small search. */
export function keeping(connection: Connection): Searched {
  const kept = new Map<string, Statement>()
  return {
    transaction: connection.transaction.bind(connection),
    prepare: ((sql: string) => {
      const known = kept.get(sql) ?? connection.prepare(planKept(sql))
      if (!kept.has(sql) && kept.size >= statementsKept) kept.delete(kept.keys().next().value as string)
      kept.set(sql, known)
      return known
    }) as Connection['prepare'],
  }
}

/** The search as a task of a worker thread. It keeps its connection, which reads only, as long as the thread lives. */
export function searchTasks() {
  let open: { readonly path: string; readonly connection: Connection; readonly searched: Searched } | undefined
  const connectionTo = (path: string): Searched => {
    if (open?.path === path) return open.searched
    open?.connection.close()
    const connection = new Database(path, { readonly: true, fileMustExist: true, timeout: 500 })
    connection.pragma('trusted_schema = OFF')
    connection.pragma('cache_size = -8000')
    open = { path, connection, searched: keeping(connection) }
    return open.searched
  }
  return {
    async 'search.run'({ path, plan, withinMs }: SearchPayload): Promise<Found> {
      const until = performance.now() + withinMs
      try {
        return runSearch(connectionTo(path), plan, () => performance.now() < until)
      } catch (error) {
        // Whatever is wrong with it, the next search opens it anew.
        open?.connection.close()
        open = undefined
        throw error
      }
    },
  }
}

export type SearchTasks = ReturnType<typeof searchTasks>
