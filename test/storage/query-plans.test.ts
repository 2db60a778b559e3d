import type { Database } from 'better-sqlite3'
import { beforeAll, expect, test } from 'vitest'
import { entities } from '../../src/catalogue.ts'
import { notification } from '../../src/domain/notification/entity.ts'
import { npc } from '../../src/domain/npc/entity.ts'
import { relation } from '../../src/domain/relation/entity.ts'
import { branch } from '../../src/domain/story/entity.ts'
import type { Entity } from '../../src/kernel/entity.ts'
import type { Field } from '../../src/kernel/fields.ts'
import { encodeCursor } from '../../src/kernel/paging.ts'
import { personIn, type Viewer } from '../../src/kernel/viewer.ts'
import { columnName } from '../../src/storage/columns.ts'
import { readerFor } from '../../src/storage/reader.ts'
import { sweepEntries } from '../../src/storage/rule-entries.ts'
import { growWorld } from '../support/grown-world.ts'
import { rolledBack } from '../support/matrix.ts'
import { shareWorld } from '../support/shared-world.ts'

// How SQLite goes about every statement that an operation's example runs, and every page of every list that is declared. It
// keeps no statistics of what tables hold, so a plan is the same for ten rows and for ten thousand: no table is read from one
// end to the other, nor all that a campaign has of it, and nothing is sorted that an index could give in order. What differs
// by the size of a world are the statements, so that the examples run in a small one and in one where lists have two pages.

