import { expect, test } from 'vitest'
import { aiTurn } from '../../src/domain/ai-seat/entity.ts'
import { note } from '../../src/domain/note/entity.ts'
import type { Entity } from '../../src/kernel/entity.ts'
import { personIn, type Viewer } from '../../src/kernel/viewer.ts'
import { termsOf } from '../../src/storage/consent-terms.ts'
import { authorsAsked } from '../../src/storage/joined-lists.ts'
import { readerFor } from '../../src/storage/reader.ts'
import { makeTable, type Person, type Table } from '../domain/support.ts'

const authors: readonly Person[] = ['ellen', 'pell', 'wren', 'gast']

/** Turns of all four in turns, and an outside AI of Pell's; Wren agreed to it, and Ellen and Gast did not. */
async function makeTurns(count: number): Promise<{ readonly table: Table; readonly viewer: Viewer }> {
  const table = await makeTable()
  const { store, campaignId } = table
  for (const person of ['pell', 'wren'] as const) await table.call(person, 'set_my_ai_consent', { consent: true })
  for (let each = 0; each < count; each += 1)
    store.run(
      `INSERT INTO ai_turns (campaign_id, created_at, updated_at, asked_by_user_id, prompt, mode)
       VALUES (@campaignId, @now, @now, @author, 'What now?', 'co_dm')`,
      { campaignId, now: table.now(), author: table.userId(authors[each % authors.length] as Person) },
    )
  const viewer = { ...personIn(campaignId, 'player', table.userId('pell')), ai: termsOf(store, campaignId) }
  return { table, viewer }
}

/** The ids of a list, page by page. */
function pagesOf(
  { store }: Table,
  entity: Entity,
  viewer: Viewer,
  direction: 'asc' | 'desc',
  limit: number,
): number[][] {
  const pages: number[][] = []
  for (let cursor: string | undefined; pages.length < 50; ) {
    const page = readerFor(store, entity, viewer).page({ order: [['id', direction]], limit, cursor })
    pages.push(page.items.map(({ id }) => id as number))
    if (page.nextCursor === null) break
    cursor = page.nextCursor
  }
  return pages
}

test.each(['asc', 'desc'] as const)(
  'a list of an outside AI goes by authors, and is the same list (%s)',
  async (direction) => {
    const { table, viewer } = await makeTurns(43)
    expect(authorsAsked(aiTurn, viewer, {})).toHaveLength(2)
    const theirs = [table.userId('pell'), table.userId('wren')]
    const ids = table.store
      .all('SELECT id, asked_by_user_id AS author FROM ai_turns ORDER BY id')
      .filter(({ author }) => theirs.includes(Number(author)))
      .map(({ id }) => Number(id))
    const expected = direction === 'asc' ? ids : ids.toReversed()
    for (const limit of [1, 3, 7, 50]) {
      const pages = pagesOf(table, aiTurn, viewer, direction, limit)
      expect(pages.flat(), `${limit} a page`).toEqual(expected)
      expect(pages.slice(0, -1).every((page) => page.length === limit)).toBe(true)
    }
  },
)

test('it goes by authors only where these decide, where they are few, and where nobody looks for words or for one of them', async () => {
  const { table, viewer } = await makeTurns(4)
  const { ai } = viewer
  if (ai === null) throw new Error('the viewer is no outside AI')
  const isJoined = (of: Partial<Viewer>, query: Parameters<typeof authorsAsked>[2] = {}, entity: Entity = aiTurn) =>
    authorsAsked(entity, { ...viewer, ...of }, query) !== null
  expect(isJoined({})).toBe(true)
  expect(isJoined({}, {}, note)).toBe(true)
  expect(isJoined({ ai: null })).toBe(false)
  expect(isJoined({ ai: { ...ai, agreed: new Set([viewer.userId]) } })).toBe(false)
  expect(isJoined({ ai: { ...ai, agreed: new Set(Array.from({ length: 40 }, (_, index) => index)) } })).toBe(false)
  expect(isJoined({}, { where: { askedByUserId: table.userId('wren') } })).toBe(false)
  expect(isJoined({}, { matching: 'orchard' })).toBe(false)
})
