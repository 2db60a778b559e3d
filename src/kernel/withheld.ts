import type { ConsentTerms } from './viewer.ts'

/** What an answer to an outside AI says of the texts that it leaves out; nothing to a person. */
export interface Withheld {
  readonly withheld?: number
  readonly withheldMessage?: string
}

/** How many are counted at most. */
export const mostWithheld = 1000

/** The words for a number of texts that were left out. It names neither them nor their authors (SPEC appendix 4). */
export function sayWithheld(terms: ConsentTerms | null, count: number): Withheld {
  if (terms === null) return {}
  return count === 0 ? { withheld: 0 } : { withheld: count, withheldMessage: withheldSentence(terms.policy, count) }
}

export function withheldSentence(policy: ConsentTerms['policy'], count: number): string {
  const most = count >= mostWithheld ? 'At least ' : ''
  const texts =
    count === 1 ? '1 text of another member is withheld' : `${most}${count} texts of other members are withheld`
  return policy === 'disabled'
    ? `${texts}: this campaign gives none to an outside AI. A Dungeon Master decides that, in the campaign's settings.`
    : `${texts} pending author consent. Each member decides for themself, on the page of members; whispers are never given.`
}
