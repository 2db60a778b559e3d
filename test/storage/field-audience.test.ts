import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import type { Context } from '../../src/kernel/context.ts'
import { defineEntity } from '../../src/kernel/entity.ts'
import { line, name, nullable, parent, reference, required, userId, withDefault } from '../../src/kernel/fields.ts'
import { pageOf } from '../../src/kernel/paging.ts'
import type { Viewer } from '../../src/kernel/viewer.ts'
import { anyOf, dungeonMasters, everyone, self, where } from '../../src/kernel/visibility.ts'
import { isNoticedBy } from '../../src/storage/change-set.ts'
import { makeTable, type Person, type Table } from '../domain/support.ts'
import { answered, ask, lair, lairEntities, monster, trophy, write } from '../support/lair-domain.ts'

// Who may read a field is one mark. Here it is tried at every door by which a value could be told: the answer, filters, counts,
// orders, sums, search, mentions, earlier versions, live events.

interface Den {
  readonly table: Table
  readonly ids: Readonly<Record<'open' | 'closed' | 'kept' | 'den' | 'pit', number>>
  /** Names of the monsters that a person finds. */
  found(person: Person, asked: unknown): Promise<string[]>
}

/** One monster that is shown, one that is not, and one that a player keeps. */
async function makeDen(): Promise<Den> {
  const table = await makeTable(lairEntities)
  const keeperUserId = table.userId('pell')
  const ids = await write(table, (context) => {
    const den = context.write(lair).insert({ name: 'The den' })
    const pit = context.write(lair).insert({ name: 'The pit', hidden: true })
    const monsters = context.write(monster)
    return {
      den,
      pit,
      open: monsters.insert({
        name: 'Ogre',
        shown: true,
        hp: 40,
        wounds: ['arm'],
        lairId: den,
        plan: 'Charges first.',
      }),
      closed: monsters.insert({
        name: 'Wyrm',
        hp: 90,
        wounds: ['wing'],
        lairId: den,
        plan: 'Sleeps on the silver bell.',
      }),
      kept: monsters.insert({ name: 'Hound', keeperUserId, hp: 7, mood: 'loyal', oath: 'to Pell', lairId: pit }),
    }
  })
  const found: Den['found'] = (person, asked) =>
    ask(table, person, (context) =>
      context
        .read(monster)
        .page(asked as never)
        .items.map((row) => row.name),
    )
  return { table, ids, found }
}

function viewerOf(table: Table, person: Person): Viewer {
  return {
    userId: table.userId(person),
    campaignId: table.campaignId,
    role: person === 'ellen' ? 'dm' : 'player',
    admin: false,
    door: 'rest',
    ai: null,
    toolsets: null,
  }
}

