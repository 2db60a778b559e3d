import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import path from 'node:path'
import type { Config } from '../config.ts'
import { askInstance } from '../desktop/commands.ts'
import type { Instance } from '../desktop/instance.ts'
import { fail } from '../kernel/errors.ts'
import { exportFormats, profiles } from '../kernel/travel.ts'
import { dataPaths } from '../storage/data-folder.ts'
import { UsageError } from './command-line.ts'
import { claimFolder } from './folder.ts'

// export and import: in the server that has the data folder, else in one that is started for this alone and listens nowhere.

/** A server that runs commands; main.ts starts it. */
export interface CommandServer {
  run(command: object): Promise<unknown>
  stop(): Promise<void>
}

export async function runCampaignCommand(
  config: Config,
  command: { readonly command: string },
  start: (instance: Instance) => Promise<CommandServer>,
  onProgress: (progress: Progress) => void,
): Promise<unknown> {
  const { database } = dataPaths(config.dataDir)
  if (!existsSync(database))
    throw fail('not_found', `There is no database ${database}, so there are no campaigns. Start Talekeeper once.`)
  const claim = await claimFolder(config, command.command, false)
  if (claim.kind === 'running') return await followed((each) => askInstance(claim.running, each), command, onProgress)
  try {
    const server = await start(claim.instance)
    try {
      return await followed((each) => server.run(each), command, onProgress)
    } finally {
      await server.stop()
    }
  } finally {
    claim.instance.release()
  }
}

export interface Progress {
  readonly phase: string
  readonly done: number
  /** 0 where nobody knows it ahead. */
  readonly total: number
}

const lookMs = 500

/** Runs a command, and asks how far it is as long as it takes. */
async function followed(
  run: (command: object) => Promise<unknown>,
  command: object,
  onProgress: (progress: Progress) => void,
): Promise<unknown> {
  const job = randomUUID()
  let asking = false
  const timer = setInterval(async () => {
    if (asking) return
    asking = true
    // Whoever cannot tell how far they are may be done all the same.
    const found = (await run({ command: 'progress', job }).catch(() => null)) as {
      readonly work: Progress | null
    } | null
    asking = false
    if (found?.work != null) onProgress(found.work)
  }, lookMs)
  try {
    return await run({ ...command, job })
  } finally {
    clearInterval(timer)
  }
}

const phases: Readonly<Record<string, string>> = {
  exporting: 'Writing the file',
  reading: 'Reading the file',
  pictures: 'Looking at the pictures',
  writing: 'Bringing it in',
}

/** Tells how far a command is: on a terminal in one line that changes, elsewhere each step once. */
export function progressTeller(out: Pick<NodeJS.WriteStream, 'isTTY' | 'write'>) {
  let told = ''
  return {
    tell({ phase, done, total }: Progress): void {
      const name = phases[phase] ?? phase
      if (!out.isTTY) {
        if (told !== name) out.write(`${name} …\n`)
        told = name
        return
      }
      const far = total > 0 ? `${Math.floor((100 * done) / total)} %` : `${(done / 1024 / 1024).toFixed(1)} MB`
      told = `${name}: ${far}`
      out.write(`\r${told}\u001b[K`)
    },
    /** Clears the line for what comes next. */
    end(): void {
      if (out.isTTY && told !== '') out.write('\r\u001b[K')
    },
  }
}

/** The command of `talekeeper export CAMPAIGN`. Throws UsageError. */
export function exportCommand(campaign: string, options: ReadonlyMap<string, string>) {
  const profile = oneOf('--for', profiles, options.get('for') ?? 'backup')
  const format = oneOf('--as', exportFormats, options.get('as') ?? 'zip')
  return { command: 'export', campaign, file: path.resolve(options.get('to') ?? '.'), profile, format } as const
}

/** The command of `talekeeper import FILE`. Throws UsageError and `not_found`. */
export function importCommand(file: string, options: ReadonlyMap<string, string>) {
  const found = path.resolve(file)
  if (!existsSync(found)) throw fail('not_found', `There is no file ${found}.`)
  const owner = options.get('owner')
  if (owner === undefined && !options.has('dry-run'))
    throw new UsageError('Say whose it becomes with --owner NAME, or look at it first with --dry-run.')
  return { command: 'import', file: found, owner: options.has('dry-run') ? null : (owner ?? null) } as const
}

function oneOf<T extends string>(option: string, known: readonly T[], given: string): T {
  const found = known.find((each) => each === given)
  if (found === undefined) throw new UsageError(`${option} takes one of ${known.join(', ')}.`)
  return found
}

interface Exported {
  readonly file: string
  readonly bytes: number
  readonly name: string
  readonly leftOut: readonly { readonly name: string; readonly reason: string }[]
}

export function tellExport({ file, bytes, name, leftOut }: Exported): string {
  const head = `${name} is in ${file} (${(bytes / 1024 / 1024).toFixed(1)} MB).`
  return [head, ...leftOut.map((each) => `  left out: ${each.name} (${each.reason})`)].join('\n')
}

interface Imported {
  readonly campaignId: number | null
  readonly report: {
    readonly name: string
    readonly kinds: readonly { readonly entityType: string; readonly count: number }[]
    readonly pictures: { readonly missing: number }
    readonly dropped: readonly {
      readonly entityType: string
      readonly member: string
      readonly count: number
      readonly reason: string
    }[]
  }
}

export function tellImport({ campaignId, report }: Imported): string {
  const head =
    campaignId === null
      ? `This would become ${report.name}. Nothing was written.`
      : `${report.name} is campaign ${campaignId} now.`
  const kinds = report.kinds.map(({ entityType, count }) => `  ${String(count).padStart(6)} ${entityType}`)
  const missing = report.pictures.missing === 0 ? [] : [`  ${report.pictures.missing} pictures are not in the file.`]
  const dropped = report.dropped.map(
    ({ entityType, member, count, reason }) =>
      `  left out ${count}: ${[entityType, member].filter(Boolean).join('.')} (${reason})`,
  )
  return [head, ...kinds, ...missing, ...dropped].join('\n')
}
