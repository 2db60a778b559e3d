import type { Files } from '../storage/files.ts'
import { survey } from './stored-backups.ts'

/** The newest backup in a folder that can be read, for whoever has to put one back; null where there is none. */
export async function newestBackup(folder: string, files: Files): Promise<{ name: string; createdAt: string } | null> {
  const context = { signal: new AbortController().signal, progress() {} }
  const backups = await survey({ folder }, context, files).catch(() => [])
  for (const { name, createdAt, problem } of backups)
    if (problem === null && createdAt !== null) return { name, createdAt }
  return null
}
