import type { Readable } from 'node:stream'
import { freeBytesAt } from '../storage/files.ts'
import { createFile, createStream, type SavedArchive, type StreamedArchive } from './create.ts'
import { explainDiskErrors } from './disk-errors.ts'
import { requireLongPassphrase } from './envelope.ts'
import { type InspectReport, reportOn, verifyFile } from './inspect.ts'
import { type CurrentJob, createJobRunner, type JobRunner } from './jobs.ts'
import type { ArchiveParts } from './ports.ts'
import { discardSafetyCopies, type Recovered, recover, safetyCopies } from './recover.ts'
import { type RestoreOutcome, restoreArchive } from './restore.ts'
import type { Administrator } from './rights.ts'
import { createScheduler, type Scheduler } from './scheduler.ts'
import { nextSequence } from './sequence.ts'
import { createStateFile } from './state.ts'
import { type BackupStatus, statusOf } from './status.ts'
import { pin, type StoredBackup, storedBackupPath, unpin, withVerdicts } from './stored-backups.ts'
import { verifyStored } from './verify-stored.ts'

export interface CreateOptions {
  /** At least 12 characters; takes the AI keyfile along, wrapped in it. */
  readonly passphrase?: string | undefined
  readonly signal?: AbortSignal | undefined
}

/** Whole-server backup and restore. Create, inspect, verify and restore run one at a time: `archive_busy` while another runs. */
export interface Archive {
  create(options: CreateOptions & { readonly destination: string }): Promise<SavedArchive>
  create(options?: CreateOptions & { readonly destination?: undefined }): Promise<StreamedArchive>
  inspect(file: string, signal?: AbortSignal): Promise<InspectReport>
  restore(file: string, options: RestoreOptions): Promise<RestoreOutcome>
  status(): Promise<BackupStatus>
  /** Tells at once, and then whenever that changes, what is being done; null for nothing. Returns how to end it. */
  watch(listener: (current: CurrentJob | null) => void): () => void
  /** Asks the running work to stop; false when there is none, or a restore replaces the live files already. */
  cancel(): boolean
  /** While true no uploaded file may be deleted: a snapshot may name it. */
  isBusy(): boolean
  /** At every start, before the database is opened. */
  recover(): Promise<Recovered>
  readonly scheduled: Omit<Scheduler, 'tick'> & {
    list(signal?: AbortSignal): Promise<readonly StoredBackup[]>
    /** Judges one by every rule of a restore. Throws `not_found`. */
    verify(name: string, signal?: AbortSignal): Promise<InspectReport>
    /** Restores one. Throws `not_found`, and what `restore` throws. */
    restore(name: string, options: RestoreOptions): Promise<RestoreOutcome>
    /** The bytes of one. Throws `not_found`. */
    open(name: string): Promise<{ readonly stream: Readable; readonly bytes: number }>
    pin(name: string): Promise<void>
    unpin(name: string): Promise<void>
  }
}

export interface RestoreOptions {
  readonly passphrase?: string | undefined
  /** Who asked for it; handed to `auditRestore`. */
  readonly actor: unknown
  /** Who administers the server where the archive would leave nobody; without one such a restore is refused. */
  readonly administrator?: Administrator | undefined
  readonly signal?: AbortSignal | undefined
}

export function createArchive(parts: ArchiveParts): Archive {
  const { files, dataDir, tempDir, clock, log, schedule } = parts
  const jobs = createJobRunner(clock)
  const state = createStateFile(dataDir, files, log)
  const scheduler = createScheduler(parts, jobs, state)
  const run: JobRunner['run'] = (operation, signal, work) => explainDiskErrors(jobs.run(operation, signal, work), log)

  function create(options: CreateOptions & { readonly destination: string }): Promise<SavedArchive>
  function create(options?: CreateOptions & { readonly destination?: undefined }): Promise<StreamedArchive>
  async function create(
    options: CreateOptions & { readonly destination?: string | undefined } = {},
  ): Promise<SavedArchive | StreamedArchive> {
    const { passphrase = null, signal, destination } = options
    if (passphrase !== null) requireLongPassphrase(passphrase)
    return await run<SavedArchive | StreamedArchive>('create', signal, async (job) => {
      const replaced = await safetyCopies(files, dataDir)
      const contents = { passphrase, sequence: await nextSequence(parts, state, job) }
      if (destination !== undefined) {
        const made = await createFile(parts, destination, contents, job)
        await discardSafetyCopies(parts, replaced)
        return made
      }
      const made = await createStream(parts, contents, job)
      // Once somebody has all of it.
      made.stream.once('end', () => void discardSafetyCopies(parts, replaced))
      return made
    })
  }

  const restore = (find: () => Promise<string> | string, options: RestoreOptions): Promise<RestoreOutcome> => {
    const { passphrase = null, actor, administrator = null, signal } = options
    return run('restore', signal, async (job) =>
      restoreArchive(parts, { archivePath: await find(), passphrase, actor, administrator }, job),
    )
  }

  return {
    create,
    inspect: (file, signal) => run('inspect', signal, async (job) => reportOn(await verifyFile(parts, file, job))),
    restore: (file, options) => restore(() => file, options),
    async status() {
      return statusOf({
        settings: schedule(),
        state: await state.read(),
        current: jobs.current(),
        safetyCopies: await safetyCopies(files, dataDir),
        alerts: (await parts.alerts?.()) ?? [],
        freeBytes: await freeBytesAt(schedule().directory, files),
        now: clock(),
      })
    },
    watch: (listener) => jobs.watch(listener),
    cancel: () => jobs.cancel(),
    isBusy: () => jobs.current() !== null,
    recover: () =>
      recover({
        dataDir,
        tempDir,
        backupDir: schedule().directory,
        files,
        clock,
        log,
        checkpoint: parts.checkpoint ?? (() => {}),
      }),
    scheduled: {
      start: scheduler.start,
      stop: scheduler.stop,
      look: scheduler.look,
      runNow: scheduler.runNow,
      async list(signal) {
        const surveyed = await parts.workers.runTask('archive.survey', { folder: schedule().directory }, { signal })
        return withVerdicts(surveyed, (await state.read()).verdicts, parts.appVersion)
      },
      verify: (name, signal) =>
        run('verify', signal, async (job) =>
          reportOn(await verifyStored(parts, state, await storedBackupPath(schedule().directory, name, files), job)),
        ),
      restore: (name, options) => restore(() => storedBackupPath(schedule().directory, name, files), options),
      async open(name) {
        const file = await storedBackupPath(schedule().directory, name, files)
        return { stream: await files.readStream(file), bytes: (await files.stat(file))?.bytes ?? 0 }
      },
      pin: (name) => explainDiskErrors(pin(schedule().directory, name, files), log),
      unpin: (name) => explainDiskErrors(unpin(schedule().directory, name, files), log),
    },
  }
}
