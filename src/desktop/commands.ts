import * as z from 'zod'
import type { Archive } from '../archive/archive.ts'
import { type ErrorCode, fail } from '../kernel/errors.ts'
import { type AnyTransfer, defineTransfer } from '../kernel/transfer.ts'
import type { Instance, RunningInstance } from './instance.ts'
import { localRequest } from './local-request.ts'

const passphrase = z.string().min(12, 'at least 12 characters').max(1000).optional()

/** What the command line asks of the archive; files are on the same machine. */
export const archiveCommand = z.discriminatedUnion('command', [
  z.strictObject({ command: z.literal('backup'), file: z.string(), passphrase }),
  z.strictObject({ command: z.literal('inspect'), file: z.string() }),
  z.strictObject({
    command: z.literal('restore'),
    file: z.string(),
    passphrase,
    confirm: z.string(),
    /** The account that administers the server afterwards, whatever the archive says. */
    administrator: z.string().min(1).max(100).optional(),
  }),
])
export type ArchiveCommand = z.output<typeof archiveCommand>

/** Runs a command of the command line, in this process or in the one that has the data folder. */
export async function runArchiveCommand(archive: Archive, command: ArchiveCommand): Promise<unknown> {
  switch (command.command) {
    case 'backup': {
      const { path, bytes, manifest } = await archive.create({
        destination: command.file,
        passphrase: command.passphrase,
      })
      return { file: path, bytes, uploads: manifest.uploadCount, schemaVersion: manifest.schemaVersion }
    }
    case 'inspect':
      return archive.inspect(command.file)
    case 'restore':
      if (command.confirm !== 'RESTORE') throw fail('confirm_required')
      return archive.restore(command.file, {
        actor: { username: 'the command line' },
        administrator: command.administrator === undefined ? undefined : { username: command.administrator },
        ...(command.passphrase ? { passphrase: command.passphrase } : {}),
      })
  }
}

/** Campaigns that leave and come home by the command line. */
export interface CampaignCommands {
  readonly command: z.ZodType<{ readonly command: string }>
  run(command: never): Promise<unknown>
}

/** The door for a second start and for the command line beside a running server: whoever can read the data folder. */
export function instanceTransfers(
  instance: Instance,
  archive: Archive,
  campaigns: CampaignCommands,
): readonly AnyTransfer[] {
  return [
    defineTransfer({
      name: 'prove_instance',
      title: 'Prove to be the running program',
      description: 'HMAC of the nonce under the token in the data folder’s instance.json.',
      access: 'public',
      effect: 'read',
      route: 'GET /instance',
      input: z.strictObject({ nonce: z.string().min(10).max(100) }),
      output: z.object({ proof: z.string() }),
      example: () => ({ nonce: 'a-nonce-of-its-own' }),
      handle: async (_, { nonce }) => ({ proof: instance.prove(nonce) }),
    }),
    defineTransfer({
      name: 'run_archive_command',
      title: 'Run a command of the command line',
      description:
        'Backup, inspect, restore, export or import with a file on this machine. Needs the token of the data folder’s instance.json, from this machine.',
      access: 'public',
      effect: 'write',
      route: 'POST /instance/commands',
      input: z.strictObject({ token: z.string().max(200), request: z.union([archiveCommand, campaigns.command]) }),
      example: (world) => ({
        token: world.text('instance'),
        request: { command: 'inspect' as const, file: '/tmp/backup.zip' },
      }),
      async handle(context, { token, request }) {
        if (!context.loopback || !instance.isLockToken(token))
          throw fail('forbidden', 'This door is for the command line of this machine.')
        const known = archiveCommand.safeParse(request)
        return known.success ? runArchiveCommand(archive, known.data) : campaigns.run(request as never)
      },
    }),
  ] as unknown as readonly AnyTransfer[]
}

/** Sends a command to the running program. Throws what it answered. */
export async function askInstance({ address, token }: RunningInstance, request: object): Promise<unknown> {
  const { status, body } = await localRequest(`${address}/api/v1/instance/commands`, {
    body: { token, request },
  }).catch((cause: unknown) => {
    throw fail('unavailable', `The Talekeeper at ${address}/ ended before it answered.`, { cause })
  })
  const answer = body as { readonly error?: { readonly code: ErrorCode; readonly message: string } }
  if (answer.error !== undefined) throw fail(answer.error.code, answer.error.message)
  if (status !== 200) throw fail('unavailable', `The Talekeeper at ${address}/ answered ${status}.`)
  return answer
}
