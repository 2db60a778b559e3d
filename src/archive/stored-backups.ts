import path from 'node:path'
import { Failure, fail } from '../kernel/errors.ts'
import { type Files, fileErrorCode } from '../storage/files.ts'
import type { TaskContext } from '../storage/workers.ts'
import { stampOf } from './format.ts'
import { throwIfCancelled } from './jobs.ts'
import { newestFirst } from './retention.ts'
import { fingerprintOf, type Verdicts, verdictOn } from './verdicts.ts'
import { peekManifest } from './verify.ts'

/** An archive in the backup folder. */
export interface StoredBackup {
  readonly name: string
  readonly occasion: Occasion
  readonly bytes: number
  /** Null, like the other facts of the manifest, when the archive cannot be read; `problem` says why. */
  readonly createdAt: string | null
  /** What orders backups; see the manifest. */
  readonly sequence: number | null
  readonly appVersion: string | null
  readonly schemaVersion: number | null
  readonly uploadCount: number | null
  readonly holdsKeyfile: boolean
  readonly missingFiles: number
  /** Which marker files protect it from pruning (SPEC 8.3.5). */
  readonly markers: readonly Marker[]
  /** When it was last read in full; null when that was never done, or it has changed since. */
  readonly checkedAt: string | null
  readonly problem: string | null
}

export type Marker = 'pin' | 'keep' | 'offsite'

const markers: readonly Marker[] = ['pin', 'keep', 'offsite']

/** What a backup in the backup folder was made for: its time came, or somebody asked for it. */
export type Occasion = 'scheduled' | 'by-hand'

const scheduledName = /^talekeeper-(?:scheduled|by-hand)-\d{8}T\d{6}Z(-\d+)?\.zip$/
const partialName = /^talekeeper-(?:scheduled|by-hand)-\d{8}T\d{6}Z(-\d+)?\.zip\.partial-(\d+)$/

/** The file name of an archive in the backup folder; `attempt` tells those of one second apart. */
export function storedFileName(occasion: Occasion, time: Date, attempt: number): string {
  return `talekeeper-${occasion}-${stampOf(time)}${attempt === 0 ? '' : `-${attempt}`}.zip`
}

function occasionOf(name: string): Occasion {
  return name.startsWith('talekeeper-by-hand-') ? 'by-hand' : 'scheduled'
}

/** The process that left an unfinished archive of this name; undefined when it is none. */
export function ownerOfPartial(name: string): number | undefined {
  const owner = partialName.exec(name)?.[2]
  return owner === undefined ? undefined : Number(owner)
}

export interface SurveyPayload {
  readonly folder: string
}

/** What a look at a scheduled archive tells, without reading it in full. */
export type SurveyedBackup = Omit<StoredBackup, 'checkedAt'> & { readonly fingerprint: string }

/**
 * All archives that this program keeps there, newest first. Other files in the folder are not ours: they are neither listed nor
 * pruned. `problem` is null when the zip and its manifest parse and its reconciliation is clean (SPEC 8.3.4).
 */
export async function survey(
  { folder }: SurveyPayload,
  { signal }: TaskContext,
  files: Files,
): Promise<readonly SurveyedBackup[]> {
  const items = await files.list(folder)
  const names = new Set(items.map((item) => item.name))
  const found: SurveyedBackup[] = []
  for (const { name, kind } of items) {
    throwIfCancelled(signal)
    if (kind !== 'file' || !scheduledName.test(name)) continue
    const facts = await files.stat(path.join(folder, name))
    if (facts === undefined) continue
    const known = {
      name,
      occasion: occasionOf(name),
      bytes: facts.bytes,
      markers: markersOf(name, names),
      fingerprint: fingerprintOf(facts),
    }
    found.push({ ...known, ...(await examine(path.join(folder, name), signal)) })
  }
  return found.sort(newestFirst)
}

/** What the surveyed archives are, with what reading them in full has found. */
export function withVerdicts(
  surveyed: readonly SurveyedBackup[],
  verdicts: Verdicts,
  appVersion: string,
): readonly StoredBackup[] {
  return surveyed.map(({ fingerprint, ...archive }) => {
    const verdict = verdictOn(verdicts, archive.name, { fingerprint, appVersion })
    return { ...archive, checkedAt: verdict?.checkedAt ?? null, problem: archive.problem ?? verdict?.problem ?? null }
  })
}

async function examine(
  file: string,
  signal: AbortSignal,
): Promise<Omit<SurveyedBackup, 'name' | 'occasion' | 'bytes' | 'markers' | 'fingerprint'>> {
  try {
    const { manifest } = await peekManifest(file, signal)
    return {
      createdAt: manifest.createdAt,
      sequence: manifest.sequence ?? null,
      appVersion: manifest.appVersion,
      schemaVersion: manifest.schemaVersion,
      uploadCount: manifest.uploadCount,
      holdsKeyfile: manifest.keyfile !== undefined,
      missingFiles: manifest.reconciliation.missing.length,
      problem: null,
    }
  } catch (error) {
    if (error instanceof Failure && error.code === 'cancelled') throw error
    const problem =
      error instanceof Failure ? error.message : `It cannot be read (${fileErrorCode(error) ?? 'unknown error'}).`
    return {
      createdAt: null,
      sequence: null,
      appVersion: null,
      schemaVersion: null,
      uploadCount: null,
      holdsKeyfile: false,
      missingFiles: 0,
      problem,
    }
  }
}

/** The markers of an archive: `name.zip.pin` or `name.pin`. */
function markersOf(name: string, names: ReadonlySet<string>): readonly Marker[] {
  return markers.filter((marker) => markerFiles(name, marker).some((file) => names.has(file)))
}

function markerFiles(name: string, marker: Marker): readonly string[] {
  return [`${name}.${marker}`, `${name.slice(0, -'.zip'.length)}.${marker}`]
}

/** The path of a scheduled archive. Throws `not_found` for a name that is none, hence for every path out of the folder. */
export async function storedBackupPath(folder: string, name: string, files: Files): Promise<string> {
  const file = path.join(folder, name)
  if (!scheduledName.test(name) || (await files.stat(file))?.kind !== 'file') {
    throw fail('not_found', 'There is no scheduled backup of this name.')
  }
  return file
}

/** Protects a scheduled archive from pruning. Throws `not_found`. */
export async function pin(folder: string, name: string, files: Files): Promise<void> {
  const file = `${await storedBackupPath(folder, name, files)}.pin`
  if ((await files.stat(file)) !== undefined) return
  const writer = await files.create(file)
  await writer.close()
}

/** Takes the local protection away again; a copy that was marked as being elsewhere stays marked. Throws `not_found`. */
export async function unpin(folder: string, name: string, files: Files): Promise<void> {
  await storedBackupPath(folder, name, files)
  for (const file of [...markerFiles(name, 'pin'), ...markerFiles(name, 'keep')]) {
    await files.remove(path.join(folder, file))
  }
}

/** Deletes one archive, unless it was marked since the plan was made. Returns whether it did. */
export async function prune(folder: string, name: string, files: Files): Promise<boolean> {
  const names = new Set((await files.list(folder)).map((item) => item.name))
  if (markersOf(name, names).length > 0) return false
  await files.remove(await storedBackupPath(folder, name, files))
  return true
}
