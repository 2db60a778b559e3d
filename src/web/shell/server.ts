import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import type { SettingStates } from '../../kernel/settings.ts'
import { CallError, type Client } from '../api/call.ts'
import type { Input, Item, ListName, Page } from '../api/contract.ts'
import { type PagedList, useApp } from './context.ts'

/** What is done with the server itself: operations as those of a campaign are, and backups, which are none. */

export type Token = Item<'list_tokens'>
export type ServerUser = Item<'list_users'>
/** An app that somebody has let in through OAuth. It named itself, so that its name is only what it says. */
export type ConnectedApp = Item<'list_connected_apps'>
/** A table to which somebody added this person, who has not answered yet. */
export type Invitation = Item<'list_my_invitations'>
export type RegisteredApp = Item<'list_oauth_clients'>
export type ServerRecord = Item<'list_server_audit'>

export interface BackupStatus {
  readonly backup: {
    readonly cadence: {
      readonly enabled: boolean
      readonly directory: string
      readonly intervalHours: number
      readonly keepCount: number
      readonly keepDays: number
      readonly freeBytes: number | null
      readonly lastRunAt: string | null
      readonly lastSuccessAt: string | null
      readonly nextRunAt: string | null
      readonly lastError: { readonly at: string; readonly code: string; readonly message: string } | null
      readonly lastArchive: { readonly name: string; readonly bytes: number; readonly createdAt: string } | null
    }
    readonly alerts: readonly { readonly kind: string; readonly message: string; readonly at: string }[]
    readonly current: ArchiveJob | null
  }
}

/** What is chosen for the server, and who says so. */
export interface ServerSettings {
  readonly settings: SettingStates
  readonly problems: readonly string[]
}

/** What the server is doing with backups. `total` is 0 where nobody can tell how much there is to do. */
export interface ArchiveJob {
  readonly operation: 'create' | 'scheduled' | 'inspect' | 'verify' | 'restore'
  readonly phase: string
  readonly done: number
  readonly total: number
  readonly cancellable: boolean
}

/** A backup in the backup folder. What its manifest says is null where that cannot be read; `problem` says why. */
export interface StoredBackup {
  readonly name: string
  readonly occasion: 'scheduled' | 'by-hand'
  readonly bytes: number
  readonly createdAt: string | null
  readonly uploadCount: number | null
  readonly holdsKeyfile: boolean
  readonly missingFiles: number
  /** Why it is not cleared away with old ones: kept for good (`pin`, `keep`), or a copy of it is elsewhere. */
  readonly markers: readonly ('pin' | 'keep' | 'offsite')[]
  /** When it was last read in full; null when never, or when it has changed since. */
  readonly checkedAt: string | null
  readonly problem: string | null
}

export interface InspectReport {
  readonly appVersion: string
  readonly schemaVersion: number
  readonly restoresToSchema: number
  readonly createdAt: string
  readonly uploadCount: number
  readonly archiveBytes: number
  readonly holdsKeyfile: boolean
  readonly missingFiles: readonly unknown[]
  readonly campaigns: number | null
  readonly users: number | null
  readonly sealed: boolean
}

export interface Reread<T> {
  readonly data: T | undefined
  readonly error: CallError | undefined
  refresh(): Promise<void>
}

export interface Patched<T> extends Reread<T> {
  /** Shows something before the server has answered; the next reading corrects it. */
  patch(change: (data: T) => T): void
}

/** Reads an address of the server, now and whenever it is asked to. */
export function useServer<T>(path: string): Patched<T> {
  const { client } = useApp()
  const [data, setData] = useState<T | undefined>(undefined)
  const [error, setError] = useState<CallError | undefined>(undefined)
  const asked = useRef(0)
  const refresh = useCallback(async () => {
    asked.current += 1
    const turn = asked.current
    try {
      const answer = await client.send<T>({ method: 'GET', path })
      // An answer that was overtaken by a later question is old.
      if (turn !== asked.current) return
      setData(answer)
      setError(undefined)
    } catch (thrown) {
      if (turn === asked.current && thrown instanceof CallError) setError(thrown)
    }
  }, [client, path])
  const patch = useCallback((change: (data: T) => T) => {
    asked.current += 1
    setData((now) => now && change(now))
  }, [])
  useEffect(() => void refresh(), [refresh])
  return { data, error, refresh, patch }
}

/** All pages of a list of the server; these lists are short. */
export function useServerList<K extends ListName>(name: K): Reread<readonly Item<K>[]> {
  const { client } = useApp()
  const [data, setData] = useState<readonly Item<K>[] | undefined>(undefined)
  const [error, setError] = useState<CallError | undefined>(undefined)
  const refresh = useCallback(async () => {
    try {
      const items: Item<K>[] = []
      let cursor: string | null = null
      do {
        const page: Page<Item<K>> = await readPage(client, name, { limit: 200 }, cursor)
        items.push(...page.items)
        cursor = page.nextCursor
      } while (cursor)
      setData(items)
      setError(undefined)
    } catch (thrown) {
      if (thrown instanceof CallError) setError(thrown)
    }
  }, [client, name])
  useEffect(() => void refresh(), [refresh])
  return { data, error, refresh }
}

/** A list of the server that grows without end: a page at first, and more when they are asked for. */
export function useServerPages<K extends ListName>(name: K, input: Input<K>): PagedList<Item<K>> {
  const { client } = useApp()
  const [shown, setShown] = useState<Page<Item<K>> | undefined>(undefined)
  const [error, setError] = useState<CallError | undefined>(undefined)
  const [loading, setLoading] = useState(false)
  const question = JSON.stringify(input)
  const asked = useRef(question)

  const read = async (cursor: string | null, before: readonly Item<K>[]) => {
    setLoading(true)
    try {
      const page = await readPage(client, name, input, cursor)
      if (asked.current !== question) return
      setShown({ items: [...before, ...page.items], nextCursor: page.nextCursor })
      setError(undefined)
    } catch (thrown) {
      if (asked.current === question && thrown instanceof CallError) setError(thrown)
    }
    setLoading(false)
  }
  useEffect(() => {
    asked.current = question
    setShown(undefined)
    void read(null, [])
  }, [client, name, question])

  const more = shown?.nextCursor ?? null
  return {
    items: shown?.items ?? [],
    waiting: shown === undefined && error === undefined,
    loading,
    error,
    more: more !== null,
    loadMore: () => void read(more, shown?.items ?? []),
    retry: () => void read(null, []),
  }
}

async function readPage<K extends ListName>(
  client: Client,
  name: K,
  input: object,
  cursor: string | null,
): Promise<Page<Item<K>>> {
  // Every list takes these members; the compiler does not see that of a list that it does not know yet.
  const asked = { ...input, ...(cursor === null ? {} : { cursor }) } as Input<K>
  return (await client.read(name, asked)) as Page<Item<K>>
}
