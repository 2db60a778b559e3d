import { randomUUID } from 'node:crypto'
import { existsSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import fs from 'node:fs/promises'
import path from 'node:path'

/** What lies where in a data folder. */
export function dataPaths(dataDir: string) {
  return {
    database: path.join(dataDir, 'talekeeper.db'),
    uploads: path.join(dataDir, 'uploads'),
    /** Uploads that nothing names any more, by the day on which they were found. */
    swept: path.join(dataDir, 'swept'),
    imageCache: path.join(dataDir, 'cache', 'images'),
    /** Images of maps as players see them. */
    fogCache: path.join(dataDir, 'cache', 'fog'),
    beforeMigration: path.join(dataDir, 'before-migration'),
    keyfile: path.join(dataDir, 'ai-config.key'),
    marker: path.join(dataDir, 'talekeeper.json'),
    backups: path.join(dataDir, 'backups'),
  }
}

/**
 * Words for what shows that a server has worked in this folder; none for a new one. Without its database such a folder
 * must not become a new, empty server, whose housekeeping would find nothing that names the old uploads. What a first
 * start makes before its database is complete is no trace: breaking that off must not lock the owner out.
 */
export function tracesOfUse(dataDir: string): readonly string[] {
  const { database, uploads, beforeMigration, marker, backups } = dataPaths(dataDir)
  const traces: readonly (readonly [string, boolean])[] = [
    ['talekeeper.json', existsSync(marker)],
    ['uploads', namesIn(uploads).some((folder) => namesIn(path.join(uploads, folder)).length > 0)],
    ['backups', namesIn(backups).some((name) => name.endsWith('.zip'))],
    ['copies from before an upgrade', namesIn(beforeMigration).some((name) => name.endsWith('.db'))],
    ['what a restore replaced', namesIn(dataDir).some((name) => isSafetyCopy(path.join(dataDir, name)))],
    ['a write-ahead log', sizeOf(`${database}-wal`) > 0 && sizeOf(database) === 0],
  ]
  return traces.filter(([, found]) => found).map(([name]) => name)
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}

function isSafetyCopy(folder: string): boolean {
  return path.basename(folder).startsWith('restore-') && existsSync(path.join(folder, 'old', 'talekeeper.db'))
}

/** Marks the folder as one that is used, once its database is complete. Throws where that cannot be written. */
export function markAsUsed(dataDir: string, now: string): void {
  const { marker } = dataPaths(dataDir)
  if (existsSync(marker)) return
  const temporary = `${marker}.new`
  const content = {
    version: 1,
    installationId: randomUUID(),
    createdAt: now,
    about: 'This folder belongs to a Talekeeper server. Without its database the server does not start here.',
  }
  try {
    writeFileSync(temporary, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 })
    renameSync(temporary, marker)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
}

const ownerOnly = { file: 0o600, folder: 0o700 } as const

/**
 * Takes everybody else's rights to the folder away, whatever its files were made with: of itself and its own files (`top`),
 * which is quick, or of all that is in its folders (`below`). Returns what could not be changed: files of another account.
 * On Windows the rights of the profile folder do this.
 */
export async function keepPrivate(
  folder: string,
  part: 'top' | 'below',
  platform = process.platform,
): Promise<readonly string[]> {
  if (platform === 'win32') return []
  const stuck: string[] = []
  const restrict = async (file: string, mode: number): Promise<void> => {
    try {
      const facts = await fs.lstat(file)
      if ((facts.mode & 0o777) !== mode) await fs.chmod(file, mode)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') stuck.push(file)
    }
  }
  const walk = async (each: string, depth: number): Promise<void> => {
    for (const item of await fs.readdir(each, { withFileTypes: true }).catch(() => [])) {
      const file = path.join(each, item.name)
      // A link's target may lie anywhere.
      if (item.isDirectory()) {
        if (part === 'top') continue
        await restrict(file, ownerOnly.folder)
        await walk(file, depth + 1)
      } else if (item.isFile() && (part === 'top' || depth > 0)) await restrict(file, ownerOnly.file)
    }
  }
  if (part === 'top') await restrict(folder, ownerOnly.folder)
  await walk(folder, 0)
  return stuck
}
