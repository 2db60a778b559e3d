import type { Entity } from '../kernel/entity.ts'
import type { Predicate } from '../kernel/visibility.ts'

// Where a text lies in the index. FTS5 keeps what holds a word in the order of its documents, and finds a range of them
// without reading the rest. So a document's number says what it is of: the campaign first, then whether members may see it
// who are no Dungeon Masters. A search reads the ranges that are its own: what other campaigns hold costs it nothing, and
// what is hidden costs nothing to who does not see it, so that no time tells of either.

const perCampaign = 2 ** 33
const perPart = 2 ** 32

type Row = Readonly<Record<string, unknown>>

/** `open`: what a member could see by the row itself. `closed`: what only Dungeon Masters see, or whom the row names. */
export type Part = 'open' | 'closed'

/** The first and the last number of a part of a campaign; null is what lies in none. */
export function rangeOf(campaignId: number | null, part: Part): { readonly from: number; readonly to: number } {
  const from = (campaignId ?? 0) * perCampaign + (part === 'open' ? 0 : perPart)
  return { from, to: from + perPart - 1 }
}

/** SQL that holds for documents of a part; FTS5 uses it for its rowid only as an integer, which bound numbers are not. */
export function withinSql(id: string, part: Part): string {
  const [from, to] = [`@${part}From`, `@${part}To`]
  return `${id} BETWEEN CAST(${from} AS INTEGER) AND CAST(${to} AS INTEGER)`
}

/** What `withinSql` binds. */
export function placeBindings(campaignId: number | null): Readonly<Record<string, number>> {
  const [open, closed] = [rangeOf(campaignId, 'open'), rangeOf(campaignId, 'closed')]
  return { openFrom: open.from, openTo: open.to, closedFrom: closed.from, closedTo: closed.to }
}

/** Where a document stands among all of its campaign, whichever part it lies in: the newest highest. */
export function turnOf(id: number): number {
  return id % perPart
}
export const turnSql = (id: string): string => `${id} % ${perPart}`

// What is closed but names a user lies in an index of its own (`search_text_own`), where each user has a range in each campaign.
// A number there takes 63 bits, which JavaScript has no exact number for: it is made and read in SQL alone.
const [campaignBits, userBits] = [43, 25]

/** SQL that holds for numbers in the viewer's own range; binds `@campaign` and `@viewer`. */
export function ownSql(id: string): string {
  const from = `(CAST(@campaign AS INTEGER) << ${campaignBits}) | (CAST(@viewer AS INTEGER) << ${userBits})`
  return `${id} BETWEEN (${from}) AND ((${from}) | ${2 ** userBits - 1})`
}

/** The number of the document that lies at a number there; binds what `withinSql` does. */
export function ownDocumentSql(id: string): string {
  return `CAST(@closedFrom AS INTEGER) + (${id} & ${2 ** userBits - 1})`
}

/** Whether the thing that a row follows lies in the open part. */
export type IsParentOpen = (entity: string, id: number) => boolean

/** In which part a row's document lies: in the closed one where it is hidden from members, by its own fields or with its parent. */
export function partOf(entity: Entity, row: Row, parents: IsParentOpen): Part {
  return couldHold(entity.visible, row, parents) ? 'open' : 'closed'
}

/**
 * Whether a member who is named by no field could see a row, as far as the row and what it follows tell: what hangs on a link
 * or on somebody's agreement is taken for seen, since either may come without this row being written.
 */
function couldHold(predicate: Predicate, row: Row, parents: IsParentOpen): boolean {
  switch (predicate.is) {
    case 'dm':
    case 'admin':
      return false
    case 'self':
      return predicate.through !== undefined
    case 'field':
      return predicate.in.includes(row[predicate.field] as string | number | boolean | null)
    case 'any':
      return predicate.of.some((each) => couldHold(each, row, parents))
    case 'all':
      return predicate.of.every((each) => couldHold(each, row, parents))
    case 'parent': {
      const id = row[predicate.field]
      return typeof id !== 'number' || parents(predicate.entity, id)
    }
    case 'everyone':
    case 'linked':
    case 'agreed':
    case 'opened':
      return true
  }
}

/** The fields with the users who see a row although it is closed. */
export function readerFieldsOf(entity: Entity): readonly string[] {
  const fields = (predicate: Predicate): readonly string[] => {
    if (predicate.is === 'any' || predicate.is === 'all') return predicate.of.flatMap(fields)
    return predicate.is === 'self' && predicate.through === undefined ? [predicate.field] : []
  }
  return Array.from(new Set(fields(entity.visible)))
}