describe('a field that not everybody reads', () => {
  test('is absent from an answer, not null, for who may not', async () => {
    const { table, ids } = await makeDen()
    const row = (person: Person, id: number) =>
      answered(table, person, (context) => ({ ...context.read(monster).get(id), roar: 'Rrr' }))
    expect(await row('wren', ids.open)).toMatchObject({
      hp: 40,
      lairId: ids.den,
      lair: { id: ids.den, title: 'The den' },
    })
    const closed = await row('wren', ids.closed)
    expect(closed).toMatchObject({ name: 'Wyrm', roar: 'Rrr' })
    for (const key of ['hp', 'wounds', 'lairId', 'lair', 'shown', 'plan', 'mood', 'oath'])
      expect(closed, key).not.toHaveProperty(key)
    expect(await row('ellen', ids.closed)).toMatchObject({ hp: 90, shown: false, plan: 'Sleeps on the silver bell.' })
  })

  test('of the owner is for the owner and Dungeon Masters; a predicate says itself whether it is for them', async () => {
    const { table, ids } = await makeDen()
    const seen = async (person: Person): Promise<unknown[]> => {
      const { mood, oath } = await answered(table, person, (context) => ({
        ...context.read(monster).get(ids.kept),
        roar: '',
      }))
      return [mood, oath]
    }
    expect(await seen('pell')).toEqual(['loyal', 'to Pell'])
    expect(await seen('ellen')).toEqual(['loyal', undefined])
    expect(await seen('wren')).toEqual([undefined, undefined])
  })

  test('of the owner follows the path to the owner, in answers, filters, orders and live events', async () => {
    const { table, ids } = await makeDen()
    const [kept, loose] = await write(table, (context) => {
      const trophies = context.write(trophy)
      return [
        trophies.insert({ name: 'Horn', monsterId: ids.kept, charm: 'calls the pack' }),
        trophies.insert({ name: 'Scale', monsterId: ids.closed, charm: 'turns fire' }),
      ]
    })
    const charms = (person: Person) =>
      answered(table, person, (context) => context.read(trophy).page({}), pageOf(trophy.output)).then(({ items }) =>
        items.map((row: { charm?: string }) => row.charm),
      )
    expect(await charms('pell')).toEqual(['calls the pack', undefined])
    expect(await charms('ellen')).toEqual(['calls the pack', 'turns fire'])
    expect(await charms('wren')).toEqual([undefined, undefined])
    const asked = (person: Person) =>
      ask(table, person, (context) => [
        context.read(trophy).count({ charm: { set: true } }),
        context.read(trophy).max('charm'),
        context
          .read(trophy)
          .all({ order: [['charm', 'desc']] })
          .map(({ id }) => id),
      ])
    expect(await asked('pell')).toEqual([1, 'calls the pack', [kept, loose]])
    expect(await asked('wren')).toEqual([0, null, [loose, kept]])
    await write(table, (context) => context.write(trophy).update(kept, { charm: 'is silent' }))
    const [change] = table.announced.slice(-1)
    const noticed = (['ellen', 'pell', 'wren'] as const).filter((person) =>
      isNoticedBy(table.store, change as NonNullable<typeof change>, viewerOf(table, person)),
    )
    expect(noticed).toEqual(['ellen', 'pell'])
    // Whose monster it was no longer is: the charm is gone for them, at once.
    await write(table, (context) => context.write(monster).update(ids.kept, { keeperUserId: table.userId('wren') }))
    expect([await charms('pell'), await charms('wren')]).toEqual([
      [undefined, undefined],
      ['is silent', undefined],
    ])
  })

  test('does not pass the net unless it was read for this viewer', async () => {
    const { table, ids } = await makeDen()
    const unnamed = { keeperUser: null, nest: null, roar: '' }
    const whole = (context: Context) => ({ ...context.unfiltered(monster).get(ids.closed), ...unnamed })
    expect(await answered(table, 'ellen', whole)).not.toHaveProperty('hp')
    const mixed = (context: Context) => ({ ...context.read(monster).get(ids.open), ...whole(context) })
    expect(await answered(table, 'wren', mixed)).not.toHaveProperty('hp')
    const swapped = (context: Context) => ({ ...context.read(monster).get(ids.open), hp: 90, roar: '' })
    const { hp, wounds } = await answered(table, 'wren', swapped)
    expect([hp, wounds]).toEqual([undefined, ['arm']])
  })

  test('is found by no filter', async () => {
    const { table, ids, found } = await makeDen()
    const unseen: Readonly<Record<string, unknown>> = {
      equal: { hp: 90 },
      'one of': { hp: [90, 7] },
      'one of many': { hp: [90, 7, 1, 2, 3, 4, 5, 6, 8, 9] },
      'a range': { hp: { from: 60 } },
      set: { hp: { set: true }, name: ['Wyrm', 'Hound'] },
      'a part of a list': { wounds: { has: 'wing' } },
      'a reference': { lairId: ids.pit },
      null: { oath: null, name: ['Wyrm', 'Hound'] },
      'what only the Dungeon Master reads': { shown: false },
      'a text of theirs': { plan: { set: true } },
      'the lack of a text of theirs': { plan: null },
      'a text of the owner': { mood: 'loyal' },
      'what only the owner reads': { oath: 'to Pell' },
    }
    for (const [what, where] of Object.entries(unseen)) {
      expect(await found('wren', { where }), what).toEqual([])
      const asked = await ask(table, 'wren', (context) => {
        const monsters = context.read(monster)
        const counted = monsters.count(where as never)
        return [counted, monsters.first({ where } as never), Array.from(monsters.each({ where } as never))]
      })
      expect(asked, what).toEqual([0, null, []])
    }
  })

  test('is found by who may read it', async () => {
    const { found } = await makeDen()
    expect(await found('wren', { where: { hp: { from: 1 } } })).toEqual(['Ogre'])
    expect(await found('ellen', { where: { hp: { from: 10 } } })).toEqual(['Ogre', 'Wyrm'])
    expect(await found('pell', { where: { mood: 'loyal' } })).toEqual(['Hound'])
    expect(await found('pell', { where: { oath: 'to Pell' } })).toEqual(['Hound'])
    expect(await found('ellen', { where: { oath: 'to Pell' } })).toEqual([])
    expect(await found('ellen', { where: { shown: false } })).toEqual(['Wyrm', 'Hound'])
  })

  test('sorts as null, and pages go on behind it', async () => {
    const { table } = await makeDen()
    const inOrder = async (person: Person, direction: 'asc' | 'desc'): Promise<string[]> => {
      const names: string[] = []
      let cursor: string | null = null
      do {
        const page: { items: { name: string }[]; nextCursor: string | null } = await ask(table, person, (context) =>
          context.read(monster).page({ order: [['hp', direction]], limit: 1, ...(cursor === null ? {} : { cursor }) }),
        )
        names.push(...page.items.map((row) => row.name))
        cursor = page.nextCursor
        expect(atob(cursor ?? '')).not.toMatch(person === 'wren' ? /90|7\b/ : /never/)
      } while (cursor !== null)
      return names
    }
    expect(await inOrder('ellen', 'desc')).toEqual(['Wyrm', 'Ogre', 'Hound'])
    // What wren does not read comes in the order of ids, before or behind all that they do.
    expect(await inOrder('wren', 'asc')).toEqual(['Wyrm', 'Hound', 'Ogre'])
    expect(await inOrder('wren', 'desc')).toEqual(['Ogre', 'Hound', 'Wyrm'])
  })

  test('is in no sum, no greatest value and no group', async () => {
    const { table, ids } = await makeDen()
    const sums = (person: Person) =>
      ask(table, person, (context) => {
        const monsters = context.read(monster)
        return {
          max: monsters.max('hp'),
          plan: monsters.max('plan'),
          byHp: Array.from(monsters.countBy('hp')),
          byWound: Array.from(monsters.countBy('wounds')),
          byLair: Array.from(monsters.countBy('lairId')),
          sum: Array.from(monsters.sumBy('hp', 'nestId').values()),
          bySecret: Array.from(monsters.sumBy('hp', 'shown').keys()),
          groups: Array.from(monsters.groupBy('lairId', [ids.den, ids.pit], { columns: ['name'] }).values()),
        }
      })
    expect(await sums('wren')).toEqual({
      max: 40,
      plan: null,
      byHp: [[40, 1]],
      byWound: [['arm', 1]],
      byLair: [[ids.den, 1]],
      sum: [{ sum: 40, count: 3 }],
      bySecret: [],
      groups: [{ items: [{ id: ids.open, name: 'Ogre' }], count: 1 }],
    })
    expect(await sums('ellen')).toMatchObject({
      max: 90,
      byWound: [
        ['arm', 1],
        ['wing', 1],
      ],
      sum: [{ sum: 137 }],
    })
  })

  test('is in no search, no snippet and no mention', async () => {
    const { table, found } = await makeDen()
    const hits = async (person: Person, query: string) =>
      (await table.call(person, 'search_campaign', { query })).items.map((hit: { title: string }) => hit.title)
    expect(await hits('ellen', 'bell')).toEqual(['Wyrm'])
    expect(await hits('wren', 'bell')).toEqual([])
    expect(await hits('wren', 'wyrm')).toEqual(['Wyrm'])
    expect(await found('ellen', { matching: 'silver be' })).toEqual(['Wyrm'])
    expect(await found('wren', { matching: 'silver be' })).toEqual([])
    expect(await found('wren', { matching: '...' })).toEqual([])
  })

  test('is in no earlier version, by name or by value', async () => {
    const { table, ids } = await makeDen()
    await write(table, (context) => context.write(monster).update(ids.closed, { hp: 80, name: 'Old wyrm' }))
    const versions = (person: Person) =>
      ask(table, person, (context) => {
        const { items } = context.journal.revisions(context.entity('test_monster'), ids.closed, {})
        const newest = items[0] as (typeof items)[number]
        const record = context.journal.changes(newest.auditRecordId)[0]
        const first = items.at(-1) as (typeof items)[number]
        return {
          fields: newest.fields,
          change: [record?.fields, record?.before, record?.after],
          one: context.journal.revision(newest.id).fields,
          image: context.journal.imageAt(first.id),
        }
      })
    expect(await versions('ellen')).toMatchObject({
      fields: ['name', 'hp'],
      change: [['name', 'hp'], { name: 'Wyrm', hp: 90 }, { name: 'Old wyrm', hp: 80 }],
      image: { name: 'Wyrm', hp: 90, plan: 'Sleeps on the silver bell.' },
    })
    const seen = await versions('wren')
    expect(seen).toMatchObject({
      fields: ['name'],
      one: ['name'],
      change: [['name'], { name: 'Wyrm' }, { name: 'Old wyrm' }],
    })
    expect(Object.keys(seen.image)).toEqual(['name', 'keeperUserId', 'nestId'])
    expect(JSON.stringify(seen)).not.toMatch(/80|90|silver/)
  })

  test('an earlier version brings back what who restores it may read, and leaves the rest', async () => {
    const { table, ids } = await makeDen()
    await write(
      table,
      (context) => context.write(monster).update(ids.kept, { mood: 'hungry', oath: 'to himself' }),
      'pell',
    )
    const restore = (person: Person) =>
      write(
        table,
        (context) => {
          const { items } = context.journal.revisions(context.entity('test_monster'), ids.kept, {})
          context.journal.restore(items.at(-1)?.id ?? 0)
        },
        person,
      )
    await restore('ellen')
    expect(table.row('test_monsters', ids.kept)).toMatchObject({ mood: 'loyal', oath: 'to himself' })
  })

  test('that changes is noticed by who may read it, and by who may from then on', async () => {
    const { table, ids } = await makeDen()
    const noticed = async (values: Parameters<ReturnType<typeof changeOf>>[0]): Promise<Person[]> => {
      await write(table, (context) => changeOf(context)(values))
      const change = table.announced.at(-1)
      if (change === undefined) throw new Error('nothing was announced')
      return (['ellen', 'pell', 'wren'] as const).filter((person) =>
        isNoticedBy(table.store, change, viewerOf(table, person)),
      )
    }
    const changeOf = (context: Context) => (values: Parameters<ReturnType<typeof writer>['update']>[1]) =>
      writer(context).update(ids.kept, values)
    const writer = (context: Context) => context.write(monster)
    expect(await noticed({ hp: 8 })).toEqual(['ellen'])
    expect(await noticed({ mood: 'calm' })).toEqual(['ellen', 'pell'])
    expect(await noticed({ oath: 'to the moon' })).toEqual(['pell'])
    expect(await noticed({ lairId: ids.den })).toEqual(['ellen'])
    // The switch is the Dungeon Master's, but what it uncovers is seen to appear.
    expect(await noticed({ shown: true })).toEqual(['ellen', 'pell', 'wren'])
    expect(await noticed({ hp: 9 })).toEqual(['ellen', 'pell', 'wren'])
    // A link from one that they do not see to another is none to them.
    expect(await noticed({ lairId: ids.pit })).toEqual(['ellen', 'pell', 'wren'])
    await write(table, (context) => context.write(lair).update(ids.den, { hidden: true }))
    expect(await noticed({ lairId: ids.den })).toEqual(['ellen'])
    expect(await noticed({ shown: false })).toEqual(['ellen', 'pell', 'wren'])
  })
})

