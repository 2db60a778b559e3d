import * as z from 'zod'
import { fail } from '../kernel/errors.ts'
import { type AnyTransfer, defineTransfer, type TransferContext } from '../kernel/transfer.ts'
import type { Actor } from '../kernel/viewer.ts'
import type { Archive, RestoreOptions } from './archive.ts'
import type { StreamedArchive } from './create.ts'
import { archiveLimits } from './format.ts'

const keyPassphrase = z.string().min(12, 'at least 12 characters').max(1000)
const nothing = z.strictObject({})
const named = z.strictObject({ name: z.string().max(200) })

/** One-use download links; transfer/downloads.ts. */
export interface DownloadTickets {
  issue(download: { readonly kind: string; send(context: TransferContext): Promise<void>; discard(): void }): {
    readonly path: string
    readonly expiresAt: string
  }
  giveUp(kind: string): void
}

/** The open streams of events; live/hub.ts. */
export interface Streams {
  requireRoom(actor: Actor): void
  attach(stream: { readonly actor: Actor; close(): void }): () => void
}

const formOf = (byteLimit: number) => ({ fileField: 'file', mostBytes: byteLimit })

/** Whoever restores administers the server afterwards, where the archive would leave nobody to do so. */
function by(actor: Actor | null): Pick<RestoreOptions, 'actor' | 'administrator'> {
  return { actor, administrator: actor === null ? undefined : { userId: actor.userId } }
}

