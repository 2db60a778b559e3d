import * as z from 'zod'
import { fail } from '../kernel/errors.ts'
import { type AnyTransfer, defineTransfer, type TransferContext } from '../kernel/transfer.ts'
import { hashSecret, mintSecret } from '../storage/secrets.ts'

export interface Download {
  readonly kind: string
  /** Runs when the ticket is used, as whoever asked for it. */
  send(context: TransferContext): Promise<void>
  /** Gives up what was made ready. Runs when the ticket is not used in time. */
  discard(): void
}

export interface Downloads {
  /** A link that works once, within five minutes, without a credential: for a plain navigation, or for an MCP client. */
  issue(download: Download): { readonly path: string; readonly expiresAt: string }
  /** Gives up all of a kind that wait. */
  giveUp(kind: string): void
  /** Gives up all that wait. */
  close(): void
  readonly transfers: readonly AnyTransfer[]
}

const lifetimeMs = 5 * 60 * 1000
/** Tickets that may wait at once; the oldest gives way. */
const mostWaiting = 200

interface Waiting {
  readonly download: Download
  readonly expiresAt: number
  readonly timer: NodeJS.Timeout
}

/** One-use links for downloads. They are kept in memory only: a restart voids them. */
export function createDownloads(clock: () => Date): Downloads {
  const waiting = new Map<string, Waiting>()
  const take = (hash: string): Waiting | undefined => {
    const found = waiting.get(hash)
    waiting.delete(hash)
    clearTimeout(found?.timer)
    return found
  }
  const discard = (hash: string): void => take(hash)?.download.discard()
  const discardAll = (which: (download: Download) => boolean): void => {
    for (const [hash, { download }] of Array.from(waiting)) if (which(download)) discard(hash)
  }
  return {
    issue(download) {
      const { value, hash } = mintSecret('tkd')
      const expiresAt = clock().getTime() + lifetimeMs
      if (waiting.size >= mostWaiting) discard(waiting.keys().next().value as string)
      waiting.set(hash, { download, expiresAt, timer: setTimeout(() => discard(hash), lifetimeMs).unref() })
      return { path: `/api/v1/downloads/${value}`, expiresAt: new Date(expiresAt).toISOString() }
    },
    giveUp: (kind) => discardAll((download) => download.kind === kind),
    close: () => discardAll(() => true),
    transfers: [
      defineTransfer({
        name: 'use_download_ticket',
        title: 'Use a download link',
        description: 'The download that a one-use link stands for. The link is its own credential, for five minutes.',
        access: 'public',
        effect: 'read',
        route: 'GET /downloads/{ticket}',
        carries: 'bytes',
        once: true,
        input: z.strictObject({ ticket: z.string().max(100) }),
        example: (world) => ({ ticket: world.text('ticket') }),
        async handle(context, { ticket }) {
          const found = take(hashSecret(ticket))
          if (found === undefined || found.expiresAt <= clock().getTime()) {
            found?.download.discard()
            throw fail('not_found', 'This download link was used already or is too old. Ask for a new one.')
          }
          await found.download.send(context)
          return undefined
        },
      }),
    ] as unknown as readonly AnyTransfer[],
  }
}
