import type * as z from 'zod'
import type { Entity } from '../../src/kernel/entity.ts'
import type { Field } from '../../src/kernel/fields.ts'
import { inTexts, withChangedIds } from '../../src/kernel/inner-ids.ts'
import { byDependence, carryOf, travels } from '../../src/kernel/travel.ts'

// A campaign in which every field of every kind of thing is filled, made from the declarations alone: whatever is declared
// anew travels here from its first day on.

export interface FilledDocument {
  readonly format: string
  readonly version: number
  readonly campaign: Record<string, unknown>
  readonly rows: Record<string, Record<string, unknown>[]>
}

const at = (number: number): string => new Date(Date.parse('2026-10-01T18:00:00.000Z') + number * 60_000).toISOString()

/** Texts of which a field takes one: the first that its schema accepts. */
const texts = (key: string, number: number): readonly string[] => [
  ...(/zone$/i.test(key) ? ['Europe/Berlin'] : []),
  `The ${key} of number ${number}`,
  `${key} ${number}`,
  `${key}-${number}`,
  'Europe/Berlin',
  '412-10-9',
  '2026-11-20',
  at(number),
  'lantern.png',
  '#a0522d',
  '1d6',
  'd8',
  'a',
]

/** A value that a schema accepts. Throws where none is found: teach this file the new form. */
export function valueFor(schema: z.ZodType, key: string, number: number): unknown {
  const found = candidates(schema, key, number).find((value) => schema.safeParse(value).success)
  if (found === undefined) throw new Error(`no value for ${key} (${schema._zod.def.type})`)
  return found
}

function candidates(schema: z.ZodType, key: string, number: number): readonly unknown[] {
  const def = schema._zod.def as {
    readonly type: string
    readonly entries?: Readonly<Record<string, unknown>>
    readonly values?: readonly unknown[]
    readonly element?: z.ZodType
    readonly items?: readonly z.ZodType[]
    readonly innerType?: z.ZodType
    readonly valueType?: z.ZodType
    readonly options?: readonly z.ZodType[]
    readonly shape?: Readonly<Record<string, z.ZodType>>
    readonly in?: z.ZodType
  }
  const inner = def.innerType ?? def.in
  switch (def.type) {
    case 'string':
      return texts(key, number)
    case 'number':
      return [number + 1, 1, 0.5, 0, 20, 100, -1]
    case 'boolean':
      return [true, false]
    case 'enum':
      return Object.values(def.entries ?? {}).toReversed()
    case 'literal':
      return def.values ?? []
    case 'array': {
      const each = [0, 1, 2, 3].map((index) => valueFor(def.element as z.ZodType, `${key}${index}`, number))
      return [2, 1, 3, 4, 0].map((length) => each.slice(0, length))
    }
    case 'tuple':
      return [(def.items ?? []).map((item, index) => valueFor(item, `${key}${index}`, number))]
    case 'object': {
      const members = Object.entries(def.shape ?? {}).map(([name, member]) => [name, valueFor(member, name, number)])
      const least = members.filter(([name]) => !def.shape?.[name as string]?.safeParse(undefined).success)
      return [Object.fromEntries(members), Object.fromEntries(least)]
    }
    case 'record':
      return [{ one: valueFor(def.valueType as z.ZodType, key, number) }, {}]
    case 'union':
      return (def.options ?? []).flatMap((option) => candidates(option, key, number))
    case 'unknown':
    case 'any':
      return ['anything']
    default:
      return inner === undefined ? [] : candidates(inner, key, number)
  }
}

/** What only together is right, by entity: the values that fit each other. */
const together: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  campaign: {
    status: 'active',
    calendar: {
      months: [
        { id: 1, name: 'Leaffall', days: 30 },
        { id: 2, name: 'Unsold Days', days: 5, leap: [{ every: 4, days: 1 }], between: true },
      ],
      weekdays: ['Ploughday', 'Bellday'],
      firstWeekday: 1,
      moons: [{ name: 'The Lantern', period: 27, fullOn: '412-2-3' }],
      eras: [{ name: 'The Sold Years', from: 300 }],
    },
    worldDate: '412-1-9',
  },
  relation: { fromType: 'npc', toType: 'faction' },
  fog_stroke: { shape: 'rectangle', points: [0.1, 0.1, 0.5, 0.5] },
}

const each = 2

/** There can be one in a campaign: what tells them apart has one value. */
function isAlone({ unique, fields }: Entity): boolean {
  return unique.some((keys) => keys.every((key) => fields[key]?.schema._zod.def.type === 'literal'))
}

