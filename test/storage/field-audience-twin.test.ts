import fc from 'fast-check'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { entities } from '../../src/catalogue.ts'
import { defineEntity, type Entity } from '../../src/kernel/entity.ts'
import { link, name, nullable, reference, required, userId, withDefault } from '../../src/kernel/fields.ts'
import type { Where } from '../../src/kernel/reader.ts'
import { roles, type Viewer } from '../../src/kernel/viewer.ts'
import { everyone, type Predicate, unlessHidden, withLinked } from '../../src/kernel/visibility.ts'
import { readerFor, seesRow, wholeRow } from '../../src/storage/reader.ts'
import { createRegistry } from '../../src/storage/registry.ts'
import { imageFor, mayRead } from '../../src/storage/row-image.ts'
import type { Store } from '../../src/storage/store.ts'
import { makeTable } from '../domain/support.ts'

// Who may read a field, and which links lead anywhere, is asked in SQL by readers and in TypeScript by the journal and by live
// events. On random rows, viewers and predicates both say the same, and filters and orders follow them.

const den = defineEntity({
  name: 'test_den',
  table: 'test_dens',
  label: 'den',
  listedBy: 'list_dens',
  title: 'name',
  visible: unlessHidden,
  fields: { name: required(name()), hidden: withDefault(z.boolean(), false) },
})

/** Seen as what it is about, which may be one of its kind: then it is not. */
const tale = defineEntity({
  name: 'test_tale',
  table: 'test_tales',
  label: 'tale',
  listedBy: 'list_tales',
  title: 'name',
  visible: withLinked('entityType', 'entityId'),
  fields: { name: required(name()), ...link('entityType', 'entityId') },
})

const beastWith = (readableBy: Predicate) =>
  defineEntity({
    name: 'test_beast',
    table: 'test_beasts',
    label: 'beast',
    listedBy: 'list_beasts',
    title: 'name',
    visible: everyone,
    fields: {
      name: required(name()),
      shown: withDefault(z.boolean(), false),
      keeperUserId: nullable(userId(), { references: 'user' }),
      denId: reference('test_den'),
      ...link('aboutType', 'aboutId'),
      hp: nullable(z.int(), { readableBy }),
      lairId: reference('test_den', { readableBy }),
    },
  })

const { tree } = fc.letrec<{ tree: Predicate; leaf: Predicate }>((tie) => ({
  leaf: fc.constantFrom<Predicate>(
    { is: 'everyone' },
    { is: 'dm' },
    { is: 'admin' },
    { is: 'self', field: 'keeperUserId' },
    { is: 'field', field: 'shown', in: [true] },
    { is: 'field', field: 'shown', in: [] },
    { is: 'parent', field: 'denId', entity: 'test_den' },
    { is: 'linked', type: 'aboutType', id: 'aboutId' },
  ),
  tree: fc.oneof(
    { depthSize: 'small' },
    tie('leaf'),
    fc.record<Predicate & { is: 'any' | 'all' }>({
      is: fc.constantFrom('any', 'all'),
      of: fc.array(tie('tree'), { maxLength: 3 }),
    }),
  ),
}))

const nothingOr = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null })
const ids = fc.integer({ min: 1, max: 5 })
const links = nothingOr(
  fc.record({ kind: fc.constantFrom('test_den', 'test_tale', 'test_beast', 'member', 'no_kind'), id: ids }),
)
const world = fc.record({
  dens: fc.array(fc.record({ hidden: fc.boolean(), deleted: fc.boolean() }), { minLength: 1, maxLength: 4 }),
  tales: fc.array(links, { minLength: 1, maxLength: 4 }),
  beasts: fc.array(
    fc.record({
      shown: fc.boolean(),
      keeper: nothingOr(fc.integer({ min: 1, max: 3 })),
      den: nothingOr(ids),
      about: links,
      hp: nothingOr(fc.integer({ min: 0, max: 3 })),
      lair: nothingOr(ids),
    }),
    { minLength: 1, maxLength: 6 },
  ),
})
const viewers: fc.Arbitrary<Viewer> = fc.record({
  userId: fc.integer({ min: 1, max: 3 }),
  campaignId: fc.constant(1),
  role: fc.constantFrom(...roles),
  admin: fc.boolean(),
  door: fc.constant('rest' as const),
  ai: fc.constant(null),
  toolsets: fc.constant(null),
})

function fill(store: Store, { dens, tales, beasts }: typeof world extends fc.Arbitrary<infer W> ? W : never): void {
  const now = '2026-11-20T18:00:00.000Z'
  const standard = { campaign: 1, now }
  for (const table of ['test_beasts', 'test_tales', 'test_dens']) store.run(`DELETE FROM ${table}`)
  for (const [index, { hidden, deleted }] of dens.entries())
    store.run(
      `INSERT INTO test_dens (id, campaign_id, created_at, updated_at, deleted_at, name, hidden) VALUES (@id, @campaign, @now, @now, @deleted, @name, @hidden)`,
      { ...standard, id: index + 1, deleted: deleted ? now : null, name: `Den ${index + 1}`, hidden: hidden ? 1 : 0 },
    )
  for (const [index, about] of tales.entries())
    store.run(
      `INSERT INTO test_tales (id, campaign_id, created_at, updated_at, name, entity_type, entity_id) VALUES (@id, @campaign, @now, @now, 'Tale', @kind, @about)`,
      { ...standard, id: index + 1, kind: about?.kind ?? null, about: about?.id ?? null },
    )
  for (const [index, { shown, keeper, den: denId, about, hp, lair }] of beasts.entries())
    store.run(
      `INSERT INTO test_beasts (id, campaign_id, created_at, updated_at, name, shown, keeper_user_id, den_id, about_type, about_id, hp, lair_id)
       VALUES (@id, @campaign, @now, @now, 'Beast', @shown, @keeper, @denId, @kind, @about, @hp, @lair)`,
      {
        ...standard,
        id: index + 1,
        shown: shown ? 1 : 0,
        keeper,
        denId,
        kind: about?.kind ?? null,
        about: about?.id ?? null,
        hp,
        lair,
      },
    )
}

