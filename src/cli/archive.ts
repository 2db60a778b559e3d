import { existsSync, statSync } from 'node:fs'
import path from 'node:path'
import type { InspectReport } from '../archive/inspect.ts'
import type { RestoreOutcome } from '../archive/restore.ts'
import type { Config } from '../config.ts'
import { type ArchiveCommand, askInstance, runArchiveCommand } from '../desktop/commands.ts'
import { findRunning } from '../desktop/instance.ts'
import { fail } from '../kernel/errors.ts'
import { dataPaths, keepPrivate, markAsUsed } from '../storage/data-folder.ts'
import { claimFolder, withArchive } from './folder.ts'
import type { BackupAnswer } from './report.ts'

// backup, inspect and restore: in the server that has the data folder, else in this process.

export async function backUp(config: Config, version: string, to: string | undefined): Promise<BackupAnswer> {
  const command = { command: 'backup', file: destinationOf(to), ...keyed(config) } as const
  const { database } = dataPaths(config.dataDir)
  return await onFolder<BackupAnswer>(config, version, command, false, () => {
    if (!existsSync(database))
      throw fail('not_found', `There is no database ${database}, so nothing can be backed up. Start Talekeeper once.`)
  })
}

/** Throws `not_found` where there is no such file. */
export async function inspect(config: Config, version: string, file: string): Promise<InspectReport> {
  const command = { command: 'inspect', file: existing(file) } as const
  // It needs no data folder; where a server works on backups, it waits its turn there.
  const running = await findRunning(config.dataDir)
  const answer =
    running === null
      ? await withArchive(config, version, (archive) => runArchiveCommand(archive, command))
      : await askInstance(running, command)
  return answer as InspectReport
}

export async function restore(
  config: Config,
  version: string,
  given: { readonly file: string; readonly confirm: string | undefined; readonly admin: string | undefined },
): Promise<RestoreOutcome> {
  const file = existing(given.file)
  if (given.confirm !== 'RESTORE')
    throw fail(
      'confirm_required',
      'A restore replaces everything on this server. To do that, add the words: --confirm RESTORE',
    )
  const command = {
    command: 'restore',
    file,
    confirm: given.confirm,
    ...(given.admin === undefined ? {} : { administrator: given.admin }),
    ...keyed(config),
  } as const
  return await onFolder<RestoreOutcome>(
    config,
    version,
    command,
    true,
    () => {},
    async () => {
      markAsUsed(config.dataDir, new Date().toISOString())
      for (const part of ['top', 'below'] as const) await keepPrivate(config.dataDir, part)
    },
  )
}

async function onFolder<T>(
  config: Config,
  version: string,
  command: ArchiveCommand,
  make: boolean,
  before: () => void,
  after: () => Promise<void> = async () => {},
): Promise<T> {
  const claim = await claimFolder(config, command.command, make)
  if (claim.kind === 'running') return (await askInstance(claim.running, command)) as T
  try {
    before()
    return await withArchive(config, version, async (archive) => {
      await archive.recover()
      const answer = await runArchiveCommand(archive, command)
      await after()
      return answer as T
    })
  } finally {
    claim.instance.release()
  }
}

function existing(file: string): string {
  const found = path.resolve(file)
  if (!existsSync(found)) throw fail('not_found', `There is no file ${found}.`)
  return found
}

/** Into a folder that is there it goes under a name of its own. */
function destinationOf(to: string | undefined): string {
  const name = `talekeeper-backup-${new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '')}.zip`
  if (to === undefined) return path.resolve(name)
  const isFolder = statSync(to, { throwIfNoEntry: false })?.isDirectory() ?? false
  return isFolder ? path.resolve(to, name) : path.resolve(to)
}

function keyed({ backup: { keyPassphrase } }: Config): { readonly passphrase?: string } {
  return keyPassphrase === null ? {} : { passphrase: keyPassphrase }
}
