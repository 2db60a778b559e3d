import type { ComponentType } from 'preact'
import type { CreateOf, DeleteOf, EntityName, GetOf, ListOf, RowOf, UpdateOf } from './api/contract.ts'
import type { IconName } from './kit/icon.tsx'

// What a line of the table of kinds says (kinds.ts).

/** Fetches the code of a page when it is first opened. */
export type PageLoader<P> = () => Promise<ComponentType<P>>

interface KindPages {
  /** All of them, at the address of the section. */
  readonly list?: PageLoader<object>
  /** One of them, at `<section>/<id>`. */
  readonly one?: PageLoader<{ readonly id: number }>
  /** A form for a new one (`<section>/new`, `id` null) and for one there is (`<section>/<id>/edit`). */
  readonly edit?: PageLoader<{ readonly id: number | null }>
  /** What else one of them has below its own address: `recap`, `recap/edit`. */
  readonly below?: Readonly<Record<string, PageLoader<{ readonly id: number }>>>
}

interface Navigation {
  /** `tale`: what the campaign is about. `table`: who plays it, and what passes between them. */
  readonly group: 'tale' | 'table'
  /** The word in the navigation, where it is not the word for many. */
  readonly word?: { readonly dm: string; readonly others: string }
  /** Where it differs from the icon of one. */
  readonly icon?: IconName
  /** It stands at the foot of a phone; the others are behind More. */
  readonly phone?: boolean
  /** What waits there for the DM is counted beside the word. */
  readonly counted?: boolean
  /** Guests have no part in it. */
  readonly playersOnly?: boolean
  /** Nobody but a DM has. */
  readonly dmOnly?: boolean
}

/** Present and named where the catalogue has such an operation, absent where it has none. */
type Named<Member extends string, Operation> = [Operation] extends [never]
  ? { readonly [M in Member]?: never }
  : { readonly [M in Member]: Operation }

export interface KindWords {
  /** One of them, as a person says it, and several. */
  readonly one: string
  readonly many: string
  readonly icon: IconName
  /** The segment of the address under the campaign's own. */
  readonly section?: string
  readonly pages?: KindPages
  readonly navigation?: Navigation
  /** `everybody`: a player's call becomes a proposal. Where it is absent there is no form for a new one. */
  readonly madeBy?: 'dm' | 'everybody'
  /** Texts can speak of it by name. */
  readonly mentionable?: boolean
  /** How one speaks of one of them, where it is not `it`. */
  readonly pronoun?: 'them'
  /** Told to players as news when it changes. */
  readonly news?: boolean
}

export type KindOf<N extends EntityName> = KindWords & {
  /** What one of them is called. Those without it have no name of their own. */
  titleOf?(row: RowOf<N>): string
} & Named<'list', ListOf<N>> &
  Named<'get', GetOf<N>> &
  Named<'create', CreateOf<N>> &
  Named<'update', UpdateOf<N>> &
  Named<'delete', DeleteOf<N>>
