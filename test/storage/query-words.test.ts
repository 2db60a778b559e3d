import { describe, expect, test } from 'vitest'
import { note } from '../../src/domain/note/entity.ts'
import { npc } from '../../src/domain/npc/entity.ts'
import { objective } from '../../src/domain/objective/entity.ts'
import { quest } from '../../src/domain/quest/entity.ts'
import type { Context } from '../../src/kernel/context.ts'
import { personIn } from '../../src/kernel/viewer.ts'
import { withheldRows } from '../../src/storage/withheld-rows.ts'
import { type Answer, makeTable, type Person, type Table } from '../domain/support.ts'
import { ask, write } from '../support/lair-domain.ts'

interface People {
  readonly table: Table
  readonly questIds: readonly number[]
}

/** Two quests that players see and a hidden one; of the steps of the first, one is hidden. */
async function makeQuests(): Promise<People> {
  const table = await makeTable()
  const questIds = await write(table, (context) => {
    const quests = [
      { title: 'The bell', position: 2, tags: ['ice', 'Bell'] },
      { title: 'The page', position: 1, tags: ['ice'] },
      { title: 'The theft', position: 3, hidden: true, tags: ['theft'] },
    ].map((values) => context.write(quest).insert(values))
    const [bell, page, theft] = quests as [number, number, number]
    const steps = [
      { questId: bell, text: 'Find it', done: true, position: 1 },
      { questId: bell, text: 'Polish it', position: 3, optional: true },
      { questId: bell, text: 'Ring it', position: 2 },
      { questId: bell, text: 'Steal it', position: 4, hidden: true },
      { questId: page, text: 'Read it', done: true, position: 1 },
      { questId: theft, text: 'Run', position: 9 },
    ]
    for (const values of steps) context.write(objective).insert(values)
    return quests
  })
  return { table, questIds }
}

const asked = <T>({ table }: People, person: Person, question: (context: Context) => T): Promise<Answer> =>
  ask(table, person, question)