/** Statements of which one half grows with something that stays small, and why. */
const known: readonly { readonly sql: RegExp; readonly plan: RegExp; readonly why: string }[] = [
  {
    sql: /sqlite_sequence/,
    plan: /^SCAN sqlite_sequence$/,
    why: 'it has a row for each table, and reserves the ids of a campaign that comes in',
  },
  {
    sql: /FROM (memberships|displays|safety_signals) /,
    plan: /^SEARCH \w+ USING INDEX (memberships|displays|safety_signals)_(unique_campaign_id_user_id|home_campaign_id) \(campaign_id=\?\)$/,
    why: 'a campaign has as many members, televisions and signals as people at its table',
  },
  {
    sql: /sum\((u|t)\.(input|output)_tokens.* FROM ai_turns (u|t) /,
    plan: /^SEARCH \w+ USING INDEX (ai_turns|safety_signals)_home_campaign_id \(campaign_id=\?\)$/,
    why: "the seat's budget is what its turns used since it was given: turns that people asked for at a table, one at a time",
  },
  {
    sql: /FROM memberships m JOIN campaigns c ON c\.id = m\.campaign_id WHERE m\.user_id/,
    plan: /^USE TEMP B-TREE FOR ORDER BY$/,
    why: 'the campaigns of one person',
  },
  {
    sql: /FROM search_text JOIN search_documents d/,
    plan: /^USE TEMP B-TREE FOR ORDER BY$/,
    why: 'a search ranks all that it finds',
  },
  {
    sql: /^SELECT x\.\*, s\.actor_user_id AS userId, u\.username AS name FROM \(SELECT \* FROM \(SELECT '\w+' AS type/,
    plan: /^USE TEMP B-TREE FOR ORDER BY$/,
    why: 'the trash joins no more than a page of each kind, and each kind gives its page from its own index',
  },
  {
    sql: / AS "\?group" FROM \(SELECT t\.id AS id, row_number\(\) OVER/,
    plan: /^USE TEMP B-TREE FOR ORDER BY$/,
    why: 'what goes with the rows of a page is counted and put in order for each of them: as many as those have',
  },
  {
    sql: /^SELECT \S+ AS value, (coalesce\(sum|count).* GROUP BY 1 ORDER BY min\(t\.id\)/,
    plan: /^USE TEMP B-TREE FOR (ORDER|GROUP) BY$/,
    why: 'one line for each value that is counted',
  },
  {
    sql: /, json_each\(t\.tags\) part WHERE .* GROUP BY 1/,
    plan: /^USE TEMP B-TREE FOR (GROUP|ORDER) BY$/,
    why: 'the tags of a campaign are counted over all that bears one',
  },
  {
    sql: /^DELETE FROM oauth_clients WHERE authorised_at IS NULL AND id <=/,
    plan: /^SCAN oauth_clients USING INDEX oauth_clients_unused$/,
    why: 'clients that nobody has let in yet, of which a bounded number is kept',
  },
  {
    sql: /FROM rule_packs p CROSS JOIN rule_entries e/,
    plan: /^(SCAN p USING INDEX rule_packs_list_title_sort_id|USE TEMP B-TREE FOR ORDER BY)$/,
    why: 'an installation has few packs, and of the creatures of those that a campaign reads no more are chosen by than the limit',
  },
  {
    sql: /FROM rule_packs t WHERE .* ORDER BY/,
    plan: /^SCAN t USING INDEX rule_packs_list_title_sort_id$/,
    why: 'what lies on the server and in no campaign is paged along an index of all of it',
  },
  {
    sql: /^SELECT count\(\*\) AS n FROM \(SELECT id FROM \(SELECT t\.id AS id .*FROM users u WHERE NOT \(EXISTS/,
    plan: /^(SCAN u USING COVERING INDEX users_key|USE TEMP B-TREE FOR ORDER BY)$/,
    why: 'what is withheld from a model is counted by the people who have not agreed, and no further than a thousand',
  },
  {
    sql: /FROM relations t WHERE .*\bt\.(from|to)_id IN \(/,
    plan: /^USE TEMP B-TREE FOR ORDER BY$/,
    why: 'the relations of several things at once, of which a graph looks at a bounded number',
  },
  {
    sql: /FROM (\w+) t WHERE .*\+t\.campaign_id = .*\bt\.\w+_id IN \(.*ORDER BY "k0" (asc|desc) LIMIT/,
    plan: /^USE TEMP B-TREE FOR ORDER BY$/,
    why: 'what refers to several things that are named by their ids, of which no more is read than the limit',
  },
  {
    sql: /FROM \w+ t NOT INDEXED WHERE .* t\.id IN \(SELECT document\.entity_id FROM search_text/,
    plan: /^USE TEMP B-TREE FOR ORDER BY$/,
    why: 'rows that hold what was looked for, where they are no more than fit on a page',
  },
  {
    sql: /FROM quests t NOT INDEXED WHERE .*\bt\.id IN \(.*ORDER BY/,
    plan: /^USE TEMP B-TREE FOR ORDER BY$/,
    why: 'quests that are named by their ids, at most 400 of them, put in order',
  },
]

/** The statements that were prepared, with what ran each first. */
const prepared = new Map<string, string>()
let running = 'the start'
const shared = shareWorld({ onPrepare: (sql) => void (prepared.has(sql) || prepared.set(sql, running)) })
// What the start looks through once is no part of any operation.
beforeAll(() => prepared.clear())

function planOf(db: Database, sql: string): readonly string[] {
  const bindings = Object.fromEntries(Array.from(sql.matchAll(/@(\w+)/g), ([, name]) => [name, 1]))
  const rows = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(bindings) as { readonly detail: string }[]
  return rows.map(({ detail }) => detail)
}

/** The tables by the names that they have in a statement. */
function tablesIn(db: Database, sql: string): ReadonlyMap<string, string> {
  const all = new Set(
    db.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'`).pluck().all(),
  )
  const named = sql.matchAll(
    /\b(?:FROM|JOIN|INTO|UPDATE)\s+(\w+)(?:\s+(?!WHERE|SET|ON|ORDER|JOIN|CROSS|LEFT|LIMIT)(\w+))?/gi,
  )
  return new Map(
    Array.from(named).flatMap(([, table = '', alias]) => (all.has(table) ? [[alias ?? table, table] as const] : [])),
  )
}

/** Steps that read a whole table or all that a campaign has of it, or sort what one gives. */
function costly(db: Database, sql: string): readonly string[] {
  const tables = tablesIn(db, sql)
  // A page ends where it is full; a number of all there are goes through all of them.
  const isUnbounded = !/\bLIMIT\b/.test(sql)
  return planOf(db, sql).filter((step) => {
    if (step.startsWith('USE TEMP B-TREE')) return true
    if (isUnbounded && /^SEARCH \w+ USING (COVERING )?INDEX \w+ \(campaign_id=\?\)$/.test(step)) return true
    const [, name] = /^SCAN (\w+)/.exec(step) ?? []
    return name !== undefined && tables.has(name)
  })
}

/** A statement for somebody who sees no row of the kind: it ends before it reads any. */
function isOfNothing(sql: string): boolean {
  return / WHERE 0 /.test(sql)
}

/** Everything costly that is not known, with the statement and what ran it. */
function found(): readonly string[] {
  const db = shared.world.server.app.store().connection
  return Array.from(prepared).flatMap(([sql, operation]) => {
    if (isOfNothing(sql)) return []
    const text = sql.replaceAll(/\s+/g, ' ')
    const unknown = costly(db, sql).filter((step) => !known.some((each) => each.sql.test(text) && each.plan.test(step)))
    return unknown.map((step) => `${operation}: ${step}\n    ${text}`)
  })
}

/** Runs the examples of all operations, with the first page and the one behind it; answers how many were answered. */
async function runExamples(people: readonly ('dm' | 'player')[], effects?: readonly string[]): Promise<number> {
  const { world } = shared
  let calls = 0
  for (const { name, example, effect } of world.server.app.system().operations.values()) {
    if (effects?.includes(effect) === false) continue
    for (const person of people) {
      running = name
      const input = example(world) as Readonly<Record<string, unknown>>
      await rolledBack(world, async () => {
        const answer: unknown = await world.as(person, name, input).catch(() => null)
        if (answer === null) return
        calls += 1
        const page: { readonly nextCursor?: string | null } | null = await world
          .as(person, name, { ...input, limit: 1 })
          .catch(() => null)
        if (page?.nextCursor) await world.as(person, name, { ...input, limit: 1, cursor: page.nextCursor })
      })
    }
  }
  return calls
}

test('no statement of any example reads or sorts a whole table', async () => {
  const { world } = shared
  expect(await runExamples(['dm', 'player'])).toBeGreaterThan(140)
  // What happens by the clock alone.
  running = 'the sweep of rule packs'
  sweepEntries(world.server.app.store(), world.server.clock().toISOString())
  expect(prepared.size).toBeGreaterThan(200)
  expect(found()).toEqual([])
})

/** A value that a field could have; which one makes no difference to a plan. */
function someValue({ schema }: Field): unknown {
  const { type, entries } = schema._zod.def as { readonly type: string; readonly entries?: Record<string, string> }
  if (entries !== undefined) return Object.values(entries)[0] as string
  if (type === 'array') return { has: 'a' }
  return type === 'boolean' ? true : type === 'string' ? 'a' : 1
}

const listed = (entities as readonly Entity[]).filter(({ lists }) => lists.orders.length > 0)

test.each(listed.map((entity) => [entity.name, entity] as const))(
  'a page of %s is read in order from an index, by each declared order and filter',
  (name, entity) => {
    const { world } = shared
    const store = world.server.app.store()
    const { orders, filters = [] } = entity.lists
    const within = filters.filter((key) => entity.fields[key]?.marks.owned)
    const cases = (['dm', 'player'] as const).flatMap((role) =>
      orders.flatMap((order) =>
        [null, ...filters.filter((key) => !within.includes(key))].map((filter) => ({ role, order, filter })),
      ),
    )
    for (const { role, order, filter } of cases) {
      const keys = [...within, ...(filter === null ? [] : [filter])]
      running = `${name} for a ${role} by ${keys.join(' and ') || 'nothing'}`
      const viewer = { ...personIn(world.id('campaign'), role, 1), door: 'rest' } as Viewer
      const where = Object.fromEntries(keys.map((key) => [key, someValue(entity.fields[key] as Field)]))
      const by = order.length === 0 ? ([['id', 'desc']] as const) : order
      const cursor = encodeCursor([...by.map(([key]) => (key === 'id' ? 5 : 'a')), ...(order.length === 0 ? [] : [5])])
      const before = new Set(prepared.keys())
      const reader = readerFor(store, entity, viewer)
      reader.page({ where, order: by } as never)
      reader.page({ where, order: by, cursor } as never)
      for (const sql of prepared.keys()) {
        if (before.has(sql) || isOfNothing(sql)) continue
        // The filter's own index, or that of what is the viewer's: not one in which all rows of the campaign stand.
        const step = planOf(store.connection, sql).find((each) => / (t|label)\b/.test(each))
        const narrow = [...keys.map((key) => (key === 'tags' ? 'label' : columnName(key))), 'author_user_id']
        expect(step, sql).toMatch(
          /^SEARCH (t USING (COVERING )?INDEX|t USING INTEGER PRIMARY KEY|label USING PRIMARY KEY) /,
        )
        if (keys.length > 0) expect(step, sql).toMatch(new RegExp(`\\b(${narrow.join('|')})=\\?`))
      }
    }
    expect(found()).toEqual([])
  },
)

test.each(['dm', 'player'] as const)(
  'what is linked to a thing is read from the index of the link for a %s',
  (role) => {
    const { world } = shared
    const store = world.server.app.store()
    const viewer = { ...personIn(world.id('campaign'), role, 1), door: 'rest' } as Viewer
    const before = new Set(prepared.keys())
    const relations = readerFor(store, relation, viewer)
    // A number that no example asks for by, so that the texts are new.
    for (const fromId of [4, [4, 5, 6]]) {
      relations.page({ where: { fromType: 'npc', fromId, hidden: false }, order: [['id', 'asc']] })
      relations.page({ where: { toType: 'npc', toId: fromId, hidden: false } })
    }
    const made = Array.from(prepared.keys()).filter((sql) => !before.has(sql) && !isOfNothing(sql))
    expect(made.length).toBeGreaterThan(0)
    for (const sql of made)
      expect(planOf(store.connection, sql).find((step) => / t\b/.test(step))).toMatch(
        /^SEARCH t USING INDEX relations_link_(from|to)_type_\w+ /,
      )
  },
)

test.each(['dm', 'player'] as const)(
  'what holds a word, refers to several things or is unread is found by that for a %s',
  (role) => {
    const { world } = shared
    const store = world.server.app.store()
    const viewer = { ...personIn(world.id('campaign'), role, 1), door: 'rest' } as Viewer
    const stepsOf = (read: () => unknown, table: string): readonly string[] => {
      const before = new Set(prepared.keys())
      read()
      const made = Array.from(prepared.keys()).filter((sql) => !before.has(sql) && sql.includes(`FROM ${table} t`))
      expect(made.length).toBeGreaterThan(0)
      return made.map((sql) => planOf(store.connection, sql).find((step) => / t\b/.test(step)) ?? '')
    }
    for (const step of stepsOf(
      () => readerFor(store, npc, viewer).page({ matching: 'orchardist', order: [['name', 'asc']] }),
      'npcs',
    ))
      expect(step).toMatch(/^SEARCH t USING INTEGER PRIMARY KEY /)
    // As many as no example asks for by, so that the text is new.
    const beatId = [1, 2, 3, 4, 5, 6, 7]
    if (role === 'dm')
      for (const step of stepsOf(() => readerFor(store, branch, viewer).page({ where: { beatId } }), 'branches'))
        expect(step).toContain('branches_ref_beat_id')
    for (const step of stepsOf(
      () => readerFor(store, notification, viewer).count({ userId: 1, readAt: null, kind: 'proposal' as never }, 100),
      'notifications',
    ))
      expect(step).toContain('notifications_unread')
  },
)

test('nor does any example in a world that has grown', async () => {
  const { world } = shared
  const db = world.server.app.store().connection
  const few = new Set(prepared.keys())
  growWorld(db, world.record, 60)
  await runExamples(['dm', 'player'], ['read'])
  await runExamples(['dm'], ['write', 'destroy'])
  // More rows bring other statements: of what lies behind a page, and of more ids than are bound one by one.
  expect(Array.from(prepared.keys()).some((sql) => !few.has(sql))).toBe(true)
  expect(found()).toEqual([])
})
