import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { newestBackup } from '../archive/newest.ts'
import { type dataPaths, keepPrivate, markAsUsed, tracesOfUse } from '../storage/data-folder.ts'
import { type Files, fileErrorCode } from '../storage/files.ts'
import type { Images } from '../storage/images.ts'
import { UnusableDatabase } from '../storage/open-database.ts'
import type { Alerts } from './alerts.ts'
import type { CurrentStore } from './current-store.ts'

export interface StartParts {
  readonly dataDir: string
  readonly backupDir: string
  readonly paths: ReturnType<typeof dataPaths>
  readonly files: Files
  readonly current: CurrentStore
  readonly images: Pick<Images, 'sweep'>
  readonly alerts: Alerts
  readonly log: { warn(facts: object, message: string): void }
  readonly clock: () => Date
  /** A command of this program as it can be typed here. */
  command(...args: readonly string[]): string
}

/**
 * Opens a data folder, when no restore is unfinished in it:
 * 1. take everybody else's rights to it away
 * 2. open the database; a folder that was used is not begun anew without it
 * 3. mark the folder as used, now that its database is complete
 * 4. make what else belongs in it; what cannot be made is told to the administrators, and the server starts without it
 * @throws UnusableDatabase, with what can be done about it.
 */
export async function openDataFolder(parts: StartParts): Promise<void> {
  const { dataDir, paths, current, images, alerts, log, clock } = parts
  const attempt = async (kind: string, what: string, work: () => void | Promise<void>): Promise<void> => {
    try {
      await work()
    } catch (error) {
      log.warn({ err: error }, what)
      alerts.raise(kind, `${what} (${fileErrorCode(error) ?? 'unknown error'})`)
    }
  }
  // 1
  const stuck = await keepPrivate(dataDir, 'top')
  // 2
  try {
    current.open()
  } catch (error) {
    throw error instanceof UnusableDatabase ? await withAdvice(error, parts) : error
  }
  // 3
  await attempt('folder', `The folder ${dataDir} could not be marked as used.`, () =>
    markAsUsed(dataDir, clock().toISOString()),
  )
  // 4
  await attempt('uploads', `The folder ${paths.uploads} cannot be used: images are neither shown nor taken.`, () => {
    mkdirSync(paths.uploads, { recursive: true, mode: 0o700 })
    readdirSync(paths.uploads)
  })
  await attempt('images', 'What unfinished uploads left behind could not be removed.', () => images.sweep())
  await attempt('keyfile', `The key file ${paths.keyfile} cannot be used: no AI client can be connected.`, () =>
    ensureKeyfile(paths.keyfile),
  )
  // With the folder itself closed, the rest may take its time.
  void keepPrivate(dataDir, 'below').then((more) => {
    const files = [...stuck, ...more]
    if (files.length === 0) return
    const others = files.length > 1 ? ` and ${files.length - 1} more` : ''
    const what = `Files in the data folder belong to another account, so that others may be able to read them: ${files[0]}${others}.`
    log.warn({ files: files.slice(0, 20) }, what)
    alerts.raise('private', what)
  })
}

/** Whether a database may be begun in this folder. */
export function mayBegin(dataDir: string): boolean {
  return tracesOfUse(dataDir).length === 0
}

async function withAdvice(error: UnusableDatabase, parts: StartParts): Promise<UnusableDatabase> {
  const { dataDir, backupDir, paths, files, command } = parts
  const traces = tracesOfUse(dataDir)
  const used = traces.length === 0 ? '' : ` This folder has been used: it holds ${traces.join(', ')}.`
  return new UnusableDatabase(`${error.message}${used} Nothing was changed. ${await advice()}`, error)

  async function advice(): Promise<string> {
    const newest = await newestBackup(backupDir, files)
    const restore = (file: string): string => command('restore', file, '--confirm', 'RESTORE')
    if (newest !== null)
      return `Put the newest backup (of ${newest.createdAt}) back with: ${restore(path.join(backupDir, newest.name))}`
    const elsewhere = `There is no backup in ${backupDir}. Put one that you keep elsewhere back with: ${restore('FILE')}`
    const copy = (await files.list(paths.beforeMigration)).findLast(({ name }) => name.endsWith('.db'))
    return copy === undefined
      ? `${elsewhere} (or set DATA_DIR to another folder to begin anew)`
      : `${elsewhere} (or put the copy from before an upgrade, ${path.join(paths.beforeMigration, copy.name)}, in its place)`
  }
}

/** The key under which AI settings will be encrypted, made once (SPEC 2.4). */
function ensureKeyfile(file: string): void {
  // An empty one is what a full disk left; nothing can be encrypted with it.
  if (existsSync(file) && readFileSync(file).length > 0) return
  const temporary = `${file}.new`
  writeFileSync(temporary, randomBytes(32), { mode: 0o600 })
  renameSync(temporary, file)
}