describe('the words of queries', () => {
  test('first gives the first of an order, or null', async () => {
    const people = await makeQuests()
    const first = (person: Person) =>
      asked(people, person, (context) => [
        context.read(quest).first({ order: [['position', 'desc']] })?.title,
        context.read(quest).first({ where: { status: 'failed' } }),
        context.unfiltered(quest).first({ order: [['position', 'desc']] })?.title,
      ])
    expect(await first('ellen')).toEqual(['The theft', null, 'The theft'])
    expect(await first('pell')).toEqual(['The bell', null, 'The theft'])
  })

  test('max gives the greatest value of what is seen, or null', async () => {
    const people = await makeQuests()
    const [bell] = people.questIds
    const greatest = (person: Person) =>
      asked(people, person, (context) => [
        context.read(objective).max('position', { questId: bell }),
        context.read(objective).max('text'),
        context.read(quest).max('position', { status: 'failed' }),
        context.unfiltered(objective).max('position'),
      ])
    expect(await greatest('ellen')).toEqual([4, 'Steal it', null, 9])
    expect(await greatest('pell')).toEqual([3, 'Ring it', null, 9])
  })

  test('count adds up the values of a list, and goes no further than it is told', async () => {
    const people = await makeQuests()
    const counts = (person: Person) =>
      asked(people, person, (context) => [
        context.read(quest).count({ status: ['available', 'active'] }),
        context.read(quest).count({ status: ['failed'] }),
        context.read(quest).count({}, 1),
        context.read(objective).count({ optional: false }),
        context.read(objective).count({ optional: false }, 2),
        context.read(objective).count({ optional: false }, 100),
      ])
    expect(await counts('ellen')).toEqual([3, 0, 1, 5, 2, 5])
    expect(await counts('pell')).toEqual([2, 0, 1, 3, 2, 3])
  })

  test('countBy, sumBy and groupBy tell of each value, in one statement for all', async () => {
    const people = await makeQuests()
    const [bell, page, theft] = people.questIds as [number, number, number]
    const told = (person: Person) =>
      asked(people, person, (context) => ({
        tags: Object.fromEntries(context.read(quest).countBy('tags')),
        done: Object.fromEntries(Array.from(context.read(objective).countBy('done'), ([done, n]) => [String(done), n])),
        steps: Array.from(context.read(objective).countBy('questId', { optional: false })),
        sums: Array.from(context.read(objective).sumBy('done', 'questId', { optional: false })),
        groups: Array.from(
          context.read(objective).groupBy('questId', [page, bell, theft], {
            order: [['position', 'asc']],
            columns: ['text'],
            limit: 2,
          }),
        ).map(([id, { items, count }]) => [id, items.map(({ text }) => text), count]),
        none: context.read(objective).groupBy('questId', []).size,
      }))
    expect(await told('pell')).toEqual({
      tags: { ice: 2, Bell: 1 },
      done: { true: 2, false: 2 },
      steps: [
        [bell, 2],
        [page, 1],
      ],
      sums: [
        [bell, { sum: 1, count: 2 }],
        [page, { sum: 1, count: 1 }],
      ],
      groups: [
        [bell, ['Find it', 'Ring it'], 3],
        [page, ['Read it'], 1],
      ],
      none: 0,
    })
    expect(await told('ellen')).toMatchObject({
      tags: { ice: 2, Bell: 1, theft: 1 },
      steps: [
        [bell, 3],
        [page, 1],
        [theft, 1],
      ],
      groups: [
        [bell, ['Find it', 'Ring it'], 4],
        [page, ['Read it'], 1],
        [theft, ['Run'], 1],
      ],
    })
  })

  test('columns gives what was chosen and the id, a reference with its name', async () => {
    const people = await makeQuests()
    const [bell] = people.questIds as [number]
    const chosen = await asked(people, 'pell', (context) => [
      context.read(quest).first({ columns: ['title'] }),
      context.read(objective).first({ columns: ['quest'] }),
      context.unfiltered(quest).all({ where: { id: bell }, columns: ['position', 'hidden'] }),
    ])
    const named = { id: bell, title: 'The bell' }
    expect(chosen).toEqual([named, { id: 1, questId: bell, quest: named }, [{ id: bell, position: 2, hidden: false }]])
  })

  test('matching finds words by how they begin, in what is seen, with the other filters', async () => {
    const people = await makeQuests()
    const titles = (person: Person, matching: string, where = {}) =>
      asked(people, person, (context) =>
        context
          .read(quest)
          .all({ matching, where })
          .map(({ title }) => title),
      )
    expect(await titles('pell', 'THE be')).toEqual(['The bell'])
    expect(await titles('pell', 'the the')).toEqual(['The bell', 'The page'])
    expect(await titles('ellen', 'the', { hidden: true })).toEqual(['The theft'])
    expect(await titles('pell', 'theft')).toEqual([])
    expect(await titles('pell', '"; DROP')).toEqual([])
  })

  test('what an outside AI does not get is counted once for each choice of filters, until something is written', async () => {
    const { store, campaignId } = await makeTable()
    let asked = 0
    const counted: typeof store = {
      ...store,
      get(sql, bindings) {
        asked += 1
        return store.get(sql, bindings)
      },
    }
    const viewer = {
      ...personIn(campaignId, 'dm', 1),
      ai: { policy: 'member_consent' as const, agreed: new Set<number>() },
    }
    const withheld = (where: object) => withheldRows(counted, note, viewer, where)
    expect(withheld({})).toBe(0)
    const once = asked
    expect(once).toBeGreaterThan(0)
    expect(withheld({ visibility: undefined })).toBe(0)
    expect(asked).toBe(once)
    withheld({ visibility: 'party' })
    expect(asked).toBeGreaterThan(once)
    const twice = asked
    withheld({ visibility: 'party' })
    expect(asked).toBe(twice)
  })

  test('each goes through all there are, in order; all refuses more than a thousand', async () => {
    const table = await makeTable()
    const add = (from: number, to: number) =>
      write(table, (context) => {
        for (let number = from; number < to; number += 1)
          context
            .write(npc)
            .insert({ name: `Npc ${String(number % 7)}`, role: String(number), hidden: number % 2 === 1 })
      })
    await add(0, 1000)
    expect(await ask(table, 'ellen', (context) => context.read(npc).all().length)).toBe(1000)
    await add(1000, 1203)
    const refused = ask(table, 'ellen', (context) =>
      context
        .read(npc)
        .all({ where: { role: { from: 'secret words' }, hidden: [true, false] }, order: [['name', 'asc']] }),
    )
    await expect(refused).resolves.toEqual([])
    const tooMany = ask(table, 'ellen', (context) =>
      context.read(npc).all({ where: { hidden: [true, false], name: { from: 'N' } }, order: [['name', 'asc']] }),
    )
    // It is a fault of the program, named as one, without the values that were asked for.
    await expect(tooMany).rejects.toThrow(
      'npc: more than 1000 rows for all() with {"where":["hidden","name"],"matching":false,"order":[["name","asc"]]}',
    )
    const walked = await ask(table, 'pell', (context) =>
      Array.from(context.read(npc).each({ order: [['name', 'desc']], columns: ['name', 'role'] })),
    )
    expect(walked).toHaveLength(602)
    expect(new Set(walked.map(({ role }: { role: string }) => role)).size).toBe(602)
    const names = walked.map(({ name }: { name: string }) => name)
    expect(names).toEqual(names.toSorted().toReversed())
    expect(await ask(table, 'ellen', (context) => Array.from(context.unfiltered(npc).each()).length)).toBe(1203)
  })

  test('a list of values costs the same statement however long it is', async () => {
    const people = await makeQuests()
    const [bell] = people.questIds as [number]
    const found = (count: number) =>
      asked(people, 'pell', (context) =>
        context
          .read(quest)
          .all({ where: { id: [bell, ...Array.from({ length: count }, (_, index) => 1000 + index)] } })
          .map(({ id }) => id),
      )
    expect([await found(0), await found(7), await found(8), await found(500)]).toEqual([[bell], [bell], [bell], [bell]])
    const flags = await asked(people, 'ellen', (context) =>
      context.read(quest).count({ hidden: Array.from({ length: 20 }, (_, index) => index % 2 === 0) }),
    )
    expect(flags).toBe(3)
  })
})

