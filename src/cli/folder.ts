import { existsSync, mkdirSync } from 'node:fs'
import { type Archive, createArchive } from '../archive/archive.ts'
import type { ArchiveLog } from '../archive/ports.ts'
import type { ArchiveTasks } from '../archive/tasks.ts'
import { startWorker } from '../assets.ts'
import { entities } from '../catalogue.ts'
import type { Config } from '../config.ts'
import { type Claim, claimDataDir } from '../desktop/instance.ts'
import { recordRestore } from '../identity/audit.ts'
import { fail } from '../kernel/errors.ts'
import { dataPaths } from '../storage/data-folder.ts'
import { createFiles } from '../storage/files.ts'
import { createRegistry } from '../storage/registry.ts'
import { migrationsOf } from '../storage/schema.ts'
import { openStore, type Store } from '../storage/store.ts'
import { createWorkers } from '../storage/workers.ts'

// A data folder without a server. The archive's commands open no database but the ones they make: what is damaged has to
// be replaceable.

/** Claims the data folder for a command. Throws `not_found` where there is none and it is not to be made. */
export async function claimFolder({ dataDir }: Config, work: string, make: boolean): Promise<Claim> {
  if (!make && !existsSync(dataDir)) {
    throw fail('not_found', `There is no data folder ${dataDir}. Set DATA_DIR to the folder that Talekeeper uses.`)
  }
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  return await claimDataDir(dataDir, { work })
}

/** Runs `work` with the archive of a folder that no server uses. */
export async function withArchive<T>(
  config: Config,
  version: string,
  work: (archive: Archive) => Promise<T>,
): Promise<T> {
  const workers = createWorkers<ArchiveTasks>({ start: startWorker })
  const archive = createArchive({
    dataDir: config.dataDir,
    tempDir: config.tempDir,
    files: createFiles(),
    workers,
    clock: () => new Date(),
    log: quiet,
    appVersion: version,
    migrations: migrationsOf(createRegistry(entities)),
    // Nothing has to be stopped: this process owns the folder.
    live: { suspend: async () => ({ reopen() {} }), lost() {} },
    auditRestore: recordRestore,
    schedule: () => ({ ...config.backup, directory: config.backup.dir }),
  })
  try {
    return await work(archive)
  } finally {
    await workers.close()
  }
}

/** What goes wrong is thrown, and told once. */
const quiet: ArchiveLog = { info() {}, warn() {}, error() {} }

/** Runs `work` with the database of a folder that no server uses. Throws what openStore throws. */
export async function withStore<T>({ dataDir }: Config, work: (store: Store) => Promise<T> | T): Promise<T> {
  const paths = dataPaths(dataDir)
  const registry = createRegistry(entities)
  const store = openStore({
    path: paths.database,
    registry,
    migrations: migrationsOf(registry),
    now: new Date().toISOString(),
    mayCreate: false,
    copyBeforeMigration: paths.beforeMigration,
  })
  try {
    return await work(store)
  } finally {
    store.close()
  }
}
