import path from 'node:path'
import { type DirectoryItem, type Files, isRunning, writeFileAtomic } from '../storage/files.ts'
import { dropIntent, dropUnwrittenIntent, type Intent, readIntent, restoreFolder } from './intent.ts'
import type { ArchiveLog } from './ports.ts'
import { dropUnwrittenState } from './state.ts'
import { ownerOfPartial } from './stored-backups.ts'
import { moveBack, moveForward, restorePaths } from './swap.ts'

export interface RecoverParts {
  readonly dataDir: string
  readonly tempDir: string
  readonly backupDir: string
  readonly files: Files
  readonly clock: () => Date
  readonly log: ArchiveLog
  readonly checkpoint: (step: string) => void
}

type SettleParts = Pick<RecoverParts, 'files' | 'dataDir' | 'clock' | 'checkpoint'>

/** What a start found of an unfinished restore. */
export type Recovered = 'nothing' | 'finished' | 'rolled-back'

/** Staging and upload folders in the temporary folder: `talekeeper-archive-<process>-<random>`. */
const stagingFolder = /^talekeeper-(?:archive|upload)-(\d+)-[0-9A-Za-z]+$/
/** A safety copy on its way out: renamed first, so that half of one is never taken for one. */
const discardedFolder = /^discarded-restore-/

/**
 * Runs at every start, before the database is opened, and while no other process uses the data folder:
 * 1. finish or roll back the restore that the intent file names; afterwards the installation is wholly the new or the old
 * 2. remove what unfinished archive work left behind
 * It may itself be broken off at any instant.
 */
export async function recover(parts: RecoverParts): Promise<Recovered> {
  const { files, dataDir, log } = parts
  const intent = await readIntent(files, dataDir)
  const outcome = intent === undefined ? 'nothing' : await settleRestore(parts, intent)
  if (outcome !== 'nothing')
    log.warn({ outcome, restore: intent?.id }, 'A restore had been broken off; it was settled.')
  await sweep(parts)
  return outcome
}

/** Brings the installation forward or back, as the intent says. Does nothing where that was done already. */
export async function settleRestore(parts: SettleParts, intent: Intent): Promise<Recovered> {
  const { files, dataDir, checkpoint } = parts
  const swap = { files, dataDir, intent, checkpoint }
  if (intent.phase === 'replacing') {
    await moveForward(swap)
    await finishRestore(parts, intent)
    return 'finished'
  }
  if (intent.phase === 'reverting') await moveBack(swap)
  await dropIntent(files, dataDir)
  return 'rolled-back'
}

/**
 * The new installation is in place: what is in `old` becomes the safety copy, kept until the next good backup. Only
 * then does the intent go, which is what ends the restore.
 */
export async function finishRestore(
  { files, dataDir, clock }: Omit<SettleParts, 'checkpoint'>,
  intent: Intent,
): Promise<void> {
  const { root, fresh, marker } = restorePaths(dataDir, intent.id)
  await files.makeDir(root)
  const facts = { replacedAt: clock().toISOString(), by: `the backup of ${intent.archiveCreatedAt}` }
  await writeFileAtomic(files, marker, `${JSON.stringify(facts, null, 2)}\n`)
  await files.removeTree(fresh)
  await dropIntent(files, dataDir)
}

/**
 * Removes the staging of work that no longer runs. Nothing that could be the only copy of a database is removed. What
 * cannot be looked into or removed, such as another account's files in a shared temporary folder, is left.
 */
async function sweep({ files, dataDir, tempDir, backupDir, log }: RecoverParts): Promise<void> {
  const leaving = async (folder: string, work: () => Promise<void>): Promise<void> => {
    try {
      await work()
    } catch (error) {
      log.info({ err: error, folder }, 'What unfinished archive work may have left here is not removed.')
    }
  }
  const each = (folder: string, remove: (item: DirectoryItem) => Promise<void>): Promise<void> =>
    leaving(folder, async () => {
      for (const item of await files.list(folder)) await leaving(path.join(folder, item.name), () => remove(item))
    })
  await leaving(dataDir, () => dropUnwrittenIntent(files, dataDir))
  await leaving(dataDir, () => dropUnwrittenState(files, dataDir))
  await each(dataDir, async ({ name, kind }) => {
    if (kind !== 'directory') return
    if (discardedFolder.test(name)) await files.removeTree(path.join(dataDir, name))
    if (restoreFolder.test(name)) await removeAbandoned(files, dataDir, name, log)
  })
  await each(tempDir, async ({ name }) => {
    const owner = stagingFolder.exec(name)?.[1]
    if (owner !== undefined && !isRunning(Number(owner))) await files.removeTree(path.join(tempDir, name))
  })
  await each(backupDir, async ({ name }) => {
    const owner = ownerOfPartial(name)
    if (owner !== undefined && !isRunning(owner)) await files.remove(path.join(backupDir, name))
  })
}

async function removeAbandoned(files: Files, dataDir: string, id: string, log: ArchiveLog): Promise<void> {
  const { root, old, stray, marker } = restorePaths(dataDir, id)
  if ((await files.stat(marker)) !== undefined) return
  if ((await files.list(old)).length + (await files.list(stray)).length > 0) {
    log.error({ folder: root }, 'This folder holds files from before a restore, but no record of it. It is left alone.')
    return
  }
  await files.removeTree(root)
}

export interface SafetyCopy {
  readonly folder: string
  readonly replacedAt: string
}

/** What restores put aside and nobody has discarded yet, oldest first. */
export async function safetyCopies(files: Files, dataDir: string): Promise<readonly SafetyCopy[]> {
  const found: SafetyCopy[] = []
  for (const { name, kind } of await files.list(dataDir)) {
    if (kind !== 'directory' || !restoreFolder.test(name)) continue
    const { root, marker } = restorePaths(dataDir, name)
    const facts = await files.stat(marker)
    if (facts !== undefined) found.push({ folder: root, replacedAt: new Date(facts.modifiedAt).toISOString() })
  }
  return found
}

/**
 * A good backup exists that was begun after these restores: what was there before them is not needed any more. The backup
 * is made, whatever goes wrong here.
 */
export async function discardSafetyCopies(
  { files, dataDir, log }: Pick<RecoverParts, 'files' | 'dataDir' | 'log'>,
  copies: readonly SafetyCopy[],
): Promise<void> {
  try {
    for (const { folder } of copies) {
      const discarded = path.join(dataDir, `discarded-${path.basename(folder)}`)
      await files.rename(folder, discarded)
      await files.removeTree(discarded)
    }
  } catch (error) {
    log.warn({ err: error }, 'The files from before a restore could not be removed.')
  }
}
