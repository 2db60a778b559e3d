import type * as z from 'zod'
import { authoriseTransfer } from '../kernel/authorise.ts'
import { fail } from '../kernel/errors.ts'
import type { PathNames, Route } from '../kernel/operation.ts'
import type { Transfer, TransferContext } from '../kernel/transfer.ts'
import type { Actor, Credential } from '../kernel/viewer.ts'
import { idempotencyOn } from '../storage/idempotency.ts'
import type { Store } from '../storage/store.ts'
import { type Facts, recordServerChange } from './audit.ts'
import { recheck } from './credentials.ts'
import type { IdentityServices } from './services.ts'

/** One signed-in change, inside its transaction. */
export interface Work<P> {
  readonly store: Store
  readonly now: string
  readonly actor: Actor
  readonly prepared: P
}

export interface Done<T> {
  readonly answer: T
  readonly facts: Facts
  /** Whose credentials ended with it, so that their live streams close. */
  readonly ended?: Ended | readonly Ended[] | undefined
}

interface Ended {
  readonly userId: number
  readonly only?: Pick<Credential, 'kind' | 'id'>
}

type Declared<R extends Route, I extends z.ZodObject> = Omit<Transfer<R, I>, 'handle'>
interface Steps<I extends z.ZodObject, P> {
  /** The answer holds a secret: an idempotency key does not keep it. */
  readonly secretAnswer?: boolean
  /** Slow work before the transaction. It only reads and computes. */
  prepare?(call: { readonly context: TransferContext; readonly actor: Actor }, input: z.output<I>): Promise<P>
  run(work: Work<P>, input: z.output<I>): Done<unknown>
}

/**
 * Declares a transfer by which somebody who is signed in changes users, tokens or passwords.
 *
 * 1. an idempotency key that was used answers what it answered then
 * 2. `prepare`, which may take time
 * 3. one transaction: the key and the credential again, `run`, the audit record, the key's answer
 * 4. after the commit, live streams of ended credentials close
 */
export function defineServerChange<const R extends Route, I extends z.ZodObject, P = undefined>(
  services: IdentityServices,
  change: Declared<R, I> & Steps<I, P> & PathNames<R, z.output<I>>,
): Transfer<R, I> {
  const { prepare, run, secretAnswer = false, ...declared } = change
  const { name: operation, access, effect } = declared
  const transfer = {
    ...declared,
    async handle(context: TransferContext, input: z.output<I>): Promise<unknown> {
      const { actor } = context
      if (actor === null) throw fail('unauthenticated')
      const idempotency = idempotencyOf(context, actor, operation, input)
      const before = idempotency.find(services.store())
      if (before) return before.answer
      const prepared = (await prepare?.({ context, actor }, input)) as P
      const now = services.clock().toISOString()
      const store = services.store()
      const { answer, ended } = store.transaction((): Pick<Done<unknown>, 'answer' | 'ended'> => {
        const meanwhile = idempotency.find(store)
        if (meanwhile) return meanwhile
        const current = recheck(store, actor, now)
        authoriseTransfer(access, current, effect)
        const { facts, ...done } = run({ store, now, actor: current, prepared }, input)
        recordServerChange(store, { operation, effect, actor: current, at: now, reason: context.reason, facts })
        idempotency.keep(store, now, secretAnswer ? null : done.answer)
        return done
      })
      for (const { userId, only } of [ended ?? []].flat()) services.onCredentialsEnded?.(userId, only)
      return answer
    },
  }
  // The compiler does not see that a generic type without one member, and that member, are the type.
  return transfer as unknown as Transfer<R, I>
}

/** Members that hold a password. They are no part of what is remembered of an input: its hash is a fast one. */
const passwordMembers = new Set(['password', 'currentPassword', 'newPassword'])

/** What an idempotency key remembers, scoped to the credential and the transfer as in the pipeline of operations. */
function idempotencyOf(
  context: TransferContext,
  actor: Actor,
  operation: string,
  input: Readonly<Record<string, unknown>>,
) {
  const { idempotencyKey: key } = context
  const scope = `${actor.credential.kind}:${actor.credential.id}:${operation}:${key}`
  const hashedInput = Object.fromEntries(Object.entries(input).filter(([member]) => !passwordMembers.has(member)))
  return {
    find(store: Store): { readonly answer: unknown } | null {
      if (key === null) return null
      const idempotent = idempotencyOn(store, () => '')
      const earlier = idempotent.find(scope)
      if (earlier === null) return null
      if (earlier.inputHash !== idempotent.hash(hashedInput)) throw fail('idempotency_conflict')
      if (earlier.answer === null) throw fail('already_done')
      return { answer: JSON.parse(earlier.answer) as unknown }
    },
    keep(store: Store, now: string, answer: unknown): void {
      if (key === null) return
      const idempotent = idempotencyOn(store, () => now)
      idempotent.keep(scope, idempotent.hash(hashedInput), answer === null ? null : JSON.stringify(answer))
    },
  }
}
