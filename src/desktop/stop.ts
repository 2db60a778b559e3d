import { setTimeout as delay } from 'node:timers/promises'
import * as z from 'zod'
import { fail } from '../kernel/errors.ts'
import { type AnyTransfer, defineTransfer } from '../kernel/transfer.ts'
import type { Instance, RunningInstance } from './instance.ts'
import { localRequest } from './local-request.ts'

/** How long a program may take from being asked until it answers no more. */
const patienceMs = 15_000

/**
 * The door through which the command line ends a running program: an installer that replaces its files needs that, and
 * Windows has no signal for it. For whoever can read the data folder.
 */
export function stopTransfers(instance: Instance, stop: () => void): readonly AnyTransfer[] {
  return [
    defineTransfer({
      name: 'stop_program',
      title: 'Stop the program',
      description: 'Ends it in good order. Needs the token of the data folder’s instance.json, from this machine.',
      access: 'public',
      effect: 'write',
      route: 'POST /instance/stop',
      input: z.strictObject({ token: z.string().max(200) }),
      example: (world) => ({ token: world.text('instance') }),
      async handle(context, { token }) {
        if (!context.loopback || !instance.isLockToken(token))
          throw fail('forbidden', 'This door is for the command line of this machine.')
        // After the answer: stopping waits for the requests that are on their way.
        setImmediate(stop)
        return { stopping: true }
      },
    }),
  ] as unknown as readonly AnyTransfer[]
}

/**
 * Asks the running program to end and waits until it answers no more.
 * @throws Error with what it answered, or when it still answers after 15 seconds.
 */
export async function stopRunning({ address, token }: RunningInstance): Promise<void> {
  const { status, body } = await localRequest(`${address}/api/v1/instance/stop`, { body: { token } })
  if (status !== 200) {
    const { error } = body as { readonly error?: { readonly message: string } }
    throw new Error(error?.message ?? `The running program answered ${status}.`)
  }
  const deadline = Date.now() + patienceMs
  while (await answers(address)) {
    if (Date.now() > deadline) throw new Error(`Talekeeper at ${address}/ has not stopped within 15 seconds.`)
    await delay(100)
  }
}

async function answers(address: string): Promise<boolean> {
  try {
    await localRequest(`${address}/healthz`, { timeoutMs: 2000 })
    return true
  } catch {
    return false
  }
}
