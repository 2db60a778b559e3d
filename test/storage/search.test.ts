import { Worker } from 'node:worker_threads'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { startWorker } from '../../src/assets.ts'
import { type Actor, personIn } from '../../src/kernel/viewer.ts'
import { searchPlan } from '../../src/storage/search.ts'
import { rangeOf } from '../../src/storage/search-places.ts'
import { keeping, runSearch } from '../../src/storage/search-run.ts'
import { snippetOf } from '../../src/storage/search-snippets.ts'
import { nextTermSql, wordsOf } from '../../src/storage/search-words.ts'
import { createSearcher } from '../../src/storage/searcher.ts'
import { makeTable, type Table } from '../domain/support.ts'

// The search looks for few words, in little of each text, for a short time, and says what it left out.

let table: Table

beforeEach(async () => {
  table = await makeTable()
})

const search = async (query: string, more: object = {}) => table.call('ellen', 'search_campaign', { query, ...more })
const titles = async (query: string): Promise<string[]> =>
  (await search(query)).items.map(({ title, snippet }: { title: string; snippet: string }) => title || snippet)
const planOf = (query: string) => {
  return searchPlan(table.store, personIn(table.campaignId, 'dm', 1), { query, entityTypes: undefined, page: {} })
}
const create = (name: string) => table.call('ellen', 'create_npc', { name })

/** A private note of Pell's, newer than those that were written by calls. */
function writeOwn(count: number): void {
  const { store, campaignId } = table
  const bindings = { campaignId, user: table.userId('pell') }
  const { id } = store.run(
    `INSERT INTO notes (campaign_id, created_at, updated_at, author_user_id, visibility, body)
     VALUES (@campaignId, '', '', @user, 'private', 'What the weather was')`,
    bindings,
  )
  const place = rangeOf(campaignId, 'closed').from + 1000 + count
  store.run(
    `INSERT INTO search_documents (id, campaign_id, entity_type, entity_id, title, body, secret)
     VALUES (@place, @campaignId, 'note', @id, '', 'What the weather was', '')`,
    { place, campaignId, id },
  )
  store.run('INSERT INTO search_text_readers (campaign_id, user_id, document_id) VALUES (@campaignId, @user, @place)', {
    ...bindings,
    place,
  })
}

describe('the words of a search', () => {
  const looked = (question: string) => wordsOf(question).words.map(({ asked }) => asked)

  test('are each looked for once, whatever their case and accents', () => {
    expect(looked('Ärger arger ÄRGER Wolf wolf')).toEqual(['Ärger', 'Wolf'])
  })

  test('are eight at most, and the others are named', async () => {
    await create('Aa bb cc dd ee ff gg hh')
    const { items, incomplete } = await search('aa bb cc dd ee ff gg hh nowhere')
    expect(items).toHaveLength(1)
    expect(incomplete).toContain('nowhere')
  })

  test('have two letters, or it is said that they were not looked for', async () => {
    await create('Alma the miller')
    expect(await search('a alma')).toMatchObject({ items: [{ title: 'Alma the miller' }] })
    expect(await search('a a a')).toMatchObject({ items: [], incomplete: expect.stringContaining(': a.') })
    expect((await search('alma’s')).incomplete).toBe(null)
  })

  test('of one character count where that is a word: in Chinese, or a digit by itself', async () => {
    await create('龍 of the north')
    await create('Room 7')
    await create('Room 70')
    expect(await titles('龍')).toEqual(['龍 of the north'])
    expect(await titles('room 7')).toEqual(['Room 7'])
  })

  test('are found inside of a run of characters, in scripts that put no spaces between words', async () => {
    await create('赤い龍の巣')
    await create('東京タワー7の秘密')
    await create('풋사과나무')
    await create('京の東')
    await create('Dragon龍lair')
    expect(await titles('龍の巣')).toEqual(['赤い龍の巣'])
    expect(await titles('東京')).toEqual(['東京タワー7の秘密'])
    expect(await titles('タワー')).toEqual(['東京タワー7の秘密'])
    expect(await titles('ﾀﾜｰ')).toEqual(['東京タワー7の秘密'])
    expect(await titles('타워')).toEqual([])
    expect(await titles('사과')).toEqual(['풋사과나무'])
    expect((await titles('龍')).toSorted()).toEqual(['Dragon龍lair', '赤い龍の巣'].toSorted())
    expect(await titles('lair 龍')).toEqual(['Dragon龍lair'])
    expect(await titles('秘密 7')).toEqual(['東京タワー7の秘密'])
    expect((await table.call('ellen', 'list_npcs', { query: '京タ' })).items).toMatchObject([
      { name: '東京タワー7の秘密' },
    ])
    expect((await table.call('ellen', 'list_npcs', { query: '京東' })).items).toEqual([])
  })

  test('without spaces between them go with what is changed, hidden and thrown away', async () => {
    const { id } = await create('静かな森')
    await table.call('ellen', 'update_npc', { npcId: id, name: '深い湖', body: '静かな夜の湖' })
    expect([await titles('森'), await titles('深い')]).toEqual([[], ['深い湖']])
    await table.call('ellen', 'hide_entity', { entityType: 'npc', entityId: id })
    expect(await titles('夜の湖')).toEqual(['深い湖'])
    await table.call('ellen', 'update_npc', { npcId: id, name: 'Lake', body: 'quiet' })
    expect([await titles('湖'), await titles('静か'), await titles('lake')]).toEqual([[], [], ['Lake']])
    await table.call('ellen', 'delete_npc', { npcId: id })
    expect(await titles('lake')).toEqual([])
  })

  test('that fill every note are found without going through each of them', async () => {
    const body = 'a '.repeat(24_500)
    for (let count = 0; count < 8; count += 1) await table.call('ellen', 'create_note', { body })
    // What took most of a minute for one of these notes.
    expect((await search('a a a a a a a a a a a a')).items).toEqual([])
    const words = ['ab', 'ac', 'ad', 'ae', 'af', 'ag', 'ah', 'ai']
    for (let count = 0; count < 8; count += 1)
      await table.call('ellen', 'create_note', { body: `${words.join(' ')} `.repeat(2000) })
    const { items } = await search([...words, 'aj', 'ak', 'al', 'am'].join(' '), { limit: 200 })
    expect(items).toHaveLength(8)
    for (const { snippet } of items) expect(snippet.length).toBeLessThan(500)
  })
})

