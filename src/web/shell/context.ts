import type { Signal } from '@preact/signals'
import { createContext } from 'preact'
import { useContext, useEffect } from 'preact/hooks'
import type { Cache, QueryState } from '../api/cache.ts'
import { CallError, type Client } from '../api/call.ts'
import type { Connection } from '../api/connection.ts'
import type {
  CampaignDetail,
  CampaignSettings,
  EntityName,
  Input,
  Item,
  ListName,
  OperationName,
  Output,
  Role,
} from '../api/contract.ts'
import type { Live } from '../api/live.ts'
import type { Looking } from '../api/looking.ts'
import type { Outbox } from '../api/outbox.ts'
import type { Session } from '../api/session.ts'
import type { Confirmations } from '../kit/confirm.tsx'
import type { Failures } from '../kit/failures.ts'
import type { Toasts } from '../kit/toast.tsx'
import type { Themes } from './preferences.ts'

/** One thing of the campaign, and what a person calls it. */
export interface EntityRef {
  readonly entityType: EntityName
  readonly entityId: number
  readonly label: string
}

/** What main.tsx puts together and every page may use. */
export interface App {
  readonly client: Client
  readonly cache: Cache
  readonly live: Live
  readonly session: Session
  readonly looking: Looking
  readonly connection: Connection
  readonly outbox: Outbox
  readonly toasts: Toasts
  readonly confirmations: Confirmations
  readonly themes: Themes
  /** Single keys do things on a page. */
  readonly keys: Signal<boolean>
  /** The most characters of each text that an operation takes. */
  readonly failures: Failures
  readonly limitsOf: (operation: OperationName) => Readonly<Record<string, number>>
  /** The thing whose page is open. */
  readonly currentEntity: Signal<EntityRef | null>
}

export const AppContext = createContext<App | null>(null)

export function useApp(): App {
  const app = useContext(AppContext)
  if (!app) throw new Error('useApp outside of AppContext')
  return app
}

/** Who the pages of a campaign are for: whoever is signed in, or the player through whose eyes they look. */
export interface Me {
  readonly id: number
  readonly username: string
  readonly displayName?: string | null | undefined
  readonly admin: boolean
}

export function useMe(): Me | undefined {
  const { session, looking } = useApp()
  const as = looking.as.value
  if (as) return { id: as.userId, username: as.name, admin: false }
  return session.status.value?.user ?? undefined
}

/** The campaign that the address names, and what the person at the keyboard may do in it. */
export interface CurrentCampaign {
  readonly campaignId: number
  readonly campaign: CampaignDetail
  readonly settings: CampaignSettings | undefined
  readonly role: Role
  readonly isDm: boolean
  /** Players and DMs, while the campaign is not archived. */
  readonly mayWrite: boolean
  /** May change the tale: a DM at once, a player by proposing. */
  readonly mayEdit: boolean
}

export const CampaignContext = createContext<CurrentCampaign | null>(null)

export function useCampaign(): CurrentCampaign {
  const campaign = useContext(CampaignContext)
  if (!campaign) throw new Error('useCampaign outside of CampaignContext')
  return campaign
}

const nothing: QueryState<never> = { data: undefined, error: undefined, loading: false }

export interface Query<T> extends QueryState<T> {
  /** Asks once more after a failure. */
  retry(): void
}

/** One answer, kept fresh while the component is on screen. A null input reads nothing. */
export function useQuery<K extends OperationName>(name: K, input: Input<K> | null): Query<Output<K>> {
  const { cache } = useApp()
  const entry = input ? cache.one(name, input) : undefined
  useEffect(() => (entry ? cache.watch(entry) : undefined), [cache, entry])
  return { ...(entry ? entry.state.value : nothing), retry: () => void entry?.fetch() }
}

export interface PagedList<T> {
  readonly items: readonly T[]
  /** Nothing has arrived yet. */
  readonly waiting: boolean
  readonly loading: boolean
  readonly error: CallError | undefined
  readonly more: boolean
  /** How many there are in all, counted to a thousand; where it was asked for (`counted`). */
  readonly total?: number | undefined
  /** What the server did not look at, in sentences; absent where it looked at all. */
  readonly incomplete?: string | undefined
  loadMore(): void
  /** Asks once more after a failure. */
  retry(): void
}

const none: readonly never[] = []

/** The input of a list whose first page says how many there are in all; it is no member of the operation. */
export const counted = <I extends object>(input: I): I => ({ ...input, withTotal: true })

/** The pages of a list read so far. `all` reads on until the end, for narrowing by typing and for choosing. */
export function usePages<K extends ListName>(
  name: K,
  input: Input<K> | null,
  { all = false, of }: { readonly all?: boolean; readonly of?: ReadonlySet<string> } = {},
): PagedList<Item<K>> {
  const { cache } = useApp()
  const entry = input ? cache.pages(name, input, of) : undefined
  useEffect(() => (entry ? cache.watch(entry) : undefined), [cache, entry])
  const { data, error, loading } = entry ? entry.state.value : nothing
  const more = data?.more ?? false
  useEffect(() => {
    if (all && more && !loading && !error) void entry?.more()
  }, [all, more, loading, error, entry, data])
  return {
    items: data?.items ?? none,
    total: data?.total,
    incomplete: data?.incomplete,
    waiting: entry !== undefined && data === undefined && error === undefined,
    loading,
    error,
    more,
    loadMore: () => void entry?.more(),
    retry: () => void entry?.fetch(),
  }
}

export const messageOf = (error: unknown): string =>
  error instanceof CallError ? error.message : 'This page stumbled. Load it again; what you wrote before is kept.'

/** What stands in the browser's tab. */
export function usePageTitle(...parts: readonly (string | null | undefined)[]): void {
  const title = [...parts.filter(Boolean), 'Talekeeper'].join(' · ')
  useEffect(() => {
    document.title = title
  }, [title])
}

/** While this page is open, what is written down with the pen may be about its thing. */
export function useCurrentEntity(entityType: EntityName, entityId: number, label: string | undefined): void {
  const { currentEntity } = useApp()
  useEffect(() => {
    if (label === undefined) return
    currentEntity.value = { entityType, entityId, label }
    return () => {
      currentEntity.value = null
    }
  }, [currentEntity, entityType, entityId, label])
}
