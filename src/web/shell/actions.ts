import type { Cache, PendingChange } from '../api/cache.ts'
import { CallError, type Extra, type Written } from '../api/call.ts'
import type { Input, OperationName, Output } from '../api/contract.ts'
import type { Offer } from '../kit/toast.tsx'
import { type App, messageOf, useApp } from './context.ts'

// What becomes of a change that the server refuses or that cannot be sent, by how it is made:
//
// - Words caught with the pen (api/outbox.ts: a note, a whisper, a note to the DM) wait in this browser and go out by
//   themselves. They stand for themselves, so that coming late does them no harm.
// - What is changed by one press (a tick, a state, an order: `useAction`) is shown at once, taken back when it did not
//   come through, and a toast says so. It waits for those pressed before it, for seconds, and then no more: what others did
//   meanwhile may have made it wrong.
// - What is written in a form (`useWrite`) stays in the form, with the complaint above its buttons; on a page for editing
//   it outlives a reload too (kit/edit-page.tsx). Nothing of it is sent by itself later.
//
// What a Dungeon Master changed in either of these ways can be taken back for as long as its toast stands: the server names the
// record of it, and `revert_change` takes that back. It is refused, in words, where something later depends on it.
//
// After each of the last two the foot of the sidebar says "Not saved" until the next change, or the next page.

export type Write = <K extends OperationName>(name: K, input: Input<K>, extra?: Extra) => Promise<Written<Output<K>>>

type Parts = Pick<App, 'client' | 'cache' | 'toasts'>

/** Writes and then refreshes what is about the same things. Throws CallError. */
export const useWrite = (): Write => createWrite(useApp())

/** Writes what a form in place holds, and says that it is saved for as long as that can be taken back. Throws CallError. */
export function useSave(): Write {
  const app = useApp()
  const write = createWrite(app)
  return async (name, input, extra) => {
    const written = await write(name, input, extra)
    const offer = undoOf(app, written)
    if (written.kind === 'proposed') app.toasts.say('Sent to the DM as a proposal.')
    else if (offer) app.toasts.say('Saved.', offer)
    return written
  }
}

export function createWrite({ client, cache }: Pick<Parts, 'client' | 'cache'>): Write {
  return async (name, input, extra) => {
    const written = await client.write(name, input, extra)
    cache.invalidateBy(written.kind === 'proposed' ? 'create_proposal' : name)
    return written
  }
}

/** A change that is shown before the server has answered, and taken back when it does not take it. */
export interface Ahead {
  /** What is taken back, as a sentence begins with it: `The tick`. */
  readonly what: string
  /** Lays the change over what the page shows. */
  show(cache: Cache): readonly PendingChange[]
}

export interface ActionOptions {
  /** The toast once it is done. */
  readonly message?: string
  /** How it is taken back, where that is not by its record. */
  readonly undo?: () => Promise<unknown>
  readonly ahead?: Ahead
}

export type Act = <K extends OperationName>(
  name: K,
  input: Input<K>,
  options?: ActionOptions,
) => Promise<Written<Output<K>> | null>

/** How long a change that is shown already may be on its way before it is taken back. */
const AHEAD_MS = 8000

/** Writes on one press: says what came of it in a toast, and answers null when it failed. */
export const useAction = (): Act => createAction(useApp())

export function createAction(parts: Parts): Act {
  const { toasts, cache } = parts
  const write = createWrite(parts)
  return async (name, input, { message, undo, ahead } = {}) => {
    const pending = ahead?.show(cache) ?? []
    try {
      const written = await write(name, input, ahead ? { limit: AbortSignal.timeout(AHEAD_MS), inTurn: true } : {})
      if (written.kind === 'proposed') {
        // Nothing has changed yet: that is for the DM to say.
        for (const change of pending) change.takeBack()
        toasts.say('Sent to the DM as a proposal.')
      } else {
        for (const change of pending) change.keep()
        const offer = undo ? { word: 'Undo', run: undo } : name === 'revert_change' ? undefined : undoOf(parts, written)
        const words = message ?? (ahead && offer ? `${ahead.what} is saved.` : undefined)
        if (words) toasts.say(words, offer)
      }
      return written
    } catch (error) {
      for (const change of pending) change.takeBack()
      toasts.fail(ahead ? takenBack(ahead.what, error) : messageOf(error))
      cache.invalidateBy(name)
      return null
    }
  }
}

/** Takes back what was written, where the server says that it can be. */
export function undoOf(parts: Parts, written: Written<unknown>): Offer | undefined {
  if (written.kind !== 'done') return undefined
  // What is taken of others is one record of its own, which the answer names.
  const { auditRecordId } = written.value as { readonly auditRecordId?: number | null }
  const record = auditRecordId ?? written.record
  if (record === undefined) return undefined
  const act = createAction(parts)
  return {
    word: 'Undo',
    run: () => act('revert_change', { auditRecordId: record as never }, { message: 'It is as it was.' }),
  }
}

function takenBack(what: string, error: unknown): string {
  return error instanceof CallError && error.status === 0
    ? `${what} did not reach the server and was taken back. Try again when the connection is there.`
    : `${what} was taken back. ${messageOf(error)}`
}
