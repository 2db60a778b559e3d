import { capRole, type Role, rank, roles } from '../kernel/viewer.ts'
import { refuse } from './errors.ts'

/**
 * Scopes are the ladder of roles (SPEC 5.4): each holds those below it, so that a request for several is one for the
 * highest, and a grant of one is answered with that one word.
 */
export const scopesSupported: readonly Role[] = roles.toReversed()

/** What a client gets to ask for that names no scope (RFC 6749, 3.3). The person lowers it at consent. */
export const defaultScope: Role = 'dm'

/** The highest scope of a list. Unknown words are left out; null where there is no list. Throws `invalid_scope` where nothing is left. */
export function readScope(text: string | null): Role | null {
  if (text === null) return null
  const known = text.split(' ').filter((word): word is Role => roles.some((role) => role === word))
  const [first, ...others] = known
  if (first === undefined) throw refuse('invalid_scope', `the scopes are ${scopesSupported.join(', ')}`)
  return others.reduce((highest, each) => (rank(each) > rank(highest) ? each : highest), first)
}

/** A scope for a new access token: at most what was granted (RFC 6749, 6). Throws `invalid_scope`. */
export function narrowedScope(asked: Role | null, granted: Role): Role {
  if (asked === null) return granted
  if (capRole(asked, granted) !== asked) throw refuse('invalid_scope', `${granted} was granted, not ${asked}`)
  return asked
}

/** The scopes up to `highest`, lowest first. */
export function scopesUpTo(highest: Role): readonly Role[] {
  return roles.filter((role) => rank(role) <= rank(highest))
}
