import { access, constants } from 'node:fs/promises'
import path from 'node:path'
import type { Settings } from '../kernel/settings.ts'
import { type Files, fileErrorCode, writeFileAtomic } from '../storage/files.ts'
import { hasRoom } from '../storage/readiness.ts'
import type { Alert, Alerts } from './alerts.ts'

interface Folders {
  readonly dataDir: string
  readonly tempDir: string
  readonly backupDir: string
}

interface Everything {
  readonly alerts: Alerts
  readonly settings: Settings
  readonly config: { readonly dataDir: string; readonly tempDir: string }
  readonly files: Files
  readonly clock: () => Date
}

/** All that whoever keeps the server has to know at this moment, but what the backups tell by themselves. */
export async function allAlerts({ alerts, settings, config, files, clock }: Everything): Promise<readonly Alert[]> {
  const { dataDir, tempDir } = config
  const now = clock()
  const ofSettings = settings.problems().map((message) => ({ kind: 'settings', message, at: now.toISOString() }))
  const folders = { dataDir, tempDir, backupDir: settings.get().backupDir }
  return [...alerts.list(), ...ofSettings, ...(await folderAlerts(folders, files, now))]
}

/** What is wrong with the folders at this moment; asked whenever an administrator looks. */
async function folderAlerts(
  { dataDir, tempDir, backupDir }: Folders,
  files: Files,
  now: Date,
): Promise<readonly Alert[]> {
  const at = now.toISOString()
  const checks = [
    usable(dataDir, `The data folder ${dataDir} cannot be written: nothing can be changed.`),
    usable(tempDir, `The temporary folder ${tempDir} (TMPDIR) cannot be used: no uploads and no backups are possible.`),
    usable(await nearest(backupDir, files), `The backup folder ${backupDir} cannot be used: no backups can be kept.`),
    Promise.resolve().then(() =>
      hasRoom(dataDir) ? null : 'The disk with the data folder is full: nothing can be changed. Make room on it.',
    ),
  ]
  const found = await Promise.all(checks.map((check) => check.catch(() => null)))
  return found.flatMap((message) => (message === null ? [] : [{ kind: 'storage', message, at }]))
}

async function usable(folder: string, message: string): Promise<string | null> {
  try {
    await access(`${folder}${path.sep}.`, constants.R_OK | constants.W_OK | constants.X_OK)
    return null
  } catch (error) {
    return `${message} (${fileErrorCode(error) ?? 'unknown error'})`
  }
}

/** The folder itself or, as long as that does not exist, the one that it will be made in. */
async function nearest(folder: string, files: Files): Promise<string> {
  for (let each = folder; ; each = path.dirname(each)) {
    if ((await files.stat(each).catch(() => ({}))) !== undefined || each === path.dirname(each)) return each
  }
}

/** Makes sure that backups can be kept in a folder, and makes it. @throws Error with a sentence for people. */
export async function checkBackupFolder(folder: string, files: Files): Promise<void> {
  const probe = path.join(folder, '.talekeeper-probe')
  try {
    await files.makeDir(folder)
    await writeFileAtomic(files, probe, 'Talekeeper tried out whether it can write here.\n')
    await files.remove(probe)
  } catch (error) {
    const code = fileErrorCode(error) ?? 'unknown error'
    throw new Error(
      code === 'ENOSPC'
        ? `The disk with ${folder} is full. Make room on it, or choose another folder.`
        : `Nothing can be written in ${folder} (${code}). Choose a folder that this account may write to.`,
      { cause: error },
    )
  }
}
