import type * as z from 'zod'
import { type ErrorDetail, fail } from './errors.ts'

/** Strictly parses an operation's input. Throws `validation_failed` with a path for each thing that is wrong. */
export function parseInput<I extends z.ZodType>(schema: I, raw: unknown): z.output<I> {
  const result = schema.safeParse(raw ?? {})
  if (result.success) return result.data
  const details = result.error.issues.flatMap(detailsOf).slice(0, 20)
  const summary = details.map(({ path, message }) => (path ? `${path}: ${message}` : message)).join('; ')
  throw fail('validation_failed', `The input is not valid. ${summary.slice(0, 500)}`, { details })
}

/** A member that does not belong there is named by its own path, not by that of the object around it. */
function detailsOf(issue: z.core.$ZodIssue): ErrorDetail[] {
  const path = issue.path.map(String)
  if (issue.code !== 'unrecognized_keys') return [{ path: path.join('.'), message: issue.message }]
  return issue.keys.map((key) => ({ path: [...path, key].join('.'), message: 'there is no such member' }))
}
