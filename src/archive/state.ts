import path from 'node:path'
import * as z from 'zod'
import { type Files, temporaryOf, writeFileAtomic } from '../storage/files.ts'
import type { ArchiveLog } from './ports.ts'
import { verdictSchema } from './verdicts.ts'

const stateFileName = 'backup-state.json'

const problem = z.object({ at: z.string(), code: z.string(), message: z.string() })

const stateSchema = z.object({
  version: z.literal(1),
  /** The sequence of the newest backup; see the manifest. */
  lastSequence: z.int().min(0).default(0),
  lastRunAt: z.string().nullable(),
  lastSuccessAt: z.string().nullable(),
  failures: z.int().min(0),
  /** Why the last scheduled run failed or was skipped; null after a success. */
  lastError: problem.nullable(),
  lastArchive: z
    .object({
      name: z.string(),
      bytes: z.int(),
      createdAt: z.string(),
      contentBytes: z.int(),
      largestEntryBytes: z.int(),
      entries: z.int(),
      missingFiles: z.int(),
    })
    .nullable(),
  /** What the last pruning did, and what it could not do. */
  lastPrune: z
    .object({ at: z.string(), removed: z.array(z.string()), excessBytes: z.int(), failed: z.array(z.string()) })
    .nullable(),
  /** Of the archives in the backup folder that were read in full. */
  verdicts: z.record(z.string(), verdictSchema),
})

/** What the schedule remembers between starts, in `backup-state.json` of the data folder. */
export type BackupState = z.output<typeof stateSchema>

const nothingYet: BackupState = {
  version: 1,
  lastSequence: 0,
  lastRunAt: null,
  lastSuccessAt: null,
  failures: 0,
  lastError: null,
  lastArchive: null,
  lastPrune: null,
  verdicts: {},
}

/**
 * Never rejects. A record that cannot be read starts anew, and one that cannot be written is known until the process
 * ends: on a full disk the backup card still says that the backup failed.
 */
export interface StateFile {
  read(): Promise<BackupState>
  /** Changes are written one after the other; each is on the disk when this resolves, where the disk takes it. */
  change(change: (state: BackupState) => BackupState): Promise<BackupState>
}

/** It stays outside archives: a restore must not change what is known of the backups beside it. */
export function createStateFile(dataDir: string, files: Files, log: ArchiveLog): StateFile {
  const file = path.join(dataDir, stateFileName)
  let known: Promise<BackupState> | undefined
  const read = (): Promise<BackupState> => {
    known ??= load(file, files, log)
    return known
  }
  return {
    read,
    change(change) {
      known = read().then(async (state) => {
        const next = change(state)
        await writeFileAtomic(files, file, `${JSON.stringify(next, null, 2)}\n`).catch((error) =>
          log.warn({ err: error, file }, 'The record of past backups cannot be written.'),
        )
        return next
      })
      return known
    },
  }
}

/** Removes what a crash left of a record that was being written: the one before it counts. */
export async function dropUnwrittenState(files: Files, dataDir: string): Promise<void> {
  await files.remove(temporaryOf(path.join(dataDir, stateFileName)))
}

async function load(file: string, files: Files, log: ArchiveLog): Promise<BackupState> {
  try {
    if ((await files.stat(file)) === undefined) return nothingYet
    return stateSchema.parse(JSON.parse((await files.read(file)).toString('utf8')))
  } catch (error) {
    log.warn({ err: error, file }, 'The record of past backups cannot be read; it starts anew.')
    return nothingYet
  }
}
