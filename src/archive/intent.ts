import path from 'node:path'
import * as z from 'zod'
import { type Files, temporaryOf, writeFileAtomic } from '../storage/files.ts'

const intentFileName = 'restore-intent.json'

/** Folders of the data folder that belong to restores: `restore-<id>`. */
export const restoreFolder = /^restore-[0-9]{8}T[0-9]{6}Z-[0-9a-f]{8}$/

/**
 * How far a restore is. On a start after a crash, `prepared` and `reverting` lead back to the old installation,
 * `replacing` forward to the new one.
 */
const phases = ['prepared', 'replacing', 'reverting'] as const

const intentSchema = z.strictObject({
  version: z.literal(1),
  id: z.string(),
  phase: z.enum(phases),
  startedAt: z.iso.datetime(),
  archiveCreatedAt: z.iso.datetime(),
  /** What is replaced, and whether there was one before. Empty while nothing may be moved. */
  items: z.array(
    z.strictObject({
      name: z.enum(['talekeeper.db', 'uploads', 'ai-config.key']),
      hadLive: z.boolean(),
    }),
  ),
})

/** The journal of a restore: one small file in the data folder, replaced in one step for each phase. */
export type Intent = z.output<typeof intentSchema>
export type IntentItem = Intent['items'][number]

export async function writeIntent(files: Files, dataDir: string, intent: Intent): Promise<void> {
  await writeFileAtomic(files, path.join(dataDir, intentFileName), JSON.stringify(intent, null, 2))
}

/**
 * The restore that was not finished, or undefined.
 * Throws for a file that is not an intent: guessing which of two installations is meant could lose both.
 */
export async function readIntent(files: Files, dataDir: string): Promise<Intent | undefined> {
  const file = path.join(dataDir, intentFileName)
  if ((await files.stat(file)) === undefined) return undefined
  try {
    const intent = intentSchema.parse(JSON.parse((await files.read(file)).toString('utf8')))
    if (!restoreFolder.test(intent.id)) throw new Error('The name of its folder is not valid.')
    return intent
  } catch (cause) {
    throw new Error(
      `${file} says that a restore was not finished, but cannot be read. The files before it are in ${path.join(dataDir, 'restore-…', 'old')}, the restored ones in …/new: put one set in place by hand, then delete that file.`,
      { cause },
    )
  }
}

/** Removes what a crash left of an intent that was being written: it did not count yet. */
export async function dropUnwrittenIntent(files: Files, dataDir: string): Promise<void> {
  await files.remove(temporaryOf(path.join(dataDir, intentFileName)))
}

export async function dropIntent(files: Files, dataDir: string): Promise<void> {
  await files.remove(path.join(dataDir, intentFileName))
  await files.syncDir(dataDir)
}
