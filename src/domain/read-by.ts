import type * as z from 'zod'
import { type ErrorDetail, fail } from '../kernel/errors.ts'

/** Throws `validation_failed` with the place of each thing that is wrong: `entries[3].statblock.hitPoints.value`. */
export function readBy<S extends z.ZodType>(schema: S, value: unknown, place: string): z.output<S> {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const details = result.error.issues.slice(0, 20).map((issue): ErrorDetail => {
    const keys = issue.code === 'unrecognized_keys' ? issue.keys.slice(0, 3).join(', ') : ''
    return {
      path: placeOf(place, issue.path),
      message: keys === '' ? issue.message : `there is no such member: ${keys.slice(0, 120)}`,
    }
  })
  const said = details
    .slice(0, 3)
    .map(({ path, message }) => (path === '' ? message : `${path}: ${message}`))
    .join('; ')
  throw fail('validation_failed', `Nothing was kept. ${said}.`.slice(0, 600), { details })
}

function placeOf(place: string, path: readonly PropertyKey[]): string {
  return path
    .reduce<string>((said, part) => {
      if (typeof part === 'number') return `${said}[${part}]`
      const text = String(part).slice(0, 60)
      return said === '' ? text : `${said}.${text}`
    }, place)
    .slice(0, 200)
}
