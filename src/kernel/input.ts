import * as z from 'zod'
import { nearest } from './edit-distance.ts'
import { type ErrorDetail, fail } from './errors.ts'
import { schemaMarks } from './fields.ts'

/** A name that stands where an id belongs: what it could be the name of, and the text. */
export interface NameForId {
  readonly path: string
  readonly entity: string
  readonly text: string
}

/** What else can be said of a name in the place of an id: which list finds it, or the id itself. */
export type FindName = (name: NameForId) => string | null

/**
 * Strictly parses an operation's input. Throws `validation_failed` with a path for each thing that is wrong and with what
 * would be right: the nearest member there is, the form of a date, where the id of a name is found.
 */
export function parseInput<I extends z.ZodType>(schema: I, raw: unknown, findName: FindName = () => null): z.output<I> {
  const result = schema.safeParse(raw ?? {})
  if (result.success) return result.data
  const details = result.error.issues.flatMap((issue) => detailsOf(issue, schema, raw, findName)).slice(0, 20)
  const summary = details.map(({ path, message }) => (path ? `${path}: ${message}` : message)).join('; ')
  throw fail('validation_failed', `The input is not valid. ${summary.slice(0, 560)}`, { details })
}

type Issue = z.core.$ZodIssue

function detailsOf(issue: Issue, schema: z.ZodType, raw: unknown, findName: FindName): ErrorDetail[] {
  const path = issue.path.map(String)
  const at = schemaAt(schema, issue.path)
  if (issue.code === 'unrecognized_keys') {
    const known = at instanceof z.ZodObject ? Object.keys(at.shape) : []
    return issue.keys.map((key) => ({ path: [...path, key].join('.'), message: strangerMessage(key, known) }))
  }
  const where = path.join('.')
  const name = nameForId(issue, where, at, valueAt(raw, issue.path))
  if (name !== null) {
    const found = findName(name)
    return [{ path: where, message: found === null ? 'an id is a whole number' : `an id is a whole number. ${found}` }]
  }
  return [{ path: where, message: `${issue.message}${formOf(issue)}` }]
}

/** A member that does not belong there is named by its own path, not by that of the object around it. */
function strangerMessage(key: string, known: readonly string[]): string {
  const near = nearest(key, known)
  if (near !== null) return `there is no such member; did you mean ${near}?`
  return known.length === 0 ? 'there is no such member' : `there is no such member. There are: ${known.join(', ')}`
}

/** Dates and times are wrong in many ways and right in one. */
function formOf(issue: Issue): string {
  if (issue.code !== 'invalid_format') return ''
  if (issue.format === 'datetime') return ', as in 2026-11-22T19:00:00Z'
  return issue.format === 'date' ? ', as in 2026-11-22' : ''
}

function nameForId(issue: Issue, path: string, schema: z.ZodType | undefined, value: unknown): NameForId | null {
  if (issue.code !== 'invalid_type' || typeof value !== 'string' || schema === undefined) return null
  const entity = schemaMarks.get(schema)?.entity
  return entity === undefined ? null : { path, entity, text: value }
}

/** The schema of what a path leads to, without what only says that it may be absent. */
function schemaAt(schema: z.ZodType, path: readonly PropertyKey[]): z.ZodType | undefined {
  const inner = bare(schema)
  const [key, ...rest] = path
  if (key === undefined) return inner
  const next =
    inner instanceof z.ZodObject
      ? (inner.shape[String(key)] as z.ZodType | undefined)
      : inner instanceof z.ZodArray
        ? (inner.element as z.ZodType)
        : undefined
  return next === undefined ? undefined : schemaAt(next, rest)
}

function bare(schema: z.ZodType): z.ZodType {
  const { innerType } = schema._zod.def as { readonly innerType?: z.ZodType }
  return innerType === undefined || schemaMarks.has(schema) ? schema : bare(innerType)
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((here, key) => (here as Readonly<Record<PropertyKey, unknown>> | undefined)?.[key], value)
}
