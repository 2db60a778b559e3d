import { batch, type Signal, signal } from '@preact/signals'
import { CallError, type Client } from './call.ts'
import type { Input, Item, ListName, OperationName, Output, Page } from './contract.ts'
import { subjects, touches } from './subjects.ts'

export interface QueryState<T> {
  /** The last good answer; kept while a newer one is fetched. */
  readonly data: T | undefined
  readonly error: CallError | undefined
  readonly loading: boolean
}

export interface Pages<T> {
  readonly items: readonly T[]
  /** More lies behind; `more()` fetches it. */
  readonly more: boolean
}

export interface Entry<T> {
  readonly key: string
  readonly state: Signal<QueryState<T>>
  readonly subjects: ReadonlySet<string>
  fetch(): Promise<void>
  watchers: number
  stale: boolean
}

export interface PagedEntry<T> extends Entry<Pages<T>> {
  more(): Promise<void>
}

export interface Cache {
  one<K extends OperationName>(name: K, input: Input<K>): Entry<Output<K>>
  pages<K extends ListName>(name: K, input: Input<K>): PagedEntry<Item<K>>
  /** Keeps an entry fresh until the returned function is called. */
  watch(entry: Entry<unknown>): () => void
  /** Marks what is about these entity types as old; what is on screen is fetched again soon. */
  invalidate(changed: ReadonlySet<string>): void
  /** Changes what is shown before the server has answered; the next fetch corrects it. */
  patch<K extends OperationName>(name: K, input: Input<K>, change: (data: Output<K>) => Output<K>): void
  /** Forgets everything: another person is at the keyboard now. */
  purge(): void
}

/** JSON with sorted members, so that equal inputs give equal keys. */
export function stableKey(name: string, input: object): string {
  const parts = Object.entries(input)
    .filter(([, value]) => value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
  return `${name} ${JSON.stringify(parts)}`
}

const REFETCH_AFTER_MS = 120
const KEPT_UNWATCHED = 80

/** Answers by operation and input, kept until a live event, an own write or another identity makes them old. */
export function createCache(client: Client): Cache {
  const entries = new Map<string, Entry<unknown>>()
  let identity = 0
  let timer: ReturnType<typeof setTimeout> | undefined

  /** An entry over `load`; answers that arrive after a purge or after a newer request are dropped. */
  function entry<T>(key: string, about: ReadonlySet<string>, load: () => Promise<T>): Entry<T> {
    const state: Signal<QueryState<T>> = signal({ data: undefined, error: undefined, loading: false })
    let running: Promise<void> | undefined
    let again = false
    const made: Entry<T> = {
      key,
      state,
      subjects: about,
      watchers: 0,
      stale: true,
      fetch() {
        // What was asked for while a fetch runs may be newer than what that fetch will bring.
        if (running !== undefined) {
          again = made.stale
          return running
        }
        const born = identity
        made.stale = false
        state.value = { ...state.peek(), loading: true }
        running = load()
          .then(
            (data) => {
              if (born === identity) state.value = { data, error: undefined, loading: false }
            },
            (thrown: unknown) => {
              if (born !== identity) return
              const error = thrown instanceof CallError ? thrown : new CallError(0, 'failed', String(thrown))
              const gone = error.status === 404 || error.status === 403 || error.status === 401
              state.value = { data: gone ? undefined : state.peek().data, error, loading: false }
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
    for (const one of entries.values()) if (one.stale && one.watchers > 0) void one.fetch()
  }

  return {
    one(name, input) {
      const key = stableKey(name, input)
      return keep(key, () => entry(key, subjects(name), () => client.read(name, input)))
    },

    pages<K extends ListName>(name: K, input: Input<K>) {
      const key = `pages ${stableKey(name, input)}`
      return keep(key, () => {
        let cursor: string | null = null
        let wanted = 1
        const read = async (from: string | null) =>
          (await client.read(name, { ...input, ...(from ? { cursor: from } : {}) })) as Page<Item<K>>
        const made = entry<Pages<Item<K>>>(key, subjects(name), async () => {
          const items: Item<K>[] = []
          let from: string | null = null
          for (let page = 0; page < wanted; page++) {
            const answer: Page<Item<K>> = await read(from)
            items.push(...answer.items)
            from = answer.nextCursor
            if (!from) break
          }
          cursor = from
          return { items, more: from !== null }
        })
        const more = async () => {
          const now = made.state.peek()
          if (!cursor || now.loading || !now.data) return
          wanted++
          made.state.value = { ...now, loading: true }
          try {
            const answer = await read(cursor)
            // A refetch meanwhile has read the wanted pages itself.
            if (made.state.peek().data !== now.data) return
            cursor = answer.nextCursor
            const items = [...now.data.items, ...answer.items]
            made.state.value = { data: { items, more: cursor !== null }, error: undefined, loading: false }
          } catch (thrown) {
            wanted--
            const error = thrown instanceof CallError ? thrown : new CallError(0, 'failed', String(thrown))
            made.state.value = { ...made.state.peek(), error, loading: false }
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

    invalidate(changed) {
      for (const one of entries.values()) if (touches(changed, one.subjects)) one.stale = true
      timer ??= setTimeout(refetchStale, REFETCH_AFTER_MS)
    },

    patch(name, input, change) {
      const found = entries.get(stableKey(name, input)) as Entry<Output<typeof name>> | undefined
      const now = found?.state.peek()
      if (found && now?.data !== undefined) found.state.value = { ...now, data: change(now.data) }
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
