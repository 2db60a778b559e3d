/** How far the party's standing with a faction reaches, both ways. */
export const mostReputation = 100

/**
 * Where a reputation stands after a change, and what is left of the change: it ends at 100 and at -100. Null where
 * nothing is left of it.
 */
export function adjusted(
  reputation: number,
  delta: number,
): { readonly reputation: number; readonly delta: number } | null {
  const after = Math.max(-mostReputation, Math.min(mostReputation, reputation + delta))
  return after === reputation ? null : { reputation: after, delta: after - reputation }
}