test('words that are too short narrow no list, and a ninth does not either', async () => {
  for (const name of ['Aa bb cc dd ee ff gg hh', 'Bert']) await create(name)
  const listed = async (query: string) => (await table.call('ellen', 'list_npcs', { query })).items.length
  expect([await listed('a'), await listed('b'), await listed('be'), await listed('?')]).toEqual([2, 2, 1, 0])
  expect(await listed('aa bb cc dd ee ff gg hh nowhere')).toBe(1)
})

describe('what is nearly right', () => {
  test('is found in the other number: goblins and goblin, stories and story, wolves and wolf', async () => {
    for (const name of ['A goblin', 'Old stories', 'One story', 'The wolf', 'Two wolves']) await create(name)
    expect(await titles('goblins')).toEqual(['A goblin'])
    for (const word of ['story', 'stories']) expect((await titles(word)).sort()).toEqual(['Old stories', 'One story'])
    for (const word of ['wolf', 'wolves']) expect((await titles(word)).sort()).toEqual(['The wolf', 'Two wolves'])
  })

  test('is a name with a letter missing, too many, another or in another place, where nothing else fits', async () => {
    for (const name of ['Bartholomew Crane', 'Isolde', 'Bert']) await create(name)
    for (const asked of ['Bartolomew', 'Batrholomew crane', 'Barthollomew', 'Bardholomew'])
      expect(await titles(asked)).toEqual(['Bartholomew Crane'])
    expect(await titles('Isolda')).toEqual(['Isolde'])
    expect(await titles('Hans')).toEqual([])
    await create('Isolda')
    expect(await titles('Isolda')).toEqual(['Isolda'])
  })

  test('is no name that the asker may not see', async () => {
    await table.call('ellen', 'create_npc', { name: 'Bartholomew', hidden: true })
    const { items } = await table.call('pell', 'search_campaign', { query: 'Bartolomew' })
    expect(items).toEqual([])
    expect(await titles('Bartolomew')).toEqual(['Bartholomew'])
  })

  test('is no name of a kind that the credential does not reach', async () => {
    await create('Bartholomew Crane')
    const found = async (...toolsets: string[]): Promise<number> => {
      const who = (actor: Actor): Actor => ({ ...actor, credential: { ...actor.credential, toolsets } })
      return (await table.callAs(who, 'search_campaign', { query: 'Bartolomew' })).items.length
    }
    expect([await found('campaign', 'world'), await found('campaign', 'story')]).toEqual([1, 0])
  })
})

