import path from 'node:path'
import { schedule as scheduleCron } from 'node-cron'
import { Failure, fail } from '../kernel/errors.ts'
import { fileErrorCode } from '../storage/files.ts'
import { createFile, type SavedArchive } from './create.ts'
import { explainDiskErrors } from './disk-errors.ts'
import { entryNames } from './format.ts'
import type { Job, JobRunner } from './jobs.ts'
import type { ArchiveParts } from './ports.ts'
import { shortOfSpace } from './preflight.ts'
import { discardSafetyCopies, type SafetyCopy, safetyCopies } from './recover.ts'
import { planRetention } from './retention.ts'
import { isDue } from './schedule.ts'
import { nextSequence } from './sequence.ts'
import { storedFileKeys } from './staging.ts'
import type { BackupState, StateFile } from './state.ts'
import { type Occasion, prune, type StoredBackup, storedFileName, withVerdicts } from './stored-backups.ts'
import { verdictOn } from './verdicts.ts'
import { isRefusal, rememberGood, verifyStored } from './verify-stored.ts'

export interface Scheduler {
  /** Looks each minute whether a backup is due; an overdue one starts at once. */
  start(): void
  /** Stops looking, cancels a scheduled backup that runs and waits for its end. */
  stop(): Promise<void>
  /** Makes a scheduled backup when one is due. Never rejects: failures are stamped into the state. */
  tick(): Promise<void>
  /** Looks now, as it does each minute: the settings were changed. Nothing before `start`. */
  look(): void
  /** Makes a backup in the backup folder now, due or not, named by its occasion. Throws as well as stamping. */
  runNow(signal?: AbortSignal, occasion?: Occasion): Promise<SavedArchive>
}

/**
 * Scheduled backups (SPEC 8.3). A run:
 * 1. checks that the disk has room; when not, it is skipped and says why
 * 2. writes and verifies an archive
 * 3. discards the safety copies of restores, which this good backup replaces
 * 4. prunes old archives. Only after a success: failing for a month must not age the last good ones away
 */
export function createScheduler(parts: ArchiveParts, jobs: JobRunner, state: StateFile): Scheduler {
  const { clock, log } = parts
  const stopping = new AbortController()
  let task: ReturnType<typeof scheduleCron> | undefined
  let ticking: Promise<void> = Promise.resolve()

  const runNow = async (signal?: AbortSignal, occasion: Occasion = 'scheduled'): Promise<SavedArchive> => {
    const signals = [stopping.signal, ...(signal ? [signal] : [])]
    return await jobs.run('scheduled', AbortSignal.any(signals), async (job) => {
      const startedAt = clock().toISOString()
      let archive: SavedArchive
      let replaced: readonly SafetyCopy[] = []
      const make = async (): Promise<SavedArchive> => {
        replaced = await safetyCopies(parts.files, parts.dataDir)
        return await makeBackup(parts, state, job, occasion)
      }
      try {
        archive = await explainDiskErrors(make(), log)
      } catch (error) {
        // That the server stops says nothing about the backups: the next start finds the run due again.
        if (!stopping.signal.aborted) await state.change((known) => failed(known, startedAt, error))
        throw error
      }
      await state.change((known) => succeeded(known, startedAt, archive))
      await discardSafetyCopies(parts, replaced)
      await tidyUp(parts, state, archive, job)
      if ((await state.read()).lastPrune?.removed.includes(path.basename(archive.path))) {
        const error = fail(
          'invalid_state',
          'The backup was made, and removed again by the rules for old backups: it is larger than BACKUP_MAX_TOTAL_BYTES, and BACKUP_PROTECT_LAST_GOOD is off.',
        )
        await state.change((known) => failed(known, startedAt, error))
        throw error
      }
      return archive
    })
  }

  const tick = async (): Promise<void> => {
    try {
      const known = await state.read()
      if (jobs.current() !== null || !isDue(parts.schedule(), known, clock())) return
      const { path: file, bytes } = await runNow()
      log.info({ file, bytes }, 'A scheduled backup was made.')
    } catch (error) {
      if (isBusy(error) || isCancelled(error)) return
      log.error({ err: error }, 'The scheduled backup failed.')
    }
  }

  const once = (): void => {
    ticking = ticking.then(tick)
  }

  return {
    start() {
      task ??= scheduleCron('* * * * *', once, { unref: true, suppressMissedWarning: true })
      once()
    },
    look() {
      if (task !== undefined && !stopping.signal.aborted) once()
    },
    async stop() {
      stopping.abort()
      await task?.destroy()
      await ticking
    },
    tick,
    runNow,
  }
}

async function makeBackup(parts: ArchiveParts, state: StateFile, job: Job, occasion: Occasion): Promise<SavedArchive> {
  const { files, clock } = parts
  const { directory, keyPassphrase } = parts.schedule()
  await files.makeDir(directory)
  const short = await checkSpace(parts, await state.read())
  if (short !== null) throw fail('unavailable', short)
  const contents = { passphrase: keyPassphrase, sequence: await nextSequence(parts, state, job) }
  for (let attempt = 0; ; attempt += 1) {
    const destination = path.join(directory, storedFileName(occasion, clock(), attempt))
    if ((await files.stat(destination)) === undefined) return await createFile(parts, destination, contents, job)
  }
}

