import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import Database, { type Database as Connection } from 'better-sqlite3'
import { archiveLimits } from '../../src/archive/format.ts'
import { openArchive } from '../../src/archive/zip-reader.ts'
import type { ErrorCode } from '../../src/kernel/errors.ts'
import { type RawEntry, type RawZip, rawZip } from './raw-zip.ts'

/** The parts of a good archive, to be put together wrongly. */
export interface GoodParts {
  readonly manifest: Record<string, unknown>
  readonly database: Buffer
  readonly uploads: ReadonlyMap<string, Buffer>
  /** The good archive itself. */
  readonly archive: Buffer
}

export interface BrokenArchive {
  readonly name: string
  readonly code: ErrorCode
  build(good: GoodParts): Buffer
}

export type Add = (name: string, code: ErrorCode, build: (good: GoodParts) => Buffer) => void

/** A list of broken archives, and the function that adds to it. */
export function startCorpus(): { readonly broken: readonly BrokenArchive[]; readonly add: Add } {
  const broken: BrokenArchive[] = []
  return { broken, add: (name, code, build) => broken.push({ name, code, build }) }
}

/** The entries of a good archive, packed again, with some taken away, changed or added. */
export function entriesOf(
  good: GoodParts,
  change: { manifest?: object; database?: Buffer; without?: string; add?: readonly RawEntry[] } = {},
): RawEntry[] {
  const database = change.database ?? good.database
  const manifest = { ...good.manifest, database: describe('talekeeper.db', database), ...change.manifest }
  const own: RawEntry[] = [
    { name: 'manifest.json', content: Buffer.from(JSON.stringify(manifest)), deflate: true },
    { name: 'talekeeper.db', content: database, deflate: true },
    ...[...good.uploads].map(([name, content]) => ({ name, content })),
  ]
  return [...own.filter((entry) => entry.name !== change.without), ...(change.add ?? [])]
}

export function zip(
  good: GoodParts,
  change: Parameters<typeof entriesOf>[1] = {},
  options: Partial<RawZip> = {},
): Buffer {
  return rawZip({ entries: entriesOf(good, change), ...options })
}

export function describe(name: string, content: Buffer) {
  return { path: name, size: content.length, sha256: createHash('sha256').update(content).digest('hex') }
}

export function uploadRecords({ manifest }: GoodParts): { path: string; size: number; sha256: string }[] {
  return structuredClone(manifest.uploads) as { path: string; size: number; sha256: string }[]
}

export function withDatabase(good: GoodParts, change: (db: Connection) => void): Buffer {
  const folder = mkdtempSync(path.join(tmpdir(), 'archive-corpus-'))
  try {
    const file = path.join(folder, 'a.db')
    writeFileSync(file, good.database)
    const db = new Database(file)
    db.pragma('foreign_keys = OFF')
    change(db)
    db.close()
    return readFileSync(file)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

export const first = (good: GoodParts): string => [...good.uploads.keys()][0]!

/** What a good archive consists of, read with the program's own reader. */
export async function readParts(file: string): Promise<GoodParts> {
  const archive = await openArchive(file, archiveLimits)
  const contents = new Map<string, Buffer>()
  for (const [name, entry] of archive.entries) {
    const chunks: Buffer[] = []
    for await (const chunk of archive.content(entry, archiveLimits.entryBytes)) chunks.push(Buffer.from(chunk))
    contents.set(name, Buffer.concat(chunks))
  }
  await archive.close()
  return {
    manifest: JSON.parse(contents.get('manifest.json')!.toString()) as Record<string, unknown>,
    database: contents.get('talekeeper.db')!,
    uploads: new Map([...contents].filter(([name]) => name.startsWith('uploads/'))),
    archive: readFileSync(file),
  }
}