test('what a reader gives, finds and orders is what TypeScript says may be read', async () => {
  const others = [den, tale] as unknown as readonly Entity[]
  const table = await makeTable([...others, beastWith(everyone) as unknown as Entity])
  // Rows may name what there is not: both readings have to agree on that, too.
  table.store.connection.pragma('foreign_keys = OFF')
  table.store.connection.pragma('synchronous = OFF')
  let [readable, unreadable, dangling, leading] = [0, 0, 0, 0]
  const property = fc.property(tree, world, viewers, (predicate, rows, viewer) => {
    const beast = beastWith(predicate)
    const registry = createRegistry([...entities, ...others, beast as unknown as Entity])
    const store: Store = { ...table.store, registry }
    store.transaction(() => fill(store, rows))
    const reader = readerFor(store, beast, viewer)
    const expected = rows.beasts.map((_, index) => {
      const whole = wholeRow(store, beast as unknown as Entity, index + 1) as Readonly<Record<string, unknown>>
      return imageFor(store, beast as unknown as Entity, viewer, whole, whole) as {
        hp?: number | null
        [key: string]: unknown
      }
    })
    for (const [index, image] of expected.entries()) {
      const row = reader.get(index + 1) as unknown as Readonly<Record<string, unknown>>
      const whole = wholeRow(store, beast as unknown as Entity, index + 1) as Readonly<Record<string, unknown>>
      const may = mayRead(store, beast as unknown as Entity, 'hp', whole, viewer)
      expect(['hp' in row, 'lairId' in row, 'lair' in row, 'hp' in image]).toEqual([may, may, may, may])
      for (const key of ['hp', 'lairId', 'denId', 'aboutType', 'aboutId', 'keeperUserId'])
        expect(row[key], key).toEqual(image[key])
      // A name is there exactly where the id is.
      expect([row.lair ?? null, row.den, row.about, row.keeperUser].map((each) => each === null)).toEqual(
        [row.lairId ?? null, row.denId, row.aboutId, row.keeperUserId].map((each) => each === null),
      )
      if (may) readable += 1
      else unreadable += 1
      if (whole.aboutId !== null) row.aboutId === null ? dangling++ : leading++
    }
    const passing = (test: (image: (typeof expected)[number]) => boolean): number[] =>
      expected.flatMap((image, index) => (test(image) ? [index + 1] : []))
    const found = (where: Where<typeof beast>): number[] => reader.all({ where }).map(({ id }) => id)
    expect(found({ hp: 2 })).toEqual(passing(({ hp }) => hp === 2))
    expect(found({ hp: null })).toEqual(passing(({ hp }) => hp === null))
    expect(found({ hp: { from: 1, to: 2 } })).toEqual(passing(({ hp }) => hp === 1 || hp === 2))
    expect(found({ lairId: 1 })).toEqual(passing(({ lairId }) => lairId === 1))
    expect(found({ lairId: null })).toEqual(passing(({ lairId }) => lairId === null))
    expect(found({ lairId: { set: true } })).toEqual(passing(({ lairId }) => typeof lairId === 'number'))
    expect(found({ aboutType: 'test_den', aboutId: 2 })).toEqual(
      passing(({ aboutType, aboutId }) => aboutType === 'test_den' && aboutId === 2),
    )
    expect(found({ aboutId: null })).toEqual(passing(({ aboutId }) => aboutId === null))
    const byHp = expected
      .map(({ hp }, index) => ({ id: index + 1, hp: hp ?? -1 }))
      .sort((one, other) => one.hp - other.hp || one.id - other.id)
    expect(reader.all({ order: [['hp', 'asc']] }).map(({ id }) => id as number)).toEqual(byHp.map(({ id }) => id))
    expect(reader.max('hp')).toBe(
      expected.reduce<number | null>((most, { hp }) => (hp == null ? most : Math.max(most ?? hp, hp)), null),
    )
    const tales = readerFor(store, tale, viewer)
    for (const [index] of rows.tales.entries()) {
      const whole = wholeRow(store, tale as unknown as Entity, index + 1) as Readonly<Record<string, unknown>>
      expect(tales.find(index + 1) !== null).toBe(seesRow(store, tale as unknown as Entity, whole, viewer))
    }
  })
  fc.assert(property, { seed: 20261123, numRuns: 150 })
  // Not a comparison of nothing with nothing.
  for (const seen of [readable, unreadable, dangling, leading]) expect(seen).toBeGreaterThan(30)
})
