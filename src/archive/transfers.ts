import * as z from 'zod'
import { fail } from '../kernel/errors.ts'
import { type AnyTransfer, defineTransfer, type Exchange } from '../kernel/transfer.ts'
import type { Archive } from './archive.ts'
import { archiveLimits } from './format.ts'

const keyPassphrase = z.string().min(12, 'at least 12 characters').max(1000)
const nothing = z.strictObject({})
const formOf = (byteLimit: number) => ({ fileField: 'file', mostBytes: byteLimit })

/** Whole-server backup, inspect and restore over HTTP (SPEC 4.4). Everything here needs server-admin rights. */
export function archiveTransfers(archive: Archive): readonly AnyTransfer[] {
  const download = async (exchange: Exchange, passphrase: string | undefined): Promise<undefined> => {
    const { stream, fileName, bytes } = await archive.create({ passphrase, signal: exchange.signal })
    await exchange.send({ mimeType: 'application/zip', downloadName: fileName, byteSize: bytes }, stream)
    return undefined
  }
  return [
    defineTransfer({
      name: 'download_backup',
      title: 'Download a backup',
      description: 'The whole server as one zip: database and uploads. Safe while the server is in use. Holds no AI key file.',
      access: 'admin',
      effect: 'read',
      route: 'GET /backup',
      carries: 'bytes',
      input: nothing,
      example: () => ({}),
      handle: (exchange) => download(exchange, undefined),
    }),
    defineTransfer({
      name: 'download_backup_with_key',
      title: 'Download a backup with the AI key file',
      description: 'The same archive; with a passphrase it also holds the AI key file in an encrypted envelope.',
      access: 'admin',
      effect: 'read',
      route: 'POST /backup/download',
      carries: 'bytes',
      input: z.strictObject({ keyPassphrase: keyPassphrase.optional() }),
      example: () => ({}),
      handle: (exchange, input) => download(exchange, input.keyPassphrase),
    }),
    defineTransfer({
      name: 'inspect_backup',
      title: 'Inspect a backup',
      description: 'What an archive holds, judged by the rules of a restore. Changes nothing.',
      access: 'admin',
      effect: 'read',
      route: 'POST /backup/inspect',
      carries: 'multipart',
      input: nothing,
      example: () => ({}),
      async handle(exchange) {
        const { path } = await exchange.receive(formOf(archiveLimits.archiveBytes))
        return archive.inspect(path, exchange.signal)
      },
    }),
    defineTransfer({
      name: 'restore_backup',
      title: 'Restore a backup',
      description: 'Replaces everything on this server with the archive. The field confirm must be RESTORE.',
      access: 'admin',
      effect: 'destroy',
      route: 'POST /backup/restore',
      carries: 'multipart',
      input: nothing,
      example: () => ({}),
      async handle(exchange) {
        const { path, fields } = await exchange.receive(formOf(archiveLimits.archiveBytes))
        if (fields['confirm'] !== 'RESTORE') throw fail('confirm_required')
        const { keyPassphrase: passphrase } = fields
        const { actor, signal } = exchange
        return archive.restore(path, { ...(passphrase ? { passphrase } : {}), actor, signal })
      },
    }),
    defineTransfer({
      name: 'backup_status',
      title: 'Backup status',
      description: 'The schedule with its last error, alerts, and the work that is running with its progress.',
      access: 'admin',
      effect: 'read',
      route: 'GET /backup/status',
      input: nothing,
      example: () => ({}),
      handle: () => archive.status(),
    }),
    defineTransfer({
      name: 'cancel_backup_work',
      title: 'Cancel backup work',
      description: 'Stops a running backup, inspection or restore; a restore only until it begins to replace things.',
      access: 'admin',
      effect: 'write',
      route: 'POST /backup/cancel',
      input: nothing,
      output: z.object({ cancelled: z.boolean() }),
      example: () => ({}),
      handle: async () => ({ cancelled: archive.cancel() }),
    }),
    defineTransfer({
      name: 'run_scheduled_backup',
      title: 'Back up now',
      description: 'Makes an archive in the backup folder at once, verifies it and applies retention.',
      access: 'admin',
      effect: 'write',
      route: 'POST /backup/run',
      input: nothing,
      example: () => ({}),
      handle: () => archive.scheduled.runNow(),
    }),
  ] as unknown as readonly AnyTransfer[]
}
