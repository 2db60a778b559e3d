import path from 'node:path'
import * as z from 'zod'
import { importReport } from '../domain/campaign/arrival.ts'
import { importOperation } from '../domain/campaign/travel-operations.ts'
import { fail } from '../kernel/errors.ts'
import { execute } from '../kernel/execute.ts'
import type { AnyOperation } from '../kernel/operation.ts'
import type { System } from '../kernel/system.ts'
import { exportFormats, profiles } from '../kernel/travel.ts'
import { type Actor, personIn } from '../kernel/viewer.ts'
import { type Files, fileErrorCode } from '../storage/files.ts'
import type { Store } from '../storage/store.ts'
import { userNamed } from '../storage/user-names.ts'
import type { Progress } from '../storage/workers.ts'
import type { Exports } from './exports.ts'
import type { Imports } from './imports.ts'

/** What the command line asks of campaigns; files are on the same machine. */
export const campaignCommand = z.discriminatedUnion('command', [
  z.strictObject({
    command: z.literal('export'),
    /** Its number, or its name. */
    campaign: z.string().min(1).max(200),
    /** A file that is not there yet, or a folder. */
    file: z.string(),
    profile: z.enum(profiles),
    format: z.enum(exportFormats),
    job: z.string().max(60).optional(),
  }),
  z.strictObject({
    command: z.literal('import'),
    file: z.string(),
    /** Who becomes its Dungeon Master; nobody where it is only looked at. */
    owner: z.string().max(100).nullable(),
    job: z.string().max(60).optional(),
  }),
  /** How far the command of that name is. */
  z.strictObject({ command: z.literal('progress'), job: z.string().max(60) }),
])
export type CampaignCommand = z.output<typeof campaignCommand>

export const commandAnswers = {
  export: z.object({
    file: z.string(),
    bytes: z.int(),
    campaignId: z.int(),
    name: z.string(),
    /** Pictures that did not go along. */
    leftOut: z.array(z.object({ attachmentId: z.int(), name: z.string(), reason: z.string() })),
  }),
  import: z.object({ campaignId: z.int().nullable(), report: importReport }),
} as const

interface Parts {
  system(): System
  store(): Store
  readonly files: Files
  readonly exports: Exports
  readonly imports: Imports
}

/** Whoever can run this can read and write the database anyway; no private note is in what it exports all the same. */
export function createCampaignCommands(parts: Parts): (command: CampaignCommand) => Promise<unknown> {
  const running = new Map<string, Progress>()
  return async (command) => {
    const { job } = command
    if (command.command === 'progress') return { work: running.get(command.job) ?? null }
    const report = (progress: Progress): void => {
      if (job !== undefined) running.set(job, progress)
    }
    try {
      return command.command === 'export'
        ? await exportTo(parts, command, report)
        : await importFrom(parts, command, report)
    } finally {
      if (job !== undefined) running.delete(job)
    }
  }
}

type Report = (progress: Progress) => void

type Export = Extract<CampaignCommand, { command: 'export' }>
type Import = Extract<CampaignCommand, { command: 'import' }>

async function exportTo({ store, files, exports }: Parts, { campaign, file, profile, format }: Export, report: Report) {
  const { id: campaignId, name } = campaignNamed(store(), campaign)
  const { signal } = new AbortController()
  const viewer = personIn(campaignId, 'dm')
  const made = await exports.make({ campaignId, viewer, profile, format }, signal)
  const target = (await files.stat(file))?.kind === 'directory' ? path.join(file, made.fileName) : file
  let bytes = 0
  try {
    const writer = await files.create(target).catch((cause: unknown) => {
      throw whyNotWritten(target, cause)
    })
    try {
      for await (const piece of made.bytes) {
        await writer.write(piece)
        bytes += piece.length
        report({ phase: 'exporting', done: bytes, total: 0 })
      }
      await writer.sync()
      await writer.close()
    } catch (cause) {
      await writer.close().catch(() => {})
      // Half of a file would be taken for one.
      await files.remove(target)
      throw whyNotWritten(target, cause)
    }
  } finally {
    await made.bytes.return(undefined)
  }
  const leftOut = [...made.leftOut]
  return { file: target, bytes, campaignId, name, leftOut } satisfies z.output<typeof commandAnswers.export>
}

/** What somebody can do about a file that cannot be written. */
function whyNotWritten(target: string, cause: unknown): unknown {
  switch (fileErrorCode(cause)) {
    case 'EEXIST':
      return fail('invalid_state', `${target} is there already. Remove it, or name another file.`, { cause })
    case 'ENOSPC':
    case 'EDQUOT':
      return fail('disk_full', `The disk is full: ${target} was not written. Make room on it, then try again.`, {
        cause,
      })
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return fail(
        'storage_unavailable',
        `Talekeeper may not write ${target}. Give its account the right, or name another place.`,
        { cause },
      )
    case 'ENOENT':
    case 'ENOTDIR':
      return fail('not_found', `There is no folder ${path.dirname(target)}. Make it first, or name another place.`, {
        cause,
      })
    default:
      return cause
  }
}

function campaignNamed(store: Store, given: string): { readonly id: number; readonly name: string } {
  const rows = store.all('SELECT id, name FROM campaigns WHERE deleted_at IS NULL AND importing = 0 ORDER BY id')
  const known = rows.map(({ id, name }) => ({ id: Number(id), name: String(name) }))
  const found = known.filter(({ id, name }) => String(id) === given || name.toLowerCase() === given.toLowerCase())
  const [first, second] = found
  if (first !== undefined && second === undefined) return first
  const listed = (found.length > 1 ? found : known).slice(0, 20).map(({ id, name }) => `${id} ${name}`)
  const which =
    found.length > 1 ? `There are several campaigns "${given}": give a number.` : `There is no campaign "${given}".`
  throw fail('not_found', `${which} There are: ${listed.join(', ') || 'none'}.`)
}

async function importFrom({ system, store, imports }: Parts, { file, owner }: Import, onProgress: Report) {
  const { signal } = new AbortController()
  if (owner === null) return { campaignId: null, report: await imports.inspect({ file }, { signal, onProgress }) }
  const user = userNamed(store(), owner)
  if (user === null) throw fail('not_found', `There is no account "${owner}". talekeeper admin lists them.`)
  const credential = {
    kind: 'system',
    id: 0,
    scope: 'dm',
    campaignId: null,
    writeMode: 'direct',
    clientId: null,
    toolsets: null,
  } as const
  const actor: Actor = { userId: user.id, username: user.username, admin: false, credential }
  const operation = importOperation((userId, given) =>
    imports.stage({ file, userId }, { signal: given, onProgress }),
  ) as unknown as AnyOperation
  const call = {
    actor,
    door: 'system',
    idempotencyKey: null,
    reason: 'From the command line',
    requestId: 'command-line',
  } as const
  const { output } = await execute(system(), operation, { contentSha256: '' }, call)
  const { id: campaignId, report } = output as { readonly id: number; readonly report: z.output<typeof importReport> }
  return { campaignId, report }
}
