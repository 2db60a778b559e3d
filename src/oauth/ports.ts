import type { SharedHold } from '../kernel/maintenance-lock.ts'
import type { Toolset } from '../kernel/operation.ts'
import type { System } from '../kernel/system.ts'
import type { TransferContext } from '../kernel/transfer.ts'
import type { Actor, Credential, ToolPreset } from '../kernel/viewer.ts'
import type { Store } from '../storage/store.ts'
import type { ClientDocuments } from './client-document.ts'
import type { FormTokens } from './form-tokens.ts'
import type { Network } from './guarded-fetch.ts'
import type { CallLimits } from './limits.ts'
import type { Lifetimes } from './settings.ts'

/** The part of a logger that is used here. */
export interface Log {
  warn(facts: object, message: string): void
}

/** What the other parts of the program lend to this one. */
export interface OauthPorts {
  /** The present store: a restore replaces it. */
  store(): Store
  system(): Pick<System, 'transaction'>
  clock(): Date
  readonly log: Log
  /** Waits while the database is replaced; the returned function ends the call. */
  acquireShared(): SharedHold | Promise<SharedHold>
  /** The installation's secret, at least 32 bytes. */
  key(): Uint8Array
  /** What stands for a caller in limits. */
  rateLimitKey(address: string): string
  /** Who is signed in with this session cookie. */
  sessionActor(secret: string): Actor | null
  /** Begins a session and sets its cookie. Throws `unauthenticated`, `rate_limited`. */
  signIn(context: TransferContext, given: { readonly username: string; readonly password: string }): Promise<unknown>
  /** Closes live streams. For what ends and is no row of its own; what is, closes them by its change. */
  closeStreams(userId: number, only: Pick<Credential, 'kind' | 'id'>): void
  /** How many tools each toolset has; those without are not shown. */
  readonly toolsets: readonly { readonly name: Toolset; readonly tools: number }[]
  /** How many tools each ready-made selection shows. */
  readonly toolPresets: Readonly<Record<ToolPreset, number>>
  /** The style sheet of the web app; undefined where it was not built. */
  styleSheet(): Buffer | undefined
  /** Whether clients may register themselves (RFC 7591). */
  readonly registration: boolean
  /** The way to documents of clients; null where clients are known by registration only. */
  readonly network: Network | null
}

/** What the endpoints work with. */
export interface OauthServices extends OauthPorts {
  readonly lifetimes: Lifetimes
  readonly limits: CallLimits
  readonly formTokens: FormTokens
  readonly documents: ClientDocuments | null
}