/** Two rows of every kind of thing, each with every field that travels, and a mention in every text that can hold one. */
export function filledDocument(entities: readonly Entity[]): FilledDocument {
  const kinds = byDependence(entities.filter((entity) => entity.scope === 'campaign' && travels(entity)))
  const idOf = (name: string, number: number): number =>
    1000 * (1 + kinds.findIndex((kind) => kind.name === name)) + number
  const howMany = (name: string): number => (kinds.some((kind) => kind.name === name && isAlone(kind)) ? 1 : each)
  const linkable = kinds.filter(({ title }) => title !== null)
  const rowOf = (entity: Entity, number: number): Record<string, unknown> => {
    const fixed = together[entity.name] ?? {}
    const row: Record<string, unknown> = { createdAt: at(number), updatedAt: at(number + 5) }
    if (entity.scope !== 'root') row.id = idOf(entity.name, number)
    for (const [key, field] of Object.entries(entity.fields)) {
      const carry = carryOf(entity, key)
      if (typeof carry === 'object' || carry === 'file') continue
      row[key] = key in fixed ? fixed[key] : filled(entity, key, field, number)
    }
    for (const [key, { marks }] of Object.entries(entity.fields)) {
      if (marks.link === undefined || !('type' in marks.link) || row[key] === undefined) continue
      row[key] = idOf(String(row[marks.link.type]), number)
    }
    return { ...row, ...entity.arriving(row) }
  }
  const filled = (entity: Entity, key: string, field: Field, number: number): unknown => {
    const { references, link } = field.marks
    if (link !== undefined) return linkable[(number + key.length) % linkable.length]?.name
    if (references === undefined) {
      const value = valueFor(field.schema, key, number)
      const named = withChangedIds(field.schema, value, (kind) => idOf(kind, 0))
      return mentioning(field, named, number)
    }
    // A tree has a root; every other reference is there.
    return references === entity.name
      ? number === 0
        ? null
        : idOf(references, 0)
      : kinds.some(({ name }) => name === references)
        ? idOf(references, Math.min(number, howMany(references) - 1))
        : null
  }
  const mentioning = ({ schema }: Field, value: unknown, number: number): unknown => {
    const longer = inTexts(value, (text) =>
      text.startsWith('The ') ? `${text}, of whom [Nettie](npc:${idOf('npc', number)}) tells` : text,
    )
    return schema.safeParse(longer).success ? longer : value
  }
  const root = entities.find(({ scope }) => scope === 'root') as Entity
  const rows = kinds.map((entity) => [
    entity.name,
    Array.from({ length: howMany(entity.name) }, (_, number) => rowOf(entity, number)),
  ])
  return { format: 'talekeeper-campaign', version: 1, campaign: rowOf(root, 0), rows: Object.fromEntries(rows) }
}

const mention = /\]\(([a-z_]+):(\d+)\)/g

/** A document in which ids are the places of rows, so that two can be compared. */
export function withoutIds(entities: readonly Entity[], document: FilledDocument): FilledDocument {
  const places = new Map<string, number>()
  for (const [name, rows] of Object.entries(document.rows))
    for (const [index, { id }] of rows.entries()) places.set(`${name}:${id}`, index + 1)
  const place = (name: unknown, id: unknown): unknown =>
    id === null ? null : (places.get(`${name}:${id}`) ?? `lost ${name} ${id}`)
  const withPlaces = (schema: z.ZodType, value: unknown): unknown =>
    withChangedIds(schema, value, (name, id) => places.get(`${name}:${id}`) ?? null)
  const placed = (entity: Entity, row: Readonly<Record<string, unknown>>): Record<string, unknown> => {
    const result: Record<string, unknown> = { ...row }
    delete result.id
    for (const [key, { marks, schema }] of Object.entries(entity.fields)) {
      const value = row[key]
      if (value === undefined) continue
      if (marks.references !== undefined) result[key] = place(marks.references, value)
      else if (marks.link !== undefined && 'type' in marks.link) result[key] = place(row[marks.link.type], value)
      else
        result[key] = inTexts(withPlaces(schema, value), (text) =>
          text.replace(mention, (_, name: string, id: string) => `](${name}:${place(name, Number(id))})`),
        )
    }
    return result
  }
  const entityOf = (name: string): Entity => entities.find((each) => each.name === name) as Entity
  const root = entities.find(({ scope }) => scope === 'root') as Entity
  const rows = Object.entries(document.rows).map(([name, list]) => [
    name,
    list.map((row) => placed(entityOf(name), row)),
  ])
  const { format, version } = document
  return { format, version, campaign: placed(root, document.campaign), rows: Object.fromEntries(rows) }
}
