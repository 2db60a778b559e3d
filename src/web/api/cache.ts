import { batch, type Signal, signal } from '@preact/signals'
import { CallError, type Client } from './call.ts'
import type { Input, Item, ListName, OperationName, Output, Page } from './contract.ts'
import { type Dependencies, overlap } from './dependencies.ts'

export interface QueryState<T> {
  /** The last good answer, with the changes that are laid over it; kept while a newer one is fetched. */
  readonly data: T | undefined
  readonly error: CallError | undefined
  readonly loading: boolean
}

export interface Pages<T> {
  readonly items: readonly T[]
  /** More lies behind; `more()` fetches it. */
  readonly more: boolean
  /** How many there are in all, counted to a thousand; where it was asked for. */
  readonly total?: number
  /** What the server did not look at for the last of them, in sentences; absent where it looked at all. */
  readonly incomplete?: string
}

/** A change that is shown before the server has answered. One of the two ends it. */
export interface PendingChange {
  /** The server took it: it is shown until an answer that was asked for afterwards replaces it. */
  keep(): void
  /** The server did not take it, or could not be asked: what stood there before stands there again. */
  takeBack(): void
}

export interface Entry<T> {
  readonly key: string
  readonly state: Signal<QueryState<T>>
  /** The entity types whose changes make it old. */
  readonly reads: ReadonlySet<string>
  fetch(): Promise<void>
  /** `change` says how it will be, not by how much it will differ: it may be applied to what has it already. */
  overlay(change: (data: T) => T): PendingChange
  watchers: number
  stale: boolean
}

export interface PagedEntry<T> extends Entry<Pages<T>> {
  more(): Promise<void>
}

export interface Cache {
  one<K extends OperationName>(name: K, input: Input<K>): Entry<Output<K>>
  /** @param of the entity types of which something is shown, where that is less than what the operation reads */
  pages<K extends ListName>(name: K, input: Input<K>, of?: ReadonlySet<string>): PagedEntry<Item<K>>
  /** Keeps an entry fresh until the returned function is called. */
  watch(entry: Entry<unknown>): () => void
  /** Marks what reads these entity types as old; what is on screen is fetched again soon. */
  invalidate(changed: ReadonlySet<string>): void
  /** The same for all that an operation changes. */
  invalidateBy(operation: OperationName): void
  /** Forgets everything: another person is at the keyboard now. */
  purge(): void
}

const incompleteOf = (page: Page<unknown> | undefined) => (page?.incomplete ? { incomplete: page.incomplete } : {})
const totalOf = (page: { readonly total?: number | undefined } | undefined) =>
  page?.total === undefined ? {} : { total: page.total }

