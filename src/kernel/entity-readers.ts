import { readersOf } from './audience.ts'
import type { Fields } from './fields.ts'
import { allOf, dungeonMasters, everyone, type Predicate } from './visibility.ts'

// What follows from a declaration for the predicates in it: where a path of ownership leads, and who reads all of a row.

/** Says with each `self` of a field that references an entity which one that is. */
export function alongPaths(predicate: Predicate, fields: Fields): Predicate {
  if (predicate.is === 'any' || predicate.is === 'all')
    return { ...predicate, of: predicate.of.map((inner) => alongPaths(inner, fields)) }
  const target = predicate.is === 'self' ? fields[predicate.field]?.marks.references : undefined
  return predicate.is !== 'self' || target === undefined || target === 'user'
    ? predicate
    : { ...predicate, through: target }
}

/** What only some read, and references to what may be hidden, change unnoticed by whom they are not for. */
export function readsAllOf(fields: Fields, isOwn: Predicate | null): Predicate {
  const readers = Object.values(fields).flatMap((field) => {
    const { references, link, owned, internal } = field.marks
    if (internal) return []
    const isToThings = link !== undefined || (references !== undefined && references !== 'user' && !owned)
    return [readersOf({ isOwn }, field) ?? (isToThings ? dungeonMasters : null)]
  })
  const distinct = new Map(readers.flatMap((each) => (each === null ? [] : [[JSON.stringify(each), each] as const])))
  return distinct.size === 0 ? everyone : alongPaths(allOf(...distinct.values()), fields)
}

export function withPaths<F extends Fields>(fields: F): F {
  const resolved = Object.entries(fields).map(([key, field]) => {
    const { readableBy } = field.marks
    if (typeof readableBy !== 'object') return [key, field]
    return [key, { ...field, marks: { ...field.marks, readableBy: alongPaths(readableBy, fields) } }]
  })
  return Object.fromEntries(resolved) as F
}
