import type { JSX } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import type { Input, Item, ListName } from '../api/contract.ts'
import { type PagedList, usePages } from '../shell/context.ts'
import { Button } from './button.tsx'
import { LoadError, Loading } from './page.tsx'

export interface FilteredList<T> extends PagedList<T> {
  readonly typed: string
  readonly onType: (typed: string) => void
  /** What is left of the items by what was typed. */
  readonly shown: readonly T[]
}

const fold = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()

/** Whether every typed word occurs in the text, whatever its accents and capitals. */
export function matches(typed: string, text: string): boolean {
  const inside = fold(text)
  return fold(typed)
    .split(/\s+/)
    .every((word) => inside.includes(word))
}

/** A list that can be narrowed by typing. Once something is typed the rest of the list is read, so nothing is missed. */
export function useFilteredList<K extends ListName>(
  name: K,
  input: Input<K> | null,
  textOf: (item: Item<K>) => string,
): FilteredList<Item<K>> {
  const [typed, onType] = useState('')
  const listing = usePages(name, input, { all: typed.trim() !== '' })
  const { items } = listing
  const shown = useMemo(
    () => (typed.trim() ? items.filter((item) => matches(typed.trim(), textOf(item))) : items),
    [items, typed],
  )
  return { ...listing, typed, onType, shown }
}

/** What stands below a list: that it is on its way, that it failed, that there is more, or that nothing fits. */
export function ListFooter<T>({ list, typed = '', shown }: { list: PagedList<T>; typed?: string; shown: number }) {
  if (list.error) return <LoadError error={list.error} />
  if (list.waiting) return <Loading />
  if (typed && shown === 0 && !list.loading) return <NothingFits typed={typed} />
  if (!list.more) return null
  return (
    <p class="list-end">
      <Button busy={list.loading} onClick={list.loadMore}>
        {list.loading ? 'Reading on' : 'Show more'}
      </Button>
    </p>
  )
}

function NothingFits({ typed }: { typed: string }): JSX.Element {
  return <p class="soft list-end">Nothing here speaks of “{typed}”. Try a shorter word.</p>
}