describe('what is closed to players', () => {
  const isOpen = (type: string, id: number): boolean => {
    const { from, to } = rangeOf(table.campaignId, 'open')
    const place = table.store.get('SELECT id FROM search_documents WHERE entity_type = @type AND entity_id = @id', {
      type,
      id,
    })
    return Number(place?.id) >= from && Number(place?.id) <= to
  }
  const foundBy = async (person: 'ellen' | 'pell', query: string): Promise<number[]> =>
    (await table.call(person, 'search_campaign', { query })).items.map(({ entityId }: { entityId: number }) => entityId)

  test('lies apart in the index until it is revealed', async () => {
    const { id } = await table.call('ellen', 'create_npc', { name: 'Bartholomew', hidden: true })
    expect(isOpen('npc', id)).toBe(false)
    expect(await foundBy('pell', 'Bartholomew')).toEqual([])
    expect(await foundBy('ellen', 'Bartholomew')).toEqual([id])
    await table.call('ellen', 'reveal_entity', { entityType: 'npc', entityId: id })
    expect(isOpen('npc', id)).toBe(true)
    expect(await foundBy('pell', 'Bartholomew')).toEqual([id])
  })

  test('is found all the same by whom it names, by all of the words', async () => {
    const { id } = await table.call('pell', 'create_note', { body: 'The Ärger of the mill', visibility: 'private' })
    expect(isOpen('note', id)).toBe(false)
    expect(await foundBy('pell', 'arger mil')).toEqual([id])
    expect(await foundBy('pell', 'arger river')).toEqual([])
    expect(await foundBy('ellen', 'arger')).toEqual([])
  })
})

describe('a snippet', () => {
  const marked = (text: string, question: string): string => {
    const { text: snippet } = snippetOf(text, wordsOf(question).words, () => true)
    return snippet.replaceAll('\u0002', '[').replaceAll('\u0003', ']')
  }

  test('shows the words around the first that was found, and marks them', () => {
    expect(marked('The Wolf and the wolves of Ärgerholm', 'wolf argerholm')).toBe(
      'The [Wolf] and the [wolves] of [Ärgerholm]',
    )
    expect(marked(`${'lo '.repeat(100)}wolf${' hi'.repeat(100)}`, 'wolf')).toMatch(/^…(lo ){6}\[wolf\]( hi){17}…$/)
  })

  test('marks what stands inside of a run, and shows as much around it as around a word', () => {
    expect(marked('赤い龍の巣と龍の子', '龍')).toBe('赤い[龍]の巣と[龍]の子')
    expect(marked('昔々、バベルの塔 of ガラス', 'ﾊﾞﾍﾞﾙ 塔')).toBe('昔々、[バベル]の[塔] of ガラス')
    expect(marked('Dragons龍の巣', 'dragon 龍の')).toBe('[Dragons][龍の]巣')
    expect(marked('산사과나무', '사과')).toBe('산[사과]나무')
    expect(marked(`${'赤'.repeat(5000)}龍${'巣'.repeat(5000)}`, '龍')).toBe(
      `…${'赤'.repeat(160)}[龍]${'巣'.repeat(159)}…`,
    )
  })

  test('is short, of one long word too', () => {
    expect(marked(`wolf${'x'.repeat(40_000)}`, 'wolf').length).toBeLessThan(200)
    expect(marked('x'.repeat(40_000), 'wolf').length).toBeLessThan(200)
  })
})

