import type { Field, Fields } from './fields.ts'
import { anyOf, dungeonMasters, fieldsOfPredicate, type Predicate } from './visibility.ts'

/** Who of those that see a row may read a field of it, as a predicate of the row. Null: everybody who sees the row. */
export function readersOf(entity: { readonly isOwn: Predicate | null }, field: Field): Predicate | null {
  const { readableBy } = field.marks
  if (readableBy === undefined) return null
  if (readableBy === 'dm') return dungeonMasters
  if (readableBy !== 'owner') return readableBy
  if (entity.isOwn === null) throw new Error('readableBy owner needs an owner')
  return anyOf(dungeonMasters, entity.isOwn)
}

/** The part of a declaration in which an audience can contradict something else. */
interface Declared {
  readonly name: string
  readonly fields: Fields
  readonly visible: Predicate
  readonly title?: string | undefined
  readonly untitled?: { readonly field: string } | undefined
  readonly owner: string | null
  readonly controller?: string | undefined
  readonly acting?: string | undefined
  readonly writtenBy?: string | undefined
  readonly unique?: readonly (readonly string[])[] | undefined
  readonly lists?: { readonly orders: readonly (readonly (readonly [string, unknown])[])[] } | undefined
}

const standard = new Set(['id', 'campaignId', 'userId', 'revision', 'createdAt', 'updatedAt', 'deletedAt'])

/**
 * Throws where a field's audience could not be honoured: where something else would show the value, or act on it, for people
 * who may not read it.
 */
export function checkAudiences(declared: Declared): void {
  const { name, fields, visible, owner, unique, lists } = declared
  const refuse = (key: string, why: string): never => {
    throw new Error(`${name}.${key}: ${why}`)
  }
  const known = (key: string): void => {
    if (!(key in fields) && !standard.has(key)) refuse(key, 'a predicate names it, and there is no such field')
  }
  const everybody = (key: string | null | undefined, why: string): void => {
    if (key == null || fields[key] === undefined) return
    if (fields[key].marks.readableBy !== undefined || fields[key].marks.internal) refuse(key, why)
  }
  const dmAtMost = (key: string, why: string): void => {
    const readableBy = fields[key]?.marks.readableBy
    if (readableBy !== undefined && readableBy !== 'dm') refuse(key, why)
  }

  everybody(declared.title, 'the title is shown wherever the thing is named, so everybody who sees the thing reads it')
  everybody(declared.untitled?.field, 'it names the thing, so everybody who sees the thing reads it')
  everybody(declared.writtenBy, 'it decides what an outside AI gets, so everybody who sees the thing reads it')
  for (const path of [owner, declared.controller, declared.acting])
    everybody(path, 'what somebody may do tells whose it is, so everybody who sees the thing reads it')
  for (const key of unique?.flat() ?? []) everybody(key, 'a value that is taken is refused, which tells that it exists')
  for (const key of fieldsOfPredicate(visible)) {
    known(key)
    dmAtMost(key, 'it decides who sees the row, and that tells its value')
  }
  for (const [key] of lists?.orders.flat() ?? []) {
    dmAtMost(key, 'a list cannot be in the order of what not everybody reads')
    const { references, owned, link } = fields[key]?.marks ?? {}
    if (link || (references !== undefined && references !== 'user' && !owned))
      refuse(key, 'a list cannot be in the order of what reads as null where its target is hidden')
  }
  for (const [key, { marks }] of Object.entries(fields)) {
    const { readableBy, internal, search, owned } = marks
    if (internal && (readableBy !== undefined || search !== undefined))
      refuse(key, 'what never leaves the storage has no readers and is not searched')
    if (search !== undefined)
      dmAtMost(key, 'the search index knows what everybody reads and what the DM reads, no more')
    if (owned) everybody(key, 'what owns the row is told with the row')
    if (readableBy === 'owner' && owner === null) refuse(key, 'readableBy owner needs an owner')
    if (typeof readableBy !== 'object') continue
    for (const deciding of fieldsOfPredicate(readableBy)) {
      known(deciding)
      dmAtMost(deciding, `it decides who reads ${key}, and that tells its value`)
    }
  }
}

/**
 * Throws where a reference or a link could not bring its target's name beside it: `locationId` brings `location`, and
 * `entityType` with `entityId` bring `entity`.
 */
export function checkReferences({ name, fields }: Pick<Declared, 'name' | 'fields'>): void {
  for (const [key, { marks }] of Object.entries(fields)) {
    const { references, link } = marks
    if (link !== undefined) {
      const [other, back] = 'id' in link ? [link.id, 'type'] : [link.type, 'id']
      if (!fields[other]?.marks.link || !(back in fields[other].marks.link))
        throw new Error(`${name}.${key}: a link has two halves, and ${other} is not the other`)
      if ('id' in link) continue
    }
    if (references === undefined && link === undefined) continue
    if (!key.endsWith('Id')) throw new Error(`${name}.${key}: a reference ends in Id`)
    const beside = referenceName(key)
    if (beside in fields || standard.has(beside)) throw new Error(`${name}.${key}: there is a field ${beside} already`)
  }
}

/** The member beside a reference that names its target. */
export function referenceName(key: string): string {
  return key.slice(0, -'Id'.length)
}
