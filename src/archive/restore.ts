import { randomBytes } from 'node:crypto'
import path from 'node:path'
import { fail } from '../kernel/errors.ts'
import type { Files } from '../storage/files.ts'
import { openCopy } from './database.ts'
import { archiveLimits, entryNames, keyfileName, stampOf } from './format.ts'
import { dropIntent, type Intent, type IntentItem, readIntent, writeIntent } from './intent.ts'
import { type Job, throwIfCancelled } from './jobs.ts'
import { openLiveDatabase } from './live-database.ts'
import type { ArchiveLog, ArchiveParts, SuspendedInstallation } from './ports.ts'
import { dropSignIns, type RowCounts } from './prepare.ts'
import { finishRestore, settleRestore } from './recover.ts'
import { type Administrator, keepAdministrator, keepRights, type RightsKept } from './rights.ts'
import { moveBack, moveForward, restorePaths } from './swap.ts'
import type { VerifyResult } from './verify.ts'

// Restoring replaces everything, so it is journaled (SPEC 3, 4.4):
//
// 1. stage: unpack the archive into `restore-<id>/new` in the data folder and judge it by every rule
// 2. prepare the staged database, which is already migrated: drop sign-ins, write the audit record, force it to disk
// 3. write the intent, phase `prepared`
// 4. suspend the server; carry over what was revoked since the backup
// 5. the boundary: intent `replacing`; move the old files aside and the new ones in. No cancelling from here on
// 6. reopen
// 7. finish: the old files become the safety copy, the intent goes
//
// A failure before 5 leaves the installation as it was. One in 5 or 6 moves everything back (intent `reverting`). A
// crash at any instant is settled by recover.ts at the next start, from the intent alone.

/** Where tests kill the process: the steps above, and each move in between. */
export const restoreSteps = [
  'staged',
  'prepared',
  'intent',
  'suspended',
  'carried',
  'replacing',
  'aside:talekeeper.db',
  'aside:uploads',
  'aside:ai-config.key',
  'in:talekeeper.db',
  'in:uploads',
  'in:ai-config.key',
  'replaced',
  'reopened',
  'finished',
] as const

export interface RestoreRequest {
  readonly archivePath: string
  readonly passphrase: string | null
  readonly actor: unknown
  /** Who administers the server where the archive would leave nobody. */
  readonly administrator: Administrator | null
}

export interface RestoreOutcome {
  readonly restored: true
  readonly archive: {
    readonly appVersion: string
    readonly createdAt: string
    readonly schemaVersion: number
    readonly uploadCount: number
    readonly keyfileRestored: boolean
  }
  /** Equal to the archive's unless the database was migrated. */
  readonly schemaVersion: number
  readonly signInsDropped: RowCounts
  /** Null when the database before could not be read: then everybody has the rights that they have in the backup. */
  readonly rightsKept: RightsKept | null
  /** The account that was given the right to administer the server, since nobody else was left with it. */
  readonly administrator: string | null
  /** Folder with the database and uploads from before, kept until the next good backup. */
  readonly safetyCopy: string
}

type Step = (typeof restoreSteps)[number]

interface Restore {
  readonly parts: ArchiveParts
  readonly job: Job
  readonly id: string
  readonly at: (step: Step) => void
}

/** Replaces the installation by an archive. Throws what verifying throws, `archive_busy` and `cancelled`. */
export async function restoreArchive(parts: ArchiveParts, request: RestoreRequest, job: Job): Promise<RestoreOutcome> {
  const { files, dataDir, clock, log } = parts
  const checkpoint = parts.checkpoint ?? (() => {})
  const unfinished = await readIntent(files, dataDir)
  if (unfinished !== undefined) await settleRestore({ files, dataDir, clock, checkpoint }, unfinished)

  const id = `restore-${stampOf(clock())}-${randomBytes(4).toString('hex')}`
  const restore: Restore = { parts, job, id, at: checkpoint }
  const { root, fresh, old } = restorePaths(dataDir, id)
  let suspended: SuspendedInstallation | undefined
  let outcome: Omit<RestoreOutcome, 'rightsKept' | 'administrator'>
  let intent: Intent
  let rights: Pick<RestoreOutcome, 'rightsKept' | 'administrator'>
  try {
    const verified = await stage(restore, request)
    outcome = {
      ...describe(verified, request),
      signInsDropped: await prepare(restore, verified, request),
      safetyCopy: old,
    }
    intent = await journal(restore, verified)
    job.progress({ phase: 'hold', done: 0, total: 0 })
    suspended = await parts.live.suspend()
    checkpoint('suspended')
    rights = carryRights(restore, request)
    await files.sync(path.join(fresh, entryNames.database))
    checkpoint('carried')
    job.commit()
  } catch (error) {
    await abandon(parts, root, suspended)
    throw error
  }
  await replace(restore, intent, suspended)
  try {
    await finishRestore(parts, intent)
    checkpoint('finished')
  } catch (error) {
    // The new installation is open and complete; the next start or restore finishes the rest.
    log.warn({ err: error, restore: id }, 'The restore is done, but its journal could not be closed.')
  }
  log.info({ restore: id, archiveCreatedAt: intent.archiveCreatedAt, safetyCopy: old }, 'A backup was restored.')
  return { ...outcome, ...rights }
}