describe('a declaration that could not be honoured is refused', () => {
  const shown = where('shown', true)
  const declare = (more: object) => () =>
    defineEntity({
      name: 'odd',
      table: 'odds',
      label: 'odd',
      listedBy: 'list_odds',
      visible: everyone,
      ...more,
      fields: { shown: withDefault(z.boolean(), false), ...(more as { fields: object }).fields },
    } as never)

  test.each([
    [
      'a searched field of the owner',
      {
        owner: 'byUserId',
        fields: { byUserId: required(userId()), a: nullable(line(), { readableBy: 'owner', search: 'body' }) },
      },
      /search index/,
    ],
    [
      'a searched field by a predicate',
      { fields: { a: nullable(line(), { readableBy: shown, search: 'title' }) } },
      /search index/,
    ],
    ['a title', { title: 'a', fields: { a: required(name(), { readableBy: 'dm' }) } }, /title is shown/],
    [
      'what stands for a title',
      {
        title: 'a',
        untitled: { word: 'No', field: 'b' },
        fields: { a: nullable(name()), b: required(z.int(), { readableBy: 'dm' }) },
      },
      /names the thing/,
    ],
    ['a unique field', { unique: [['a']], fields: { a: required(name(), { readableBy: 'dm' }) } }, /taken/],
    ['an owner', { owner: 'a', fields: { a: nullable(z.int(), { readableBy: 'dm' }) } }, /whose it is/],
    ['a controller', { controller: 'a', fields: { a: nullable(z.int(), { readableBy: shown }) } }, /whose it is/],
    [
      'what decides who sees the row',
      { visible: where('a', true), fields: { a: withDefault(z.boolean(), false, { readableBy: shown }) } },
      /decides who sees/,
    ],
    [
      'what decides who reads another',
      {
        fields: {
          a: withDefault(z.boolean(), false, { readableBy: shown }),
          b: nullable(line(), { readableBy: where('a', true) }),
        },
      },
      /decides who reads b/,
    ],
    [
      'the order of a list',
      { lists: { orders: [[['a', 'asc']]] }, fields: { a: nullable(line(), { readableBy: shown }) } },
      /order/,
    ],
    [
      'the order of a list by a reference',
      { lists: { orders: [[['aId', 'asc']]] }, fields: { aId: reference('npc') } },
      /reads as null/,
    ],
    [
      'what owns the row',
      { fields: { aId: { ...parent('npc'), marks: { ...parent('npc').marks, readableBy: 'dm' } } } },
      /told with the row/,
    ],
    ['what nobody is', { fields: { a: nullable(line(), { readableBy: 'owner' }) } }, /needs an owner/],
    ['what never leaves', { fields: { a: nullable(line(), { readableBy: 'dm', internal: true }) } }, /never leaves/],
    [
      'whose words they are, before an outside AI',
      { writtenBy: 'byUserId', fields: { byUserId: required(userId(), { readableBy: 'dm' }) } },
      /outside AI/,
    ],
    [
      'a predicate on a field that is none',
      { fields: { a: nullable(line(), { readableBy: where('b', 1) }) } },
      /no such field/,
    ],
    ['a reference that is called otherwise', { fields: { place: reference('npc') } }, /ends in Id/],
    ['a reference whose name is taken', { fields: { placeId: reference('npc'), place: nullable(line()) } }, /already/],
    ['half a link', { fields: { aId: nullable(z.int(), { link: { type: 'aType' } }) } }, /two halves/],
  ])('%s', (_, more, why) => {
    expect(declare(more)).toThrow(why)
  })

  test('and what can be is not', () => {
    const fields = {
      byUserId: required(userId(), { references: 'user' }),
      a: nullable(line(), { readableBy: 'dm', search: 'body' }),
      b: nullable(line(), { readableBy: 'owner' }),
      c: nullable(line(), { readableBy: anyOf(dungeonMasters, self('byUserId')) }),
    }
    expect(declare({ owner: 'byUserId', lists: { orders: [[['a', 'asc']]], filters: ['c'] }, fields })).not.toThrow()
  })
})
