import * as z from 'zod'
import { fail } from '../kernel/errors.ts'
import { type AnyTransfer, defineTransfer, type Exchange } from '../kernel/transfer.ts'
import { hashSecret, mintSecret } from '../storage/secrets.ts'

/** Sends one download. It runs when the ticket is used, as whoever asked for it. */
export type Download = (exchange: Exchange) => Promise<void>

export interface Downloads {
  /** A link that works once, within five minutes, without a credential: for a plain navigation, or for an MCP client. */
  issue(download: Download): { readonly path: string; readonly expiresAt: string }
  readonly transfers: readonly AnyTransfer[]
}

const lifetimeMs = 5 * 60 * 1000
/** Tickets that may wait at once; the oldest gives way. */
const mostWaiting = 200

/** One-use links for downloads. They are kept in memory only: a restart voids them. */
export function createDownloads(clock: () => Date): Downloads {
  const waiting = new Map<string, { readonly download: Download; readonly expiresAt: number }>()
  return {
    issue(download) {
      const { value, hash } = mintSecret('tkd')
      const expiresAt = clock().getTime() + lifetimeMs
      if (waiting.size >= mostWaiting) waiting.delete(waiting.keys().next().value as string)
      waiting.set(hash, { download, expiresAt })
      return { path: `/api/v1/downloads/${value}`, expiresAt: new Date(expiresAt).toISOString() }
    },
    transfers: [
      defineTransfer({
        name: 'use_download_ticket',
        title: 'Use a download link',
        description: 'The download that a one-use link stands for. The link is its own credential, for five minutes.',
        access: 'public',
        effect: 'read',
        route: 'GET /downloads/{ticket}',
        carries: 'bytes',
        input: z.strictObject({ ticket: z.string().max(100) }),
        example: (world) => ({ ticket: world.text('ticket') }),
        async handle(exchange, { ticket }) {
          const hash = hashSecret(ticket)
          const found = waiting.get(hash)
          waiting.delete(hash)
          if (found === undefined || found.expiresAt <= clock().getTime()) {
            throw fail('not_found', 'This download link was used already or is too old. Ask for a new one.')
          }
          await found.download(exchange)
          return undefined
        },
      }),
    ] as unknown as readonly AnyTransfer[],
  }
}
