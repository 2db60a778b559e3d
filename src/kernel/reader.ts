import type { Entity, ListedRowOf, RowOf, VisibleRowOf } from './entity.ts'
import type { LabelCount } from './label-counts.ts'
import type { ListRequest, Page, PageRequest } from './paging.ts'

type Scalar = string | number | boolean
/** A test on one field: equal, one of, null, set at all, a range (bounds included), or a list that has a text. */
export type Test =
  | Scalar
  | null
  | undefined
  | readonly Scalar[]
  | { readonly from?: Scalar; readonly to?: Scalar }
  | { readonly set: true }
  | { readonly has: string }
/**
 * A value that the reader may not read passes no test, not even the one for null. A reference whose target they do not see
 * reads as null, and passes that one alone.
 */
export type Where<E extends Entity> = { readonly [K in keyof RowOf<E>]?: Test }
export type Order<E extends Entity> = readonly (readonly [keyof RowOf<E> & string, 'asc' | 'desc'])[]

export interface Query<E extends Entity, C extends PropertyKey = PropertyKey> {
  readonly where?: Where<E>
  /** Words that the searchable texts of a row have to begin words with, as in a search; only texts that the reader may read. */
  readonly matching?: string | undefined
  /** `id` is always the last key, so that the order is total. */
  readonly order?: Order<E>
  /** Only these members, and the id. Without it all of them. */
  readonly columns?: readonly C[]
}

/** The members of a row that a query chose. */
export type Chosen<R, C extends keyof R> = Pick<R, C | Extract<'id', keyof R>>

/** The first rows of a group, and how many it has in all. */
export interface Group<R> {
  readonly items: R[]
  readonly count: number
}

type Value<V> = Exclude<V, null | undefined>
/** Values that rows can be grouped by. A list groups by each of its texts. */
type Key<V> = Value<V> extends readonly (infer T)[] ? T : Exclude<V, undefined>

/** Questions to the rows of one entity. Each is one statement, but for `each`. */
export interface RowReader<E extends Entity, R> {
  /** Throws `not_found`. */
  get(id: number): R
  find(id: number | null): R | null
  first<C extends keyof R = keyof R>(query?: Query<E, C>): Chosen<R, C> | null
  page<C extends keyof R = keyof R>(query: Query<E, C> & PageRequest): Page<Chosen<R, C>>
  /**
   * For what is known to be few. Throws, as a fault of the program, where there are more than 1,000: `page`, `each` and
   * `groupBy` are for what can grow.
   */
  all<C extends keyof R = keyof R>(query?: Query<E, C>): Chosen<R, C>[]
  /** Row after row, however many there are, a few hundred at a time. A row that is written meanwhile may be met as it was or as it is. */
  each<C extends keyof R = keyof R>(query?: Query<E, C>): Generator<Chosen<R, C>, void, undefined>
  /** How many there are, or no further than `most`: what many pass is not gone through to its end. */
  count(where?: Where<E>, most?: number): number
  /** The greatest value of a field, of those that can be read; null where there is none. */
  max<K extends keyof R & string>(field: K, where?: Where<E>): Value<R[K]> | null
  /**
   * The labels of a list field, together in whatever case they are written, with how many have each: sorted by their keys,
   * behind the key `after`, no more than `limit`.
   */
  labelsOf(field: keyof R & string, behind: { readonly after: string; readonly limit: number }): readonly LabelCount[]
  /** How many rows have each value. What reads as null counts under null, unless the values are kept counted (`lists.counts`). */
  countBy<K extends keyof R & string>(field: K, where?: Where<E>): ReadonlyMap<Key<R[K]>, number>
  /** For each value of `by`: the sum of a field (a boolean counts 1), and over how many rows. */
  sumBy<K extends keyof R & string>(
    field: keyof R & string,
    by: K,
    where?: Where<E>,
  ): ReadonlyMap<Key<R[K]>, { readonly sum: number; readonly count: number }>
  /** The same of several fields, in one walk through the rows. */
  sumsBy<F extends keyof R & string, K extends keyof R & string>(
    fields: readonly F[],
    by: K,
    where?: Where<E>,
  ): ReadonlyMap<Key<R[K]>, { readonly sums: Readonly<Record<F, number>>; readonly count: number }>
  /** For each of the values of `by` that has rows: the first of them (`limit`, 200 unless told), and how many there are. */
  groupBy<K extends keyof R & string, C extends keyof R = keyof R>(
    by: K,
    values: readonly Value<R[K]>[],
    query?: Query<E, C> & { readonly limit?: number },
  ): ReadonlyMap<Value<R[K]>, Group<Chosen<R, C>>>
}

/** A group out of `groupBy`; an empty one where no row has the value. */
export function groupOf<K, R>(groups: ReadonlyMap<K, Group<R>>, value: K): Group<R> {
  return groups.get(value) ?? { items: [], count: 0 }
}

/** Rows through the viewer's eyes: invisible ones do not exist, secret members are absent, links to the invisible are null. */
export interface Reader<E extends Entity> extends RowReader<E, VisibleRowOf<E>> {
  /**
   * A page of a list, as `listInput` asks for it: narrowed by words, and without the long texts unless they are wanted.
   * `input` is that of the operation; what else it has stays with the caller.
   */
  list(input: ListRequest, query: Pick<Query<E>, 'where' | 'order'>): Page<ListedRowOf<E>>
}

/** Whole rows of the campaign, for guards and writes. The compiler refuses to return them as an entity's output. */
export type UnfilteredReader<E extends Entity> = RowReader<E, RowOf<E>>

/** Rows of all the actor's campaigns, in each through the eyes of the role that they have there. */
export interface AcrossReader<E extends Entity> {
  /** In whichever campaign it is. */
  find(id: number | null): VisibleRowOf<E> | null
  page<C extends keyof VisibleRowOf<E> = keyof VisibleRowOf<E>>(
    query: Query<E, C> & PageRequest,
  ): Page<Chosen<VisibleRowOf<E>, C>>
  count(where?: Where<E>, most?: number): number
}
