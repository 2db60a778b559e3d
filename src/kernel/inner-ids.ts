import type * as z from 'zod'
import { schemaMarks } from './fields.ts'

// Ids inside of other values: a line of a random table that leads to another, the characters that got something. Their
// schemas say whose ids they are (`idOf`), so that they can be followed wherever the value goes.

interface Definition {
  readonly type: string
  readonly innerType?: z.ZodType
  readonly element?: z.ZodType
  readonly valueType?: z.ZodType
  readonly in?: z.ZodType
  readonly items?: readonly z.ZodType[]
  readonly shape?: Readonly<Record<string, z.ZodType>>
  readonly options?: readonly z.ZodType[]
}

const definitionOf = (schema: z.ZodType): Definition => schema._zod.def as unknown as Definition

/** The entity whose ids a schema holds, at whatever depth; null where it holds none. */
export function idsIn(schema: z.ZodType): string | null {
  const own = schemaMarks.get(schema)?.entity
  if (own !== undefined) return own
  for (const inner of partsOf(schema)) {
    const found = idsIn(inner)
    if (found !== null) return found
  }
  return null
}

const namesRows = /(?:^id|Ids?)$/

/** The first member inside of a value that is called like an id, is a number, and does not say of what; null where none is. */
export function unmarkedId(schema: z.ZodType, place = ''): string | null {
  const { shape } = definitionOf(schema)
  for (const [key, member] of Object.entries(shape ?? {})) {
    const at = place === '' ? key : `${place}.${key}`
    if (namesRows.test(key) && key !== 'id' && isNumber(member) && idsIn(member) === null) return at
    const found = unmarkedId(member, at)
    if (found !== null) return found
  }
  for (const inner of shape === undefined ? partsOf(schema) : []) {
    const found = unmarkedId(inner, place)
    if (found !== null) return found
  }
  return null
}

function isNumber(schema: z.ZodType): boolean {
  if (definitionOf(schema).type === 'number') return true
  const { shape } = definitionOf(schema)
  return shape === undefined && partsOf(schema).some(isNumber)
}

function partsOf(schema: z.ZodType): readonly z.ZodType[] {
  const { innerType, element, valueType, items, shape, options, in: before } = definitionOf(schema)
  const parts = [
    innerType,
    element,
    valueType,
    before,
    ...(items ?? []),
    ...Object.values(shape ?? {}),
    ...(options ?? []),
  ]
  // Where `items` of a tuple are functions of another kind, they are no schemas.
  return parts.filter((part) => typeof part === 'object')
}

/** What becomes of an id: another, or null where what it names does not go along. `place` is where it stands in the value. */
export type ChangeId = (entity: string, id: number, place: string) => number | null

const gone = Symbol('gone')

/**
 * The value with other ids. What a member names that is gone is null or absent, as its schema allows; an entry of a list goes
 * with it, and so does an object that cannot be without. Null where nothing is left.
 */
export function withChangedIds(schema: z.ZodType, value: unknown, change: ChangeId): unknown {
  const changed = changedIds(schema, value, change, '')
  return changed === gone ? null : changed
}

function changedIds(schema: z.ZodType, value: unknown, change: ChangeId, place: string): unknown {
  if (value === null || value === undefined) return value
  const entity = schemaMarks.get(schema)?.entity
  if (entity !== undefined && typeof value === 'number') return change(entity, value, place) ?? gone
  const { type, innerType, element, valueType, shape, options } = definitionOf(schema)
  if (innerType !== undefined) {
    const inner = changedIds(innerType, value, change, place)
    return inner === gone && type === 'nullable' ? null : inner
  }
  if (element !== undefined && Array.isArray(value))
    return value
      .map((each, index) => changedIds(element, each, change, `${place}[${index}]`))
      .filter((each) => each !== gone)
  if (options !== undefined) {
    const option = options.find((each) => each.safeParse(value).success)
    return option === undefined ? value : changedIds(option, value, change, place)
  }
  if (typeof value !== 'object') return value
  const result: Record<string, unknown> = {}
  for (const [key, each] of Object.entries(value)) {
    const member = shape?.[key] ?? valueType
    const changed = member === undefined ? each : changedIds(member, each, change, `${place}.${key}`)
    if (changed !== gone) result[key] = changed
    else if (shape !== undefined && member?.safeParse(undefined).success !== true) return gone
  }
  return result
}

/** Changes the texts in a value, wherever they stand. */
export function inTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value)
  if (Array.isArray(value)) return value.map((each) => inTexts(each, change))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, inTexts(each, change)]))
}
