import type * as z from 'zod'
import type { PathNames, Route, Toolset } from '../kernel/operation.ts'
import type { Transfer, TransferContext } from '../kernel/transfer.ts'
import type { Actor, Credential } from '../kernel/viewer.ts'
import type { Store } from '../storage/store.ts'
import type { Facts } from './audit.ts'
import type { ClientDocuments } from './client-document.ts'
import type { FormTokens } from './form-tokens.ts'
import type { Network } from './guarded-fetch.ts'
import type { CallLimits } from './limits.ts'
import type { Lifetimes } from './settings.ts'

/** The part of a logger that is used here. */
export interface Log {
  warn(facts: object, message: string): void
}

/** One signed-in change, inside its transaction. */
export interface ChangeWork {
  readonly store: Store
  readonly now: string
  readonly actor: Actor
}

/** Declares a transfer by which somebody who is signed in ends something; identity implements it, with audit and idempotency. */
export type DefineChange = <const R extends Route, I extends z.ZodObject>(
  change: Omit<Transfer<R, I>, 'handle'> & {
    run(
      work: ChangeWork,
      input: z.output<I>,
    ): {
      readonly answer: unknown
      readonly facts: Facts
      readonly ended: readonly { readonly userId: number; readonly only: Pick<Credential, 'kind' | 'id'> }[]
    }
  } & PathNames<R, z.output<I>>,
) => Transfer<R, I>

/** What the other parts of the program lend to this one. */
export interface OauthPorts {
  /** The present store: a restore replaces it. */
  store(): Store
  clock(): Date
  readonly log: Log
  /** Waits while the database is replaced; the returned function ends the call. */
  acquireShared(): Promise<() => void>
  /** The installation's secret, at least 32 bytes. */
  key(): Uint8Array
  /** What stands for a caller in limits. */
  rateLimitKey(address: string): string
  /** Who is signed in with this session cookie. */
  sessionActor(secret: string): Actor | null
  /** Begins a session and sets its cookie. Throws `unauthenticated`, `rate_limited`. */
  signIn(context: TransferContext, given: { readonly username: string; readonly password: string }): Promise<unknown>
  /** Told after the commit, so that live streams close. */
  onCredentialsEnded(userId: number, only: Pick<Credential, 'kind' | 'id'>): void
  /** How many tools each toolset has; those without are not shown. */
  readonly toolsets: readonly { readonly name: Toolset; readonly tools: number }[]
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
