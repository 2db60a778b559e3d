import * as z from 'zod'
import type { ConsentTerms } from '../../kernel/viewer.ts'
import { aiContentPolicy } from '../campaign/entity.ts'

export type AiContentPolicy = z.output<typeof aiContentPolicy>

/** Anything that a member wrote. A Dungeon Master is a member too. */
interface Authored {
  readonly authorUserId: number
}
export type Sources = Readonly<Record<string, readonly Authored[]>>

/** What the gate did, in numbers alone: it never says whose texts were withheld (SPEC appendix 4). */
export const consentOutput = z.object({
  policy: aiContentPolicy,
  included: z.int(),
  withheld: z.int(),
  withheldByReason: z.object({ no_consent: z.int(), policy_disabled: z.int() }),
  message: z.string(),
})
export type ConsentReport = z.output<typeof consentOutput>

interface Gated<S extends Sources> {
  readonly admitted: { readonly [K in keyof S]: S[K][number][] }
  readonly consent: ConsentReport
}

/**
 * The consent gate of SPEC 2.2, 3 and its appendix: which texts of members an external AI may get as source material.
 *
 * - Under the policy `disabled`: none at all (SPEC 2.2).
 * - Under `member_consent`: those of authors whose own flag is on (appendix 1); nobody else can set that flag.
 * - A connected MCP agent is always external, so what it gathers goes through the gate (appendix 3), and so does what an app
 *   gathers with its token. A person at the table reads what they may read, and gathers it (`ungated`).
 *
 * Unlike in a list, its own person's texts are no material either until that person agrees: a recap is for everybody.
 * `unread`: how many texts were kept from the reader already. Private notes and whispers are never a source, consent or not: do
 * not pass them in. Pure; the order of each list is kept.
 */
export function gateByConsent<S extends Sources>({ policy, agreed }: ConsentTerms, sources: S, unread = 0): Gated<S> {
  const mayUse = ({ authorUserId }: Authored): boolean => policy === 'member_consent' && agreed.has(authorUserId)
  const admitted = Object.fromEntries(Object.entries(sources).map(([name, rows]) => [name, rows.filter(mayUse)]))
  const included = rowsIn(admitted)
  return { admitted: admitted as never, consent: report(policy, included, rowsIn(sources) - included + unread) }
}

/** All of the sources, for a person. */
export function ungated<S extends Sources>(policy: AiContentPolicy, sources: S): Gated<S> {
  const admitted = Object.fromEntries(Object.entries(sources).map(([name, rows]) => [name, [...rows]]))
  return { admitted: admitted as never, consent: report(policy, rowsIn(sources), 0) }
}

function rowsIn(sources: Sources): number {
  return Object.values(sources).reduce((sum, rows) => sum + rows.length, 0)
}

function report(policy: AiContentPolicy, included: number, withheld: number): ConsentReport {
  const disabled = policy === 'disabled'
  const withheldByReason = { no_consent: disabled ? 0 : withheld, policy_disabled: disabled ? withheld : 0 }
  return { policy, included, withheld, withheldByReason, message: sentence(policy, withheld) }
}

function sentence(policy: AiContentPolicy, withheld: number): string {
  if (withheld === 0) return 'Nothing was withheld.'
  const notes = withheld === 1 ? '1 note is withheld' : `${withheld} notes are withheld`
  return policy === 'disabled'
    ? `${notes}: this campaign gives no member's notes to an external AI.`
    : `${notes} pending author consent. Each member decides for themself.`
}
