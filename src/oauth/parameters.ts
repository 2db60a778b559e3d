import { refuse } from './errors.ts'

/** The members of a query or of a form. */
export type Parameters = URLSearchParams

/** Longer values are never meant: redirect addresses and states are the longest. In UTF-16 units. */
const mostLength = 4096

/** A parameter without a value counts as left away, and none may come twice (RFC 6749, 3.1 and 3.2). Throws `invalid_request`. */
export function optional(parameters: Parameters, name: string): string | null {
  const values = parameters.getAll(name)
  if (values.length > 1) throw refuse('invalid_request', `${name} came more than once`)
  const [value = ''] = values
  if (value.length > mostLength) throw refuse('invalid_request', `${name} is too long`)
  return value === '' ? null : value
}

/** Throws `invalid_request`. */
export function required(parameters: Parameters, name: string): string {
  const value = optional(parameters, name)
  if (value === null) throw refuse('invalid_request', `${name} is missing`)
  return value
}