describe('twelve hundred quests, and twelve hundred steps of one', () => {
  const walk = async (
    table: Table,
    person: Person,
    name: string,
    input: Record<string, unknown>,
  ): Promise<number[]> => {
    const ids: number[] = []
    let cursor: string | null = null
    do {
      const page: Answer = await table.call(person, name, {
        ...input,
        limit: 200,
        ...(cursor === null ? {} : { cursor }),
      })
      ids.push(...page.items.map(({ id }: { id: number }) => id))
      cursor = page.nextCursor
    } while (cursor !== null)
    return ids
  }

  test('are listed page by page and counted alike', async () => {
    const table = await makeTable()
    const [first] = await write(table, (context) => {
      const quests = Array.from({ length: 1200 }, (_, index) =>
        context.write(quest).insert({ title: `Quest ${index}`, status: 'active', position: index + 1, tags: ['long'] }),
      )
      for (let index = 0; index < 1200; index += 1)
        context.write(objective).insert({
          questId: quests[0] as number,
          text: `Step ${index}`,
          position: index + 1,
          done: index % 2 === 0,
          optional: index % 10 === 9,
        })
      for (const id of quests.slice(1)) context.write(quest).update(id, { parentQuestId: quests[0] as number })
      return quests
    })
    const steps = await walk(table, 'pell', 'list_objectives', { questId: first })
    expect([steps.length, new Set(steps).size]).toEqual([1200, 1200])
    expect(new Set(await walk(table, 'pell', 'list_quests', {})).size).toBe(1200)
    expect(new Set(await walk(table, 'pell', 'list_quests', { parentQuestId: first })).size).toBe(1199)

    const detail = await table.call('pell', 'get_quest', { questId: first })
    expect(detail).toMatchObject({
      progress: { done: 600, total: 1080 },
      objectives: { length: 200 },
      objectiveCount: 1200,
      subquests: { length: 200 },
      subquestCount: 1199,
    })
    expect(detail.objectives.map(({ id }: { id: number }) => id)).toEqual(steps.slice(0, 200))
    expect((await table.call('pell', 'list_quests', { limit: 1 })).items[0].progress).toEqual(detail.progress)

    const summary = await table.call('pell', 'get_campaign_summary', { view: 'full' })
    expect(summary).toMatchObject({ openQuests: { length: 20 }, openQuestCount: 1200 })
    expect(summary.openQuests[0]).toMatchObject({
      progress: detail.progress,
      openObjectives: { length: 10 },
      openObjectiveCount: 600,
    })
    const prep = await table.call('ellen', 'get_session_prep', { view: 'full' })
    expect(prep).toMatchObject({ truncated: true, openQuests: { length: 200 } })
    expect(prep.openQuests[0]).toMatchObject({ openObjectives: { length: 50 }, openObjectiveCount: 600 })
    const draft = await table.call('ellen', 'draft_session_recap')
    expect(draft.sources.quests.find(({ id }: { id: number }) => id === first)).toMatchObject({
      objectives: { length: 50 },
      objectiveCount: 1200,
    })
    expect((await table.call('pell', 'list_tags')).items).toEqual([{ tag: 'long', count: 1200 }])
    const [last] = steps.slice(-1)
    const order = { questId: first, objectiveIds: [last] }
    await table.call('ellen', 'reorder_objectives', order)
    expect((await table.call('pell', 'list_objectives', { questId: first, limit: 1 })).items[0].id).toBe(last)
  })
})
