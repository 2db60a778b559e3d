import type { JSX } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { useSearch } from 'wouter-preact'
import type { Input, Item, ListName } from '../api/contract.ts'
import { counted, type PagedList, usePages } from '../shell/context.ts'
import { Button } from './button.tsx'
import { capitalize, count, fold, number } from './format.ts'
import { useKept } from './hooks.ts'
import { LoadError, Loading } from './page.tsx'

export interface FilteredList<T> extends PagedList<T> {
  readonly typed: string
  readonly onType: (typed: string) => void
  /** The tag to which the address narrows it (`?tag=orchard`), where it does. */
  readonly tag?: string | null
  /** What is left of the items by what was typed, and by the tag. */
  readonly shown: readonly T[]
}

/** The items by a key, each group in the order of the items. */
export function groupBy<T, K>(items: readonly T[], keyOf: (item: T) => K): ReadonlyMap<K, readonly T[]> {
  const groups = new Map<K, T[]>()
  for (const item of items) {
    const key = keyOf(item)
    const group = groups.get(key)
    if (group) group.push(item)
    else groups.set(key, [item])
  }
  return groups
}

/** The items with one of them right behind another, or first of all; as they are where one of the two is not there. */
export function withMoved<T extends { readonly id: number }>(
  items: readonly T[],
  id: number,
  after: number | undefined,
): readonly T[] {
  const moving = items.find((item) => item.id === id)
  const others = items.filter((item) => item.id !== id)
  const place = after === undefined ? 0 : others.findIndex((item) => item.id === after) + 1
  if (moving === undefined || (after !== undefined && place === 0)) return items
  return [...others.slice(0, place), moving, ...others.slice(place)]
}

/** Whether every typed word occurs in the text, whatever its accents and capitals. */
export function matches(typed: string, text: string): boolean {
  const inside = fold(text)
  return fold(typed)
    .split(/\s+/)
    .every((word) => inside.includes(word))
}

/** How long the typing has to pause before the server is asked. */
const pauseMs = 180

/** Lists that the server narrows by words. */
type SearchedList = { [K in ListName]: 'query' extends keyof Input<K> ? K : never }[ListName]

/** What was typed, once the typing has paused: as many letters as a server takes. */
function useAsked(typed: string): string {
  const [query, setQuery] = useState(() => typed.trim().slice(0, 200))
  useEffect(() => {
    const words = typed.trim().slice(0, 200)
    const timer = setTimeout(() => setQuery(words), words === '' ? 0 : pauseMs)
    return () => clearTimeout(timer)
  }, [typed])
  return query
}

interface Narrowing<K extends SearchedList> {
  /** Reads the whole of the list at once, for what the page does with it. */
  readonly all?: boolean
  /** What else it is narrowed by: the choices beside the box. */
  readonly by?: Partial<Input<K>>
}

/**
 * A list that the server narrows: by what is typed, words or how they begin, in all of its texts; by the tag in the address;
 * and by what was chosen beside the box. `items` are those of the list as it is, `shown` what is left; `total` counts the
 * latter.
 */
export function useSearchedList<K extends SearchedList>(
  name: K,
  input: Input<K>,
  { all = false, by = {} }: Narrowing<K> = {},
): SearchedItems<Item<K>> {
  const [typed, onType] = useKept('typed', '')
  const query = useAsked(typed)
  const tag = new URLSearchParams(useSearch()).get('tag')
  const narrowed = {
    ...by,
    ...(query === '' ? {} : { query }),
    ...(tag === null ? {} : { tag }),
  }
  const isNarrow = Object.keys(narrowed).length > 0
  const whole = usePages(name, counted(input), { all })
  const found = usePages(name, isNarrow ? counted({ ...input, ...narrowed }) : null, { all })
  // What was found last stays until the next is there: a list that blinks with each letter cannot be read.
  const last = useRef<readonly Item<K>[]>([])
  if (!isNarrow) last.current = whole.items
  else if (!found.waiting) last.current = found.items
  const now = isNarrow ? found : whole
  return { ...now, items: whole.items, all: whole.total, typed, onType, tag, shown: last.current }
}

export interface SearchedItems<T> extends FilteredList<T> {
  /** How many there are of the list as it is, counted to a thousand. */
  readonly all: number | undefined
}

/**
 * A list that is narrowed here, where the server finds no words in it. Once something is typed the rest of the list is read,
 * so nothing is missed.
 */
export function useFilteredList<K extends ListName>(
  name: K,
  input: Input<K> | null,
  textOf: (item: Item<K>) => string,
): FilteredList<Item<K>> {
  const [typed, onType] = useKept('typed', '')
  const listing = usePages(name, input, { all: typed.trim() !== '' })
  const { items } = listing
  const shown = useMemo(
    () => (typed.trim() ? items.filter((item) => matches(typed.trim(), textOf(item))) : items),
    [items, typed],
  )
  return { ...listing, typed, onType, shown }
}

/** From how many on it is worth saying how many there are. */
const COUNTED_FROM = 20

/** What stands below a list: that it is on its way, that it failed, that there is more, that nothing fits, or how many there are. */
export function ListFooter<T>({
  list,
  typed = '',
  shown,
  one,
  many,
}: {
  list: PagedList<T>
  typed?: string
  /** How many of it are on the page. */
  shown: number
  /** What one of them and several are called. */
  one?: string
  many?: string
}): JSX.Element | null {
  if (list.error) {
    // What was asked for last is asked for again: the next page, or all of it.
    return <LoadError error={list.error} retry={list.more ? list.loadMore : list.retry} within />
  }
  if (list.waiting) return <Loading />
  if (typed && shown === 0 && !list.loading && !list.more) return <NothingFits typed={typed} />
  if (list.more) {
    const [word, busy] = shown === 0 ? ['Look further back', 'Looking'] : ['Show more', 'Reading on']
    return (
      <div class="list-end stack">
        {shown === 0 && typed && <p class="soft">Nothing of the latest speaks of “{typed}”.</p>}
        {list.total !== undefined && many && (
          <p class="soft small">{`${number(shown)} of ${totalWord(list.total)} ${many}`}</p>
        )}
        <p>
          <Button busy={list.loading} onClick={list.loadMore}>
            {list.loading ? busy : word}
          </Button>
        </p>
      </div>
    )
  }
  if (one === undefined || shown < COUNTED_FROM) return null
  return <p class="soft small list-end">{capitalize(count(shown, one, many))}</p>
}

/** How far the server counts. */
const COUNTED_TO = 1000

/** `118`, and `1,000+` from where on nobody counts. */
export const totalWord = (total: number): string => `${number(total)}${total >= COUNTED_TO ? '+' : ''}`

function NothingFits({ typed }: { typed: string }): JSX.Element {
  return <p class="soft list-end">Nothing here speaks of “{typed}”. Try a shorter word.</p>
}