test('the statements of a search are planned once, whatever is bound', () => {
  const { prepare } = keeping(table.store.connection)
  for (const sql of [...planOf('marta').candidates, planOf('marta').hit, nextTermSql]) {
    const { source } = prepare(sql)
    // SQLite plans anew for each value of a bare parameter, which takes many times what such a statement does.
    expect(source.match(/(?<!coalesce\()@\w+/)).toBeNull()
    expect(source).toContain('@')
    expect(prepare(sql)).toBe(prepare(sql))
  }
})

describe('a search that takes long', () => {
  test('answers with what it has found by then, and says so', async () => {
    for (let count = 0; count < 20; count += 1) await create(`Marta ${count + 10}`)
    let asked = 0
    const found = runSearch(table.store.connection, planOf('marta'), () => {
      asked += 1
      return asked <= 5
    })
    expect(found.leftOut).toBe('time')
    expect(found.hits.length).toBe(5)
  })

  test('looks at the newest thousand of what answers, and says so', async () => {
    const { store, campaignId } = table
    for (let count = 0; count < 1005; count += 1) {
      const { id } = store.run(
        "INSERT INTO npcs (campaign_id, created_at, updated_at, name) VALUES (@campaignId, '', '', 'Marta')",
        { campaignId },
      )
      store.run(
        `INSERT INTO search_documents (id, campaign_id, entity_type, entity_id, title, body, secret)
         VALUES (@place, @campaignId, 'npc', @id, 'Marta', '', '')`,
        { place: rangeOf(campaignId, 'open').from + 1000 + count, campaignId, id },
      )
    }
    const { items, incomplete } = await search('marta', { limit: 200 })
    expect(items).toHaveLength(200)
    expect(items.map(({ entityId }: { entityId: number }) => entityId)).not.toContain(1)
    expect(incomplete).toContain('newest')
  })

  test('finds what is closed but names who asks, however much of it there is, and as it changes', async () => {
    const of = async (person: 'pell' | 'wren' | 'ellen', query: string) =>
      (await table.call(person, 'search_campaign', { query })).items
        .map((hit: { snippet: string }) => hit.snippet.replaceAll(/\p{Cc}/gu, ''))
        .sort()
    const note = await table.call('pell', 'create_note', { body: 'The lighthouse keeper lies', visibility: 'private' })
    await table.call('pell', 'send_whisper', {
      recipientUserId: table.userId('wren'),
      body: 'Meet me at the lighthouse',
    })
    await table.call('wren', 'create_note', { body: 'A lighthouse of my own', visibility: 'private' })
    await table.call('pell', 'create_note', { body: '龍の巣と灯台の秘密', visibility: 'private' })
    expect(await of('pell', 'lighthouse')).toEqual(['Meet me at the lighthouse', 'The lighthouse keeper lies'])
    expect(await of('wren', 'light')).toEqual(['A lighthouse of my own', 'Meet me at the lighthouse'])
    expect(await of('pell', '灯台')).toHaveLength(1)
    expect(await of('wren', '灯台')).toEqual([])
    for (let count = 0; count < 1010; count += 1) writeOwn(count)
    expect(await of('pell', 'keeper')).toEqual(['The lighthouse keeper lies'])
    await table.call('pell', 'update_note', { noteId: note.id, body: 'The miller lies' })
    expect(await of('pell', 'keeper')).toEqual([])
    expect(await of('pell', 'miller')).toEqual(['The miller lies'])
    await table.call('pell', 'update_note', { noteId: note.id, visibility: 'party' })
    expect([await of('pell', 'miller'), await of('wren', 'miller')]).toEqual([['The miller lies'], ['The miller lies']])
    await table.call('pell', 'update_note', { noteId: note.id, visibility: 'private' })
    expect([await of('pell', 'miller'), await of('wren', 'miller')]).toEqual([['The miller lies'], []])
    await table.call('pell', 'delete_note', { noteId: note.id })
    expect(await of('pell', 'miller')).toEqual([])
    const readers = table.store.get('SELECT count(*) AS n FROM search_text_readers')
    expect(table.store.get('SELECT count(*) AS n FROM search_text_own')).toEqual(readers)
  })

  test('is ended where the database does not come back from it, and the next one gets a thread of its own', async () => {
    await create('Marta')
    let started = 0
    const searcher = createSearcher({
      start: () => {
        started += 1
        return started === 1 ? new Worker('for (;;);', { eval: true }) : startWorker()
      },
      // The first has no time at all; whatever the machine is busy with, the second has enough.
      patienceMs: () => (started === 0 ? 1 : 60_000),
    })
    onTestFinished(() => searcher.close())
    const { signal } = new AbortController()
    const run = () => searcher.run(table.store, 1, planOf('marta'), signal)
    await expect(run()).rejects.toMatchObject({ code: 'unavailable' })
    expect((await run()).hits).toMatchObject([{ title: 'Marta' }])
    expect(started).toBe(2)
  })

  test('keeps no more waiting than can be served, and no person more than their share', async () => {
    const searcher = createSearcher({ start: () => new Worker('for (;;);', { eval: true }) })
    const plan = planOf('marta')
    const controller = new AbortController()
    const all = Array.from({ length: 30 }, () => searcher.run(table.store, 1, plan, controller.signal))
    controller.abort()
    const settled = Promise.allSettled(all)
    await expect(all.at(-1)).rejects.toMatchObject({ code: 'rate_limited' })
    await searcher.close()
    const codes = (await settled).map((each) => (each.status === 'rejected' ? each.reason.code : 'found'))
    expect(codes.filter((code) => code === 'rate_limited')).toHaveLength(15)
    // Whoever went away while they waited is not served any more. The first did not wait.
    expect(codes.filter((code) => code === 'cancelled')).toHaveLength(14)
  })
})
