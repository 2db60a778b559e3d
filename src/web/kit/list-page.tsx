import type { ComponentChildren, JSX } from 'preact'
import { Link, useLocation } from 'wouter-preact'
import { FilterField } from './field.tsx'
import { type FilteredList, ListFooter, type SearchedItems, totalWord } from './list.tsx'
import { type Drawing, EmptyState, PageHeader } from './page.tsx'

interface ListBodyProps<T> {
  readonly list: FilteredList<T>
  /** What is left of it on the page, by typing and by the views beside the box. */
  readonly shown: readonly T[]
  /** What can be typed to narrow it. */
  readonly placeholder: string
  /** How many there must be for the box to be worth its place. */
  readonly filterFrom?: number
  /** Other ways to narrow it, beside the box. */
  readonly views?: ComponentChildren
  /** What one of them and several are called, for the count below the list. */
  readonly one: string
  readonly many: string
  /** What to do where a view (not the typing) leaves nothing. */
  readonly noneInView?: string
  readonly children: ComponentChildren
}

/** A list with its narrowing box above, and below it how many there are, the rest of it, or why it did not come. */
export function ListBody<T>(props: ListBodyProps<T>): JSX.Element {
  const { list, shown, placeholder, filterFrom = 1, views, one, many, noneInView, children } = props
  const [path] = useLocation()
  const isNarrow = list.typed !== '' || list.items.length >= filterFrom || (list.waiting && filterFrom === 1)
  const nothingInView = noneInView && !list.waiting && !list.typed && list.items.length > 0 && shown.length === 0
  return (
    <>
      {isNarrow && (
        <div class="filters">
          <FilterField value={list.typed} onValue={list.onType} placeholder={placeholder} />
          {views}
        </div>
      )}
      {list.tag && (
        <p class="line">
          <span class="chip on">{list.tag}</span>
          <Link href={path} class="more">
            Show all {many}
          </Link>
        </p>
      )}
      {children}
      {nothingInView && <p class="soft list-end">{noneInView}</p>}
      <ListFooter list={list} typed={list.typed} shown={shown.length} one={one} many={many} />
    </>
  )
}

export interface EmptyList {
  readonly drawing?: Drawing
  readonly title: string
  /** One sentence that teaches. */
  readonly text: ComponentChildren
  /** The one thing to do. */
  readonly action?: ComponentChildren
}

/** The page of a list: its header, what stands there while there is nothing, and the list. */
export function ListPage<T>({
  title,
  actions,
  tabs,
  empty,
  ...body
}: ListBodyProps<T> & {
  title: string
  /** What can be done here. */
  actions?: ComponentChildren
  /** The pages beside this one. */
  tabs?: ComponentChildren
  /** Absent while something else has the page: a form for the first of them. */
  empty?: EmptyList | undefined
}): JSX.Element {
  const { list } = body
  const isEmpty = !list.waiting && !list.error && list.items.length === 0
  return (
    <>
      <PageHeader title={title}>{isEmpty && empty ? null : actions}</PageHeader>
      {tabs}
      {isEmpty && empty ? <Nothing {...empty} /> : <ListBody {...body} />}
    </>
  )
}

export function Nothing({ drawing = 'book', title, text, action }: EmptyList): JSX.Element {
  return (
    <EmptyState drawing={drawing} title={title} action={action}>
      {text}
    </EmptyState>
  )
}

/** `All 118`; only `All` while it is not known how many there are. */
export const allOf = (list: SearchedItems<unknown>): string =>
  list.all === undefined ? 'All' : `All ${totalWord(list.all)}`