/** 1. Returns why there is too little room, or null. */
async function checkSpace(parts: ArchiveParts, known: BackupState): Promise<string | null> {
  const { files, dataDir, tempDir } = parts
  const { directory, minFreeBytes } = parts.schedule()
  await files.makeDir(tempDir)
  const staging = await files.space(tempDir)
  const backups = await files.space(directory)
  const database = path.join(dataDir, entryNames.database)
  const uploadsDir = path.join(dataDir, 'uploads')
  const sizeOf = async (file: string): Promise<number> => (await files.stat(file))?.bytes ?? 0
  let uploadsBytes = 0
  for (const key of await storedFileKeys(files, uploadsDir)) uploadsBytes += await sizeOf(path.join(uploadsDir, key))
  return shortOfSpace(staging, backups, {
    databaseBytes: (await sizeOf(database)) + (await sizeOf(`${database}-wal`)),
    uploadsBytes,
    lastArchiveBytes: known.lastArchive?.bytes ?? null,
    reserveBytes: minFreeBytes,
  })
}

/** 4. The backup is made, whatever goes wrong here. */
async function tidyUp(parts: ArchiveParts, state: StateFile, archive: SavedArchive, job: Job): Promise<void> {
  try {
    await rememberGood(parts, state, archive.path)
    const lastPrune = await pruneArchives(parts, state, job)
    await state.change((known) => ({ ...known, lastPrune }))
  } catch (error) {
    parts.log.warn({ err: error }, 'Old scheduled backups could not be looked through.')
  }
}

async function pruneArchives(parts: ArchiveParts, state: StateFile, job: Job): Promise<BackupState['lastPrune']> {
  const { files, clock, log } = parts
  const settings = parts.schedule()
  const archives = await verifyUnknown(parts, state, job)
  const kept = archives.map(({ name, bytes, createdAt, sequence, problem, markers }) => ({
    name,
    bytes,
    sequence,
    createdAt: problem === null ? createdAt : null,
    pinned: markers.length > 0,
  }))
  const { prune: doomed, excessBytes } = planRetention(kept, settings, clock())
  const removed: string[] = []
  const stuck: string[] = []
  for (const { name, reason } of doomed) {
    try {
      if (!(await prune(settings.directory, name, files))) continue
      removed.push(name)
      log.info({ name, reason }, 'An old scheduled backup was removed.')
    } catch (error) {
      stuck.push(name)
      log.warn({ err: error, name }, 'An old scheduled backup could not be removed.')
    }
  }
  return { at: clock().toISOString(), removed, excessBytes, failed: stuck }
}

/** Everything in the backup folder; what is not known yet, or has changed, is read in full once. */
async function verifyUnknown(parts: ArchiveParts, state: StateFile, job: Job): Promise<readonly StoredBackup[]> {
  const { appVersion } = parts
  const { directory } = parts.schedule()
  const surveyed = await parts.workers.runTask('archive.survey', { folder: directory }, { signal: job.signal })
  const known = (await state.read()).verdicts
  for (const { name, problem, fingerprint } of surveyed) {
    if (problem !== null || verdictOn(known, name, { fingerprint, appVersion }) !== undefined) continue
    try {
      await verifyStored(parts, state, path.join(directory, name), job)
    } catch (error) {
      if (!isRefusal(error)) throw error
    }
  }
  const present = new Set(surveyed.map(({ name }) => name))
  const { verdicts } = await state.change((now) => ({
    ...now,
    verdicts: Object.fromEntries(Object.entries(now.verdicts).filter(([name]) => present.has(name))),
  }))
  return withVerdicts(surveyed, verdicts, appVersion)
}

function succeeded(known: BackupState, startedAt: string, { path: file, bytes, manifest }: SavedArchive): BackupState {
  const sizes = [manifest.database, ...manifest.uploads].map((each) => each.size)
  return {
    ...known,
    lastRunAt: startedAt,
    lastSuccessAt: startedAt,
    failures: 0,
    lastError: null,
    lastArchive: {
      name: path.basename(file),
      bytes,
      createdAt: manifest.createdAt,
      contentBytes: sizes.reduce((sum, size) => sum + size, 0),
      largestEntryBytes: sizes.reduce((most, size) => Math.max(most, size), 0),
      entries: sizes.length + 1 + (manifest.keyfile ? 1 : 0),
      missingFiles: manifest.reconciliation.missing.length,
    },
  }
}

function failed(known: BackupState, startedAt: string, error: unknown): BackupState {
  const code = error instanceof Failure ? error.code : (fileErrorCode(error) ?? 'internal_error')
  const message = error instanceof Failure ? error.message : 'The backup failed; the log says why.'
  return { ...known, lastRunAt: startedAt, failures: known.failures + 1, lastError: { at: startedAt, code, message } }
}

function isCancelled(error: unknown): boolean {
  return error instanceof Failure && error.code === 'cancelled'
}

function isBusy(error: unknown): boolean {
  return error instanceof Failure && error.code === 'archive_busy'
}