/** JSON with sorted members, so that equal inputs give equal keys. */
export function stableKey(name: string, input: object): string {
  const parts = Object.entries(input)
    .filter(([, value]) => value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
  return `${name} ${JSON.stringify(parts)}`
}

/** Long enough for the events of one change, which arrive together, to be answered by one fetch. */
const REFETCH_AFTER_MS = 8
/** While one change follows another, what is on screen is fetched no more often than this. */
const REFETCH_EVERY_MS = 80
const KEPT_UNWATCHED = 80

interface Overlay<T> {
  readonly change: (data: T) => T
  kept: boolean
}

const errorOf = (thrown: unknown): CallError =>
  thrown instanceof CallError ? thrown : new CallError(0, 'failed', String(thrown))

/** The statuses after which what was read may no longer be seen. */
const gone: ReadonlySet<number> = new Set([401, 403, 404])

/** Answers by operation and input, kept until a live event, an own write or another identity makes them old. */
export function createCache(client: Client, dependencies: Dependencies): Cache {
  const entries = new Map<string, Entry<unknown>>()
  let identity = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  let refetched = 0

  /** An entry over `load`; answers that arrive after a purge or after a newer request are dropped. */
  function entry<T>(key: string, reads: ReadonlySet<string>, load: () => Promise<T>) {
    const state: Signal<QueryState<T>> = signal({ data: undefined, error: undefined, loading: false })
    const overlays = new Set<Overlay<T>>()
    let answered: T | undefined
    let running: Promise<void> | undefined
    let again = false

    const show = (rest: Partial<Omit<QueryState<T>, 'data'>> = {}) => {
      let data = answered
      if (data !== undefined) for (const { change } of overlays) data = change(data)
      state.value = { ...state.peek(), ...rest, data }
    }
    const made = {
      key,
      state,
      reads,
      watchers: 0,
      stale: true,
      fetch(): Promise<void> {
        // What was asked for while a fetch runs may be newer than what that fetch will bring.
        if (running !== undefined) {
          again = made.stale
          return running
        }
        const born = identity
        const taken = [...overlays].filter(({ kept }) => kept)
        made.stale = false
        show({ loading: true })
        running = load()
          .then(
            (data) => {
              if (born !== identity) return
              answered = data
              for (const overlay of taken) overlays.delete(overlay)
              show({ error: undefined, loading: false })
            },
            (thrown: unknown) => {
              if (born !== identity) return
              const error = errorOf(thrown)
              if (gone.has(error.status)) answered = undefined
              show({ error, loading: false })
            },
          )
          .finally(() => {
            running = undefined
            if (again && born === identity) {
              again = false
              void made.fetch()
            }
          })
        return running
      },
      overlay(change: (data: T) => T): PendingChange {
        const overlay: Overlay<T> = { change, kept: false }
        const born = identity
        overlays.add(overlay)
        show()
        return {
          keep() {
            overlay.kept = true
          },
          takeBack() {
            overlays.delete(overlay)
            if (born === identity) show()
          },
        }
      },
      /** Takes an answer that did not come by `load`. */
      accept(data: T) {
        answered = data
        show({ error: undefined, loading: false })
      },
      answered: () => answered,
      show,
    }
    return made
  }

  function keep<E extends Entry<unknown>>(key: string, make: () => E): E {
    const found = entries.get(key)
    if (found) return found as E
    if (entries.size > KEPT_UNWATCHED) {
      for (const [old, { watchers }] of entries) if (watchers === 0) entries.delete(old)
    }
    const made = make()
    entries.set(key, made)
    return made
  }

  function refetchStale() {
    timer = undefined
    refetched = Date.now()
    for (const one of entries.values()) if (one.stale && one.watchers > 0) void one.fetch()
  }

  function invalidate(changed: ReadonlySet<string>) {
    for (const one of entries.values()) if (overlap(changed, one.reads)) one.stale = true
    const rested = Date.now() - refetched
    timer ??= setTimeout(refetchStale, Math.max(REFETCH_AFTER_MS, REFETCH_EVERY_MS - rested))
  }

  return {
    one(name, input) {
      const key = stableKey(name, input)
      return keep(key, () => entry(key, dependencies.readsOf(name), () => client.read(name, input)))
    },

    pages<K extends ListName>(name: K, input: Input<K>, of = dependencies.readsOf(name)) {
      const key = `pages ${stableKey(name, input)}`
      return keep(key, () => {
        let cursor: string | null = null
        let wanted = 1
        const read = async (from: string | null) =>
          (await client.read(name, { ...input, ...(from ? { cursor: from } : {}) })) as Page<Item<K>>
        const made = entry<Pages<Item<K>>>(key, of, async () => {
          const items: Item<K>[] = []
          let from: string | null = null
          let first: Page<Item<K>> | undefined
          let last: Page<Item<K>> | undefined
          for (let page = 0; page < wanted; page++) {
            const answer: Page<Item<K>> = await read(from)
            items.push(...answer.items)
            from = answer.nextCursor
            first ??= answer
            last = answer
            if (!from) break
          }
          cursor = from
          return { items, more: from !== null, ...totalOf(first), ...incompleteOf(last) }
        })
        const more = async () => {
          const before = made.answered()
          if (!cursor || made.state.peek().loading || !before) return
          wanted++
          made.show({ loading: true })
          try {
            const answer = await read(cursor)
            // A refetch meanwhile has read the wanted pages itself.
            if (made.answered() !== before) return
            cursor = answer.nextCursor
            const items = [...before.items, ...answer.items]
            made.accept({ items, more: cursor !== null, ...totalOf(before), ...incompleteOf(answer) })
          } catch (thrown) {
            wanted--
            made.show({ error: errorOf(thrown), loading: false })
          }
        }
        return Object.assign(made, { more })
      })
    },

    watch(one) {
      one.watchers++
      entries.set(one.key, one)
      if (one.stale) void one.fetch()
      return () => {
        one.watchers--
      }
    },

    invalidate,

    invalidateBy(operation) {
      invalidate(dependencies.writesOf(operation))
    },

    purge() {
      identity++
      clearTimeout(timer)
      timer = undefined
      batch(() => {
        for (const one of entries.values()) one.state.value = { data: undefined, error: undefined, loading: false }
      })
      entries.clear()
    },
  }
}
