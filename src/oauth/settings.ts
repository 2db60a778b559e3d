/** How long things live, in seconds. Tests may shorten them; nothing else does. */
export interface Lifetimes {
  readonly access: number
  /** Of one refresh token; each use gives out a new one, which begins anew. */
  readonly refresh: number
  readonly code: number
  /** From the authorization request to the answer of the person. */
  readonly request: number
}

export const standardLifetimes: Lifetimes = {
  access: 3600,
  refresh: 90 * 24 * 3600,
  code: 60,
  request: 600,
}

/** The instant so many seconds later. */
export function later(now: string, seconds: number): string {
  return new Date(Date.parse(now) + seconds * 1000).toISOString()
}
