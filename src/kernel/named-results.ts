import { fail } from './errors.ts'

// `{"$of": "marta"}` in the input of a proposed change stands for the id of what an earlier change, `as: "marta"`, makes.

interface Named {
  readonly as?: string | undefined
}

/** The name that a value refers to; null where it is any other value. */
export function nameIn(value: unknown): string | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null
  const { $of: name, ...rest } = value as { readonly $of?: unknown }
  return typeof name === 'string' && Object.keys(rest).length === 0 ? name : null
}

/** Whether a value refers to a result anywhere inside. */
export function refersToResult(value: unknown): boolean {
  if (nameIn(value) !== null) return true
  return typeof value === 'object' && value !== null && Object.values(value).some(refersToResult)
}

/** Throws `validation_failed` where two changes give their results one name. */
export function checkNames(changes: readonly Named[]): void {
  const places = new Map<string, number>()
  for (const [index, { as }] of changes.entries()) {
    if (as === undefined) continue
    const earlier = places.get(as)
    if (earlier !== undefined) {
      const sentence = `Changes ${earlier + 1} and ${index + 1} are both called "${as}". Give each result a name of its own.`
      throw fail('validation_failed', sentence, { details: [{ path: `changes.${index}.as`, message: 'a name twice' }] })
    }
    places.set(as, index)
  }
}

/**
 * A value with ids in place of references. Throws `validation_failed` for one that names nothing made so far, and says where
 * the thing is made, if it is.
 */
export function withResults(value: unknown, made: ReadonlyMap<string, number>, changes: readonly Named[]): unknown {
  const name = nameIn(value)
  if (name !== null) return made.get(name) ?? unknownResult(name, made, changes)
  return mapped(value, (inner) => withResults(inner, made, changes))
}

function unknownResult(name: string, made: ReadonlyMap<string, number>, changes: readonly Named[]): never {
  const later = changes.findIndex(({ as }) => as === name)
  const earlier =
    made.size === 0 ? 'No earlier change has a name' : `Earlier changes make ${[...made.keys()].join(', ')}`
  const sentence =
    later < 0
      ? `{"$of": "${name}"} names nothing. ${earlier}; a change gets one by "as".`
      : `{"$of": "${name}"} names what change ${later + 1} makes, and that comes no earlier. Put change ${later + 1} before it.`
  throw fail('validation_failed', sentence)
}

/** What was parsed of a value, with the references that stood in it before they were ids. */
export function withReferences(parsed: unknown, raw: unknown): unknown {
  if (nameIn(raw) !== null) return raw
  if (Array.isArray(parsed) && Array.isArray(raw) && parsed.length === raw.length)
    return parsed.map((each, index) => withReferences(each, raw[index]))
  if (!isRecord(parsed) || !isRecord(raw)) return parsed
  return Object.fromEntries(Object.entries(parsed).map(([key, each]) => [key, withReferences(each, raw[key])]))
}

function mapped(value: unknown, change: (inner: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map(change)
  if (!isRecord(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, change(inner)]))
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