/** Whole-server backup, inspect and restore over HTTP (SPEC 4.4). Everything here needs server-admin rights. */
export function archiveTransfers(archive: Archive, tickets: DownloadTickets, streams: Streams): readonly AnyTransfer[] {
  const send = (context: TransferContext, { stream, fileName, bytes }: StreamedArchive): Promise<void> =>
    context.send({ mimeType: 'application/zip', downloadName: fileName, byteSize: bytes }, stream)
  const download = async (context: TransferContext, passphrase: string | undefined): Promise<undefined> => {
    await send(context, await archive.create({ passphrase, signal: context.signal }))
    return undefined
  }
  return [
    defineTransfer({
      name: 'download_backup',
      title: 'Download a backup',
      description:
        'The whole server as one zip: database and uploads. Safe while the server is in use. Holds no AI key file.',
      access: 'admin',
      effect: 'read',
      route: 'GET /backup',
      carries: 'bytes',
      input: nothing,
      example: () => ({}),
      handle: (context) => download(context, undefined),
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
      handle: (context, input) => download(context, input.keyPassphrase),
    }),
    defineTransfer({
      name: 'create_backup_link',
      title: 'Make a link for a backup',
      description:
        'Makes the archive; then a link downloads it once, within five minutes: a browser writes it straight to disk.',
      access: 'admin',
      effect: 'read',
      route: 'POST /backup/links',
      creates: true,
      input: z.strictObject({ keyPassphrase: keyPassphrase.optional() }),
      output: z.object({ path: z.string(), expiresAt: z.iso.datetime() }),
      example: () => ({}),
      // The passphrase never stands in an address (SPEC 4.4). The archive is made first: whatever goes wrong is answered
      // here, and the link begins to send at once.
      async handle({ signal }, { keyPassphrase: passphrase }) {
        // One that waits is enough: each may be as large as all uploads.
        tickets.giveUp('backup')
        const made = await archive.create({ passphrase, signal })
        return tickets.issue({
          kind: 'backup',
          send: (context) => send(context, made),
          discard: () => made.stream.destroy(),
        })
      },
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
      async handle(context) {
        const { path } = await context.receive(formOf(archiveLimits.archiveBytes))
        return archive.inspect(path, context.signal)
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
      async handle(context) {
        const { path, fields } = await context.receive(formOf(archiveLimits.archiveBytes))
        if (fields.confirm !== 'RESTORE') throw fail('confirm_required')
        const { keyPassphrase: passphrase } = fields
        const { actor, signal } = context
        return archive.restore(path, { ...(passphrase ? { passphrase } : {}), ...by(actor), signal })
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
      name: 'backup_events',
      title: 'Backup work, live',
      description:
        'Server-sent events `work`: what is being done with its phase, bytes done and in total, or null when nothing is.',
      access: 'admin',
      effect: 'read',
      route: 'GET /backup/events',
      carries: 'events',
      input: nothing,
      example: () => ({}),
      async handle(context) {
        const { actor } = context
        if (actor === null) throw fail('unauthenticated')
        streams.requireRoom(actor)
        const stream = context.events()
        const unwatch = archive.watch((current) => stream.send({ event: 'work', data: current }))
        const leave = streams.attach({ actor, close: () => stream.close() })
        await stream.closed
        leave()
        unwatch()
        return undefined
      },
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
      handle: () => archive.scheduled.runNow(undefined, 'by-hand'),
    }),
    defineTransfer({
      name: 'list_backups',
      title: 'List backups',
      description:
        'The archives in the backup folder, newest first, with what their manifests say and which are pinned.',
      access: 'admin',
      effect: 'read',
      route: 'GET /backup/archives',
      input: nothing,
      example: () => ({}),
      handle: async (context) => ({ items: await archive.scheduled.list(context.signal), nextCursor: null }),
    }),
    defineTransfer({
      name: 'verify_backup',
      title: 'Verify a backup',
      description: 'Reads one archive of the backup folder in full and judges it by the rules of a restore.',
      access: 'admin',
      effect: 'read',
      route: 'POST /backup/archives/{name}/verify',
      input: named,
      example: (world) => ({ name: world.text('backup') }),
      handle: (context, { name }) => archive.scheduled.verify(name, context.signal),
    }),
    defineTransfer({
      name: 'download_kept_backup',
      title: 'Download a kept backup',
      description: 'One archive of the backup folder.',
      access: 'admin',
      effect: 'read',
      route: 'GET /backup/archives/{name}',
      carries: 'bytes',
      input: named,
      example: (world) => ({ name: world.text('backup') }),
      async handle(context, { name }) {
        const { stream, bytes } = await archive.scheduled.open(name)
        await context.send({ mimeType: 'application/zip', downloadName: name, byteSize: bytes }, stream)
        return undefined
      },
    }),
    defineTransfer({
      name: 'restore_kept_backup',
      title: 'Restore a kept backup',
      description: 'Replaces everything on this server with one archive of the backup folder. confirm must be RESTORE.',
      access: 'admin',
      effect: 'destroy',
      route: 'POST /backup/archives/{name}/restore',
      input: named.extend({ confirm: z.string().max(20), keyPassphrase: keyPassphrase.optional() }),
      example: (world) => ({ name: world.text('backup'), confirm: 'no' }),
      async handle({ actor, signal }, { name, confirm, keyPassphrase: passphrase }) {
        if (confirm !== 'RESTORE') throw fail('confirm_required')
        return archive.scheduled.restore(name, { passphrase, ...by(actor), signal })
      },
    }),
    defineTransfer({
      name: 'pin_backup',
      title: 'Pin a backup',
      description: 'Keeps one archive from being pruned (a .pin file beside it).',
      access: 'admin',
      effect: 'write',
      route: 'PUT /backup/archives/{name}/pin',
      input: named,
      output: z.object({ name: z.string(), pinned: z.boolean() }),
      example: (world) => ({ name: world.text('backup') }),
      async handle(_, { name }) {
        await archive.scheduled.pin(name)
        return { name, pinned: true }
      },
    }),
    defineTransfer({
      name: 'unpin_backup',
      title: 'Unpin a backup',
      description: 'Lets retention prune the archive again.',
      access: 'admin',
      effect: 'write',
      route: 'DELETE /backup/archives/{name}/pin',
      input: named,
      output: z.object({ name: z.string(), pinned: z.boolean() }),
      example: (world) => ({ name: world.text('backup') }),
      async handle(_, { name }) {
        await archive.scheduled.unpin(name)
        return { name, pinned: false }
      },
    }),
  ] as unknown as readonly AnyTransfer[]
}
