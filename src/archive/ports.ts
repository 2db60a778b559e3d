import type { Database as Connection } from 'better-sqlite3'
import type { Files } from '../storage/files.ts'
import type { Migration } from '../storage/schema.ts'
import type { Workers } from '../storage/workers.ts'
import type { ScheduleSettings } from './schedule.ts'
import type { ArchiveTasks } from './tasks.ts'

/** The part of a pino logger that archive work uses. */
export interface ArchiveLog {
  info(facts: object, message: string): void
  warn(facts: object, message: string): void
  error(facts: object, message: string): void
}

export interface Alert {
  readonly kind: string
  readonly message: string
  /** When it happened. */
  readonly at: string
}

/** The installation, stopped: no request runs, no stream is open, and the database is closed. */
export interface SuspendedInstallation {
  /**
   * Opens the database that is in the data folder now, lets requests in again and tells the live streams to `reset`.
   * When it throws, nothing was let in and it may be called again.
   */
  reopen(): void | Promise<void>
}

export interface LiveInstallation {
  /**
   * Stops new requests and streams, waits for running ones (but not for the restore itself), closes workers and the
   * Store with `wal_checkpoint(TRUNCATE)`. No connection to the database may be left, those for reading included.
   */
  suspend(): Promise<SuspendedInstallation>
  /**
   * The installation could be brought neither forward nor back, so that no database may be opened: the process has to
   * end, and `recover` settles it at the next start.
   */
  lost(error: unknown): void
}

/** What a restore did, for its audit record in the restored database. */
export interface RestoreFacts {
  readonly at: string
  /** Whatever the caller of `restore` gave: the account that asked for it. */
  readonly actor: unknown
  readonly archiveCreatedAt: string
  readonly archiveAppVersion: string
  readonly archiveSchema: number
  readonly schemaVersion: number
  readonly uploadCount: number
}

export interface ArchiveParts {
  readonly dataDir: string
  /** Where backups are staged (`TMPDIR`). Restores are staged inside the data folder, so that renaming is enough. */
  readonly tempDir: string
  readonly files: Files
  readonly workers: Pick<Workers<ArchiveTasks>, 'runTask'>
  readonly clock: () => Date
  readonly log: ArchiveLog
  readonly appVersion: string
  readonly migrations: readonly Migration[]
  readonly live: LiveInstallation
  /** Writes the audit record into the staged database; `db` is open for writing, outside a transaction. */
  readonly auditRestore: (db: Connection, facts: RestoreFacts) => void
  readonly schedule: () => ScheduleSettings
  /** What else whoever keeps the server should know, for the status. */
  readonly alerts?: () => Promise<readonly Alert[]>
  /** Called as each step of a restore is reached; tests kill the process there. */
  readonly checkpoint?: (step: string) => void
}
