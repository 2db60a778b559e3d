import { invalid } from '../../kernel/errors.ts'

/** The longest that a shared recap can be read, in days. */
export const longestDays = 366

const dayMs = 24 * 3600 * 1000

/** Until when a recap is shared, as it is stored. Throws `validation_failed` for what is over, or more than a year away. */
export function expiryOf(expiresAt: string, now: string): string {
  const at = new Date(expiresAt).toISOString()
  if (at <= now) throw invalid('expiresAt', 'in the future', 'expiresAt: this moment is over.')
  if (Date.parse(at) > Date.parse(now) + longestDays * dayMs)
    throw invalid('expiresAt', `within ${longestDays} days`, `expiresAt: at most ${longestDays} days from now.`)
  return at
}

/** Whether an address still opens a recap. */
export function isOpen(share: { readonly revokedAt: string | null; readonly expiresAt: string }, now: string): boolean {
  return share.revokedAt === null && share.expiresAt > now
}