/** 1. Everything that the archive can be refused for is found here. */
async function stage({ parts, job, id, at }: Restore, request: RestoreRequest): Promise<VerifyResult> {
  const { fresh } = restorePaths(parts.dataDir, id)
  await parts.files.makeDir(fresh)
  await refuseOtherFileSystems(parts)
  const payload = {
    archivePath: request.archivePath,
    scratchDir: fresh,
    unpack: true,
    passphrase: request.passphrase,
    migrations: parts.migrations,
    now: parts.clock().toISOString(),
    limits: archiveLimits,
  }
  const verified = await parts.workers.runTask('archive.verify', payload, {
    signal: job.signal,
    onProgress: job.progress,
  })
  at('staged')
  return verified
}

/** Renaming works within one file system: a mounted `uploads` folder would be found only after the server is stopped. */
async function refuseOtherFileSystems({ files, dataDir }: ArchiveParts): Promise<void> {
  const home = await files.space(dataDir)
  for (const name of [entryNames.database, 'uploads', keyfileName]) {
    const facts = await files.stat(path.join(dataDir, name))
    if (facts !== undefined && facts.device !== home.device) {
      throw fail(
        'invalid_state',
        `${name} is on another file system than the data folder, so it cannot be replaced safely. Bring both onto one.`,
      )
    }
  }
}

/** 2. */
async function prepare(
  { parts, id, at }: Restore,
  verified: VerifyResult,
  request: RestoreRequest,
): Promise<RowCounts> {
  const { fresh } = restorePaths(parts.dataDir, id)
  const { manifest, database } = verified
  const file = path.join(fresh, entryNames.database)
  const db = openCopy(file)
  let dropped: RowCounts
  try {
    dropped = dropSignIns(db)
    parts.auditRestore(db, {
      at: parts.clock().toISOString(),
      actor: request.actor,
      archiveCreatedAt: manifest.createdAt,
      archiveAppVersion: manifest.appVersion,
      archiveSchema: database.archivedSchema,
      schemaVersion: database.schemaVersion,
      uploadCount: manifest.uploadCount,
    })
  } finally {
    db.close()
  }
  await parts.files.sync(file)
  await parts.files.syncDir(fresh)
  await parts.files.syncDir(path.dirname(fresh))
  at('prepared')
  return dropped
}

/** 3. */
async function journal({ parts, job, id, at }: Restore, { manifest }: VerifyResult): Promise<Intent> {
  throwIfCancelled(job.signal)
  const intent: Intent = {
    version: 1,
    id,
    phase: 'prepared',
    startedAt: parts.clock().toISOString(),
    archiveCreatedAt: manifest.createdAt,
    items: [],
  }
  await writeIntent(parts.files, parts.dataDir, intent)
  at('intent')
  return intent
}

/** 4. The live database is closed. */
function carryRights(
  { parts, id }: Restore,
  { administrator }: RestoreRequest,
): Pick<RestoreOutcome, 'rightsKept' | 'administrator'> {
  const { dataDir, clock, log } = parts
  const now = clock().toISOString()
  const live = openLiveDatabase(path.join(dataDir, entryNames.database), (error) =>
    log.warn({ err: error }, 'The present database cannot be read; what it took away is not carried over.'),
  )
  try {
    const staged = openCopy(path.join(restorePaths(dataDir, id).fresh, entryNames.database))
    try {
      return staged.transaction(() => ({
        rightsKept: live === null ? null : keepRights(live, staged, now),
        administrator: keepAdministrator(live, staged, administrator, now),
      }))()
    } finally {
      staged.close()
    }
  } finally {
    live?.close()
  }
}

