import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { CallError } from '../api/call.ts'
import { type PagedList, useApp } from './context.ts'

/** What the server's own addresses answer: tokens, users, backups. They are no operations of the catalogue. */

export interface Token {
  readonly id: number
  readonly name: string
  readonly scope: 'viewer' | 'player' | 'dm'
  readonly campaignId: number | null
  readonly writeMode: 'read' | 'propose' | 'direct'
  readonly admin: boolean
  readonly hint: string
  readonly createdAt: string
  readonly expiresAt: string | null
  readonly lastUsedAt: string | null
}

export interface ServerUser {
  readonly id: number
  readonly username: string
  readonly admin: boolean
  readonly disabled: boolean
  readonly createdAt: string
}

/** An app that somebody has let in through OAuth. It named itself, so that its name is only what it says. */
export interface ConnectedApp {
  readonly grantId: number
  readonly clientId: string
  readonly name: string
  readonly hosts: readonly string[]
  readonly scope: Token['scope']
  readonly campaignName: string | null
  readonly campaignId: number | null
  readonly writeMode: Token['writeMode']
  readonly toolsets: readonly string[] | null
  readonly createdAt: string
  readonly lastUsedAt: string | null
}

export interface RegisteredApp {
  readonly clientId: string
  readonly name: string
  readonly hosts: readonly string[]
  readonly createdAt: string
  readonly authorisedAt: string | null
  readonly liveGrants: number
}

export interface ServerRecord {
  readonly id: number
  readonly at: string
  readonly operation: string
  readonly effect: 'write' | 'destroy'
  readonly actorName: string | null
  readonly reason: string | null
  readonly facts: Readonly<Record<string, unknown>>
}

export interface BackupStatus {
  readonly backup: {
    readonly cadence: {
      readonly enabled: boolean
      readonly directory: string
      readonly intervalHours: number
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

interface Listed<T> {
  readonly items: readonly T[]
  readonly nextCursor: string | null
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
export function useServerList<T>(path: string): Reread<readonly T[]> {
  const { client } = useApp()
  const [data, setData] = useState<readonly T[] | undefined>(undefined)
  const [error, setError] = useState<CallError | undefined>(undefined)
  const refresh = useCallback(async () => {
    try {
      const items: T[] = []
      let cursor: string | null = null
      do {
        const query: string = cursor ? `&cursor=${encodeURIComponent(cursor)}` : ''
        const page: Listed<T> = await client.send<Listed<T>>({ method: 'GET', path: `${path}?limit=200${query}` })
        items.push(...page.items)
        cursor = page.nextCursor
      } while (cursor)
      setData(items)
      setError(undefined)
    } catch (thrown) {
      if (thrown instanceof CallError) setError(thrown)
    }
  }, [client, path])
  useEffect(() => void refresh(), [refresh])
  return { data, error, refresh }
}

/** A list of the server that grows without end: a page at first, and more when they are asked for. */
export function useServerPages<T>(path: string): PagedList<T> {
  const { client } = useApp()
  const [shown, setShown] = useState<Listed<T> | undefined>(undefined)
  const [error, setError] = useState<CallError | undefined>(undefined)
  const [loading, setLoading] = useState(false)
  const asked = useRef(path)

  const read = async (cursor: string | null, before: readonly T[]) => {
    const query = cursor ? `${path.includes('?') ? '&' : '?'}cursor=${encodeURIComponent(cursor)}` : ''
    setLoading(true)
    try {
      const page = await client.send<Listed<T>>({ method: 'GET', path: path + query })
      if (asked.current !== path) return
      setShown({ items: [...before, ...page.items], nextCursor: page.nextCursor })
      setError(undefined)
    } catch (thrown) {
      if (asked.current === path && thrown instanceof CallError) setError(thrown)
    }
    setLoading(false)
  }
  useEffect(() => {
    asked.current = path
    setShown(undefined)
    void read(null, [])
  }, [client, path])

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
