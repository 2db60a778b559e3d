import { copyFileSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'vitest'
import { fingerprintOf } from '../../src/archive/verdicts.ts'
import { createFiles } from '../../src/storage/files.ts'
import { copyOf, digest, type Prepared } from './archives-support.ts'
import { callsOn, type Folders, startServerProcess } from './server-process.ts'

/** An installation whose backup folder holds archives of every kind that retention tells apart. */
export interface BackupFolder {
  readonly prepared: Prepared
  /** Digest by name of what is in the backup folder. */
  readonly files: ReadonlyMap<string, string>
  /** What `BACKUP_KEEP_COUNT=1` lets go. */
  readonly prunable: ReadonlySet<string>
  /** Flipped inside, and not read in full yet: only that tells. */
  readonly damaged: string
}

const nameOf = (day: number): string => `talekeeper-scheduled-2025010${day}T000000Z.zip`
const [good, alsoGood, pinned, elsewhere, cut, damaged, unread] = [1, 2, 3, 4, 5, 6, 7].map(nameOf) as [
  string,
  string,
  string,
  string,
  string,
  string,
  string,
]
const readBefore = [good, alsoGood, pinned, elsewhere]

export async function fillBackupFolder(prepared: Prepared): Promise<BackupFolder> {
  const folders = copyOf(prepared)
  const server = await startServerProcess(folders, { env: { BACKUP_MIN_FREE_BYTES: '0' } })
  const made = await callsOn(server.address, prepared.token)('POST', '/api/v1/backup/run')
  expect(made.status).toBe(200)
  await server.terminate()
  const original = path.basename(made.body.path)
  const folder = backupsOf(folders)
  for (const name of [...readBefore, cut, damaged, unread]) {
    copyFileSync(path.join(folder, original), path.join(folder, name))
  }
  writeFileSync(path.join(folder, `${pinned}.pin`), '')
  writeFileSync(path.join(folder, `${elsewhere}.offsite`), '')
  writeFileSync(path.join(folder, 'mine.zip'), 'of another program')
  truncateSync(path.join(folder, cut), 1000)
  const bytes = readFileSync(path.join(folder, damaged))
  const middle = Math.floor(bytes.length / 3)
  bytes[middle] = (bytes[middle] as number) ^ 1
  writeFileSync(path.join(folder, damaged), bytes)
  return {
    prepared: { ...prepared, folders },
    files: new Map(readdirSync(folder).map((name) => [name, digest(path.join(folder, name))])),
    prunable: new Set([good, alsoGood, unread, original]),
    damaged,
  }
}

/** A copy of the installation. Copied archives count as changed, so those that were read in full are noted as such anew. */
export async function copyOfBackupFolder({ prepared }: BackupFolder): Promise<Folders> {
  const folders = copyOf(prepared)
  const stateFile = path.join(folders.dataDir, 'backup-state.json')
  const state = JSON.parse(readFileSync(stateFile, 'utf8'))
  const files = createFiles()
  for (const name of [...readBefore, state.lastArchive.name]) {
    const facts = await files.stat(path.join(backupsOf(folders), name))
    if (facts === undefined) throw new Error(`${name} was not copied`)
    state.verdicts[name] = { fingerprint: fingerprintOf(facts), checkedAt: state.lastSuccessAt, problem: null }
  }
  writeFileSync(stateFile, JSON.stringify(state))
  return folders
}

export function backupsOf({ dataDir }: Folders): string {
  return path.join(dataDir, 'backups')
}