/** What will be replaced. Looked up while the server is suspended: a first upload makes the folder. */
async function replacedItems({ files, dataDir }: ArchiveParts, id: string): Promise<IntentItem[]> {
  const { fresh } = restorePaths(dataDir, id)
  const items: IntentItem[] = []
  for (const name of [entryNames.database, 'uploads', keyfileName] as const) {
    if ((await files.stat(path.join(fresh, name))) === undefined) continue
    items.push({ name, hadLive: (await files.stat(path.join(dataDir, name))) !== undefined })
  }
  return items
}

/** 5 and 6. When it throws, the old installation is open again, or `lost` was called and the process has to end. */
async function replace({ parts, job, at }: Restore, prepared: Intent, suspended: SuspendedInstallation): Promise<void> {
  const { files, dataDir, live, log } = parts
  let intent = prepared
  const swapOf = () => ({ files, dataDir, intent, checkpoint: (step: string) => at(step as Step) })
  try {
    job.progress({ phase: 'replace', done: 0, total: 0 })
    intent = { ...prepared, phase: 'replacing', items: await replacedItems(parts, prepared.id) }
    await writeIntent(files, dataDir, intent)
    at('replacing')
    await moveForward(swapOf())
    at('replaced')
    await suspended.reopen()
    at('reopened')
  } catch (error) {
    try {
      // First the intent: a crash while moving back must not lead forward again. On a full disk that may be impossible;
      // then such a crash ends in the new installation, whole as well.
      await writeIntent(files, dataDir, { ...intent, phase: 'reverting' }).catch((reason) =>
        log.warn({ err: reason }, 'The journal of the restore could not be turned round.'),
      )
      await moveBack(swapOf())
      await forget(parts, prepared.id)
    } catch (stuck) {
      live.lost(stuck)
      throw fail('internal_error', 'The restore failed halfway. Restart Talekeeper: it settles that when it starts.', {
        cause: new AggregateError([error, stuck]),
      })
    }
    await reopenOld(parts, suspended)
    throw error
  }
}

/**
 * After everything was moved back: nothing may lead forward any more. The intent goes before its folder, since an intent
 * beside half a folder would mix two installations.
 */
async function forget({ files, dataDir, log }: ArchiveParts, id: string): Promise<void> {
  const { root } = restorePaths(dataDir, id)
  try {
    await dropIntent(files, dataDir)
  } catch (error) {
    // Without its folder the intent finds nothing to move.
    await files.rename(root, path.join(dataDir, `discarded-${id}`))
    log.warn({ err: error }, 'The journal of a broken-off restore is removed at the next start.')
    return
  }
  await removeLeftovers(files, root, log)
}

/** A failure before the boundary: forget the restore, and let requests in again. */
async function abandon(parts: ArchiveParts, root: string, suspended: SuspendedInstallation | undefined): Promise<void> {
  try {
    await dropIntent(parts.files, parts.dataDir)
  } catch (error) {
    // In phase `prepared` it leads nowhere.
    parts.log.warn({ err: error }, 'The journal of a broken-off restore is removed at the next start.')
  }
  await removeLeftovers(parts.files, root, parts.log)
  if (suspended !== undefined) await reopenOld(parts, suspended)
}

async function removeLeftovers(files: Files, root: string, log: ArchiveLog): Promise<void> {
  try {
    await files.removeTree(root)
  } catch (error) {
    log.warn({ err: error, folder: root }, 'What a broken-off restore left behind is removed at the next start.')
  }
}

async function reopenOld({ live }: ArchiveParts, suspended: SuspendedInstallation): Promise<void> {
  try {
    await suspended.reopen()
  } catch (error) {
    live.lost(error)
    throw error
  }
}

function describe({ manifest, database }: VerifyResult, { passphrase }: RestoreRequest) {
  return {
    restored: true,
    archive: {
      appVersion: manifest.appVersion,
      createdAt: manifest.createdAt,
      schemaVersion: manifest.schemaVersion,
      uploadCount: manifest.uploadCount,
      keyfileRestored: manifest.keyfile !== undefined && passphrase !== null,
    },
    schemaVersion: database.schemaVersion,
  } as const
}
