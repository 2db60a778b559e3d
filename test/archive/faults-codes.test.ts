import { createHash } from 'node:crypto'
import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { finished } from 'node:stream/promises'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { Failure } from '../../src/kernel/errors.ts'
import { createFiles, type Files } from '../../src/storage/files.ts'
import { type FileOperation, faultyFiles, guardedFiles } from './faulty-files.ts'
import { archiveWithCheapKey, makeFolder } from './fixture.ts'
import {
  codeOf,
  contentOf,
  expectedContent,
  fillInstall,
  fresh,
  migrations,
  namesIn,
  offlineArchive,
  old,
  openLive,
  passphrase,
  startServer,
  uploadsOn,
} from './install.ts'

// One file operation fails, as the system would word it: the disk is full, the right to the file is missing, the file
// would have to move to another file system, or what was written does not reach the disk. At each operation of each way
// to make, check and restore backups.

const long = process.env.TALEKEEPER_TEST_LONG === '1'
const prunable = 'talekeeper-scheduled-20250101T000000Z.zip'
const pinned = 'talekeeper-scheduled-20250102T000000Z.zip'
const malformed = 'talekeeper-scheduled-20250103T000000Z.zip'
const made = 'talekeeper-scheduled-20261121T093000Z.zip'
const storedNames = [prunable, pinned, malformed, `${pinned}.pin`]

/** The folders of one case: an installation with a backup folder, and a backup of another one. */
interface Place {
  readonly root: string
  readonly dataDir: string
  readonly tempDir: string
  readonly backups: string
  readonly archive: string
  readonly destination: string
}

function placeIn(root: string): Place {
  const dataDir = path.join(root, 'data')
  return {
    root,
    dataDir,
    tempDir: path.join(root, 'tmp'),
    backups: path.join(dataDir, 'backups'),
    archive: path.join(root, 'backup.zip'),
    destination: path.join(root, 'out', 'own.zip'),
  }
}

/** What each case begins with. */
async function makePristine(): Promise<Place> {
  const place = placeIn(path.join(makeFolder(), 'pristine'))
  for (const folder of [place.tempDir, place.backups, path.dirname(place.destination)]) {
    mkdirSync(folder, { recursive: true })
  }
  fillInstall(place.dataDir, old)
  copyFileSync(await archiveWithCheapKey(fresh), place.archive)
  for (const name of [prunable, pinned, malformed]) copyFileSync(place.archive, path.join(place.backups, name))
  truncateSync(path.join(place.backups, malformed), 1000)
  writeFileSync(path.join(place.backups, `${pinned}.pin`), '')
  return place
}

function copyOf(pristine: Place): Place {
  const place = placeIn(path.join(path.dirname(pristine.root), 'case'))
  rmSync(place.root, { recursive: true, force: true })
  cpSync(pristine.root, place.root, { recursive: true })
  return place
}

function startIn(place: Place, files: Files) {
  return startServer(place.dataDir, { files, schedule: { keepCount: 1 } })
}

type Archive = ReturnType<typeof startIn>['archive']

interface Way {
  readonly name: string
  /** `kind` is the operation that fails. */
  run(archive: Archive, place: Place, kind?: Kind): Promise<unknown>
  /** The archive that a success leaves. */
  readonly makes?: (place: Place) => string
  readonly restores?: true
  /** Where faults are of interest; everywhere without it. */
  readonly only?: (operation: FileOperation) => boolean
}

const ways: readonly Way[] = [
  {
    name: 'create to a file',
    run: (archive, { destination }) => archive.create({ destination }),
    makes: ({ destination }) => destination,
  },
  {
    name: 'create with the key file',
    run: (archive, { destination }) => archive.create({ destination, passphrase }),
    makes: ({ destination }) => destination,
    // The rest is like above, and sealing costs much on purpose.
    only: (operation) => path.basename(operation.path) === 'ai-config.key',
  },
  {
    name: 'create as a stream',
    async run(archive, { tempDir }, kind) {
      const { stream } = await archive.create()
      await finished(stream.resume())
      // Its file is removed after that, which nobody waits for; where that fails it never is.
      const timeout = kind?.startsWith('remove') ? 500 : 60_000
      await vi.waitFor(() => expect(namesIn(tempDir)).toEqual([]), { timeout }).catch(() => {})
    },
  },
  {
    name: 'scheduled run with retention',
    run: (archive) => archive.scheduled.runNow(),
    makes: ({ backups }) => path.join(backups, made),
  },
  { name: 'inspect', run: (archive, place) => archive.inspect(place.archive) },
  { name: 'verify of a kept one', run: (archive) => archive.scheduled.verify(prunable) },
  {
    name: 'restore of a file',
    run: (archive, place) => archive.restore(place.archive, { passphrase, actor: null }),
    restores: true,
  },
  {
    name: 'restore of a kept one',
    run: (archive) => archive.scheduled.restore(pinned, { passphrase, actor: null }),
    restores: true,
  },
]

type Kind = FileOperation['kind']

const codes: Readonly<Record<string, { readonly kinds?: readonly Kind[]; readonly failure: string; says: RegExp }>> = {
  ENOSPC: { failure: 'disk_full', says: /^The disk is full\. Nothing was changed\. Make room/ },
  EACCES: { failure: 'invalid_state', says: /Nothing was changed\. Give its account the right to read and write/ },
  EXDEV: {
    kinds: ['rename', 'link'],
    failure: 'invalid_state',
    says: /Nothing was changed\. Bring .* one file system/,
  },
  EIO: { kinds: ['sync', 'syncDir'], failure: 'internal_error', says: /Nothing was changed\. Check the disk/ },
}

interface Fault {
  readonly kind: Kind
  /** Which of its kind: some run in parallel, so that their order among all is not always the same. */
  readonly nth: number
  readonly code: string
}

const telling: ReadonlySet<Kind> = new Set(['create', 'rename', 'link', 'sync', 'syncDir', 'remove', 'removeTree'])

function faultsIn(operations: readonly FileOperation[], only: Way['only']): readonly Fault[] {
  const counts = new Map<Kind, number>()
  return operations.flatMap((operation, index) => {
    const { kind } = operation
    const nth = (counts.get(kind) ?? 0) + 1
    counts.set(kind, nth)
    if (only !== undefined ? !only(operation) : !(long || telling.has(kind) || index % 10 === 3)) return []
    const faults = Object.entries(codes).flatMap(([code, { kinds }]) =>
      kinds === undefined || kinds.includes(kind) ? [{ kind, nth, code }] : [],
    )
    // Each operation fails with one of the codes, and the next with the next.
    return long ? faults : faults.slice(nth % faults.length, (nth % faults.length) + 1)
  })
}

describe('one file operation fails', { timeout: 1_800_000 }, () => {
  test.each(ways)('in $name', async (way) => {
    const pristine = await makePristine()
    const before = fingerprintOf(pristine.dataDir)
    const faults = faultsIn(await operationsOf(way, pristine), way.only)
    const endings = { failed: 0, succeeded: 0 }
    for (const fault of faults) endings[await expectHarmless(way, fault, pristine, before)] += 1
    console.info(`${way.name}: ${faults.length} faults, ${endings.failed} failed and ${endings.succeeded} did no harm`)
    expect(endings.failed).toBeGreaterThan(0)
  })
})

async function operationsOf(way: Way, pristine: Place): Promise<readonly FileOperation[]> {
  const place = copyOf(pristine)
  const files = faultyFiles(createFiles(), Number.POSITIVE_INFINITY, 'before')
  const server = startIn(place, files)
  await way.run(server.archive, place)
  server.stop()
  return files.operations
}

async function expectHarmless(
  way: Way,
  { kind, nth, code }: Fault,
  pristine: Place,
  before: string,
): Promise<'failed' | 'succeeded'> {
  const place = copyOf(pristine)
  const files = faultyFiles(createFiles(), nth, 'before', code, kind)
  const server = startIn(place, files)
  const error = await way.run(server.archive, place, kind).then(
    () => null,
    (thrown: unknown) => thrown as Failure,
  )
  const { lastError } = (await server.archive.status()).backup.cadence
  server.stop()
  const index = files.operations.findIndex((each, at, all) => each.kind === kind && countTo(all, at, kind) === nth)
  const failed = files.operations[index] as FileOperation
  const where = `${code} at ${index + 1}: ${kind} ${path.relative(place.root, failed.path)}`

  expect(error === null, `${where}: ${error}`).toBe(isForgiven(way, place, files.operations, index, code))
  expect(server.events, where).not.toContain('lost')
  if (error !== null) {
    expect(error, where).toBeInstanceOf(Failure)
    expect(error.code, where).toBe(codes[code]?.failure)
    expect(error.message, where).toMatch(codes[code]?.says as RegExp)
    expect(error.message, where).toContain(`The system says: ${code}: injected, ${kind} '${failed.path}'`)
  }
  if (way.name.startsWith('scheduled')) expectStamped(place, error, lastError, where)
  const isCleaning = kind === 'remove' || kind === 'removeTree'
  if (error !== null && !isCleaning) expect(leftIn(place), where).toEqual([])

  await offlineArchive(place.dataDir).recover()
  await expectSettled(way, place, error === null, where)
  const kept = shelfOf(place)
  for (const [name, digest] of shelfOf(pristine)) {
    // Only a run that succeeds prunes.
    if (name !== prunable || error !== null || kept.has(name)) expect(kept.get(name), where).toBe(digest)
  }
  if (error !== null || !way.restores) expect(fingerprintOf(place.dataDir), where).toBe(before)
  return error === null ? 'succeeded' : 'failed'
}

function countTo(operations: readonly FileOperation[], index: number, kind: Kind): number {
  return operations.slice(0, index + 1).filter((each) => each.kind === kind).length
}

/** Whether the work succeeds all the same: there is another way, or it was done and only what follows is missing. */
function isForgiven(
  way: Way,
  place: Place,
  operations: readonly FileOperation[],
  index: number,
  code: string,
): boolean {
  const { kind, path: file } = operations[index] as FileOperation
  // A file system without hard links: uploads are copied.
  if (kind === 'link') return code !== 'ENOSPC'
  if (path.basename(file).startsWith('backup-state.json')) return true
  if (kind === 'syncDir' && file === place.dataDir && !way.restores) return true
  // Which backup was the last one is remembered too, where the backup folder cannot say it.
  if (way.name.startsWith('create') && file.startsWith(place.backups)) return true
  if (kind === 'removeTree' && path.dirname(file) === place.tempDir) {
    // Between writing and checking an archive it makes room, and the check needs an empty folder.
    const isBetween = way.name !== 'inspect' && !way.restores && countTo(operations, index, kind) === 1
    return !isBetween || way.name.startsWith('verify')
  }
  if (way.name.startsWith('verify')) return kind === 'syncDir'
  if (way.name.startsWith('scheduled')) return index > lastRename(operations, path.join(place.backups, made)) + 1
  // The last file is in place, and both folders that it was renamed in are synced.
  if (way.restores) return index > lastRename(operations, path.join(place.dataDir, 'ai-config.key')) + 2
  return false
}

/** The index of what was renamed there; infinite before that. */
function lastRename(operations: readonly FileOperation[], target: string): number {
  const index = operations.findLastIndex((each) => each.kind === 'rename' && each.target === target)
  return index < 0 ? Number.POSITIVE_INFINITY : index
}

/** The record of backups says what happened, in memory and on the disk. */
function expectStamped(place: Place, error: Failure | null, lastError: unknown, where: string): void {
  const expected = error === null ? null : { code: error.code, message: error.message }
  if (expected === null) expect(lastError, where).toBeNull()
  else expect(lastError, where).toMatchObject(expected)
  const file = path.join(place.dataDir, 'backup-state.json')
  if (existsSync(file)) expect(JSON.parse(readFileSync(file, 'utf8')).lastError, where).toEqual(lastError)
  else expect(error, where).toBeNull()
}

/** What is in the folders besides the installation and its archives. */
function leftIn(place: Place): readonly string[] {
  const own = new Set(['ai-config.key', 'talekeeper.db', 'uploads', 'backups', 'backup-state.json'])
  return [
    ...namesIn(place.tempDir),
    ...namesIn(place.dataDir).filter((name) => !own.has(name)),
    ...namesIn(place.backups).filter((name) => !storedNames.includes(name)),
    ...namesIn(path.dirname(place.destination)),
  ]
}

/** After the next start there is nothing but what a success makes, and that is whole. */
async function expectSettled(way: Way, place: Place, succeeded: boolean, where: string): Promise<void> {
  const left = leftIn(place)
  if (succeeded && way.restores) {
    expect(left, where).toEqual([expect.stringMatching(/^restore-2026/)])
    expect(contentOf(place.dataDir), where).toEqual(expectedContent(fresh))
    return
  }
  const archive = succeeded ? way.makes?.(place) : undefined
  expect(left, where).toEqual(archive === undefined ? [] : [path.basename(archive)])
  if (archive !== undefined) await offlineArchive(place.dataDir).inspect(archive)
}

function digestOf(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex')
}

function shelfOf({ backups }: Place): ReadonlyMap<string, string> {
  const names = namesIn(backups).filter((name) => storedNames.includes(name))
  return new Map(names.map((name) => [name, digestOf(path.join(backups, name))]))
}

/** Everything of an installation: the schema and each row of each table, each byte of the uploads and the key. */
function fingerprintOf(dataDir: string): string {
  const db = openLive(dataDir)
  try {
    const tables = db.prepare(`SELECT name, sql FROM sqlite_schema ORDER BY name`).all() as readonly { name: string }[]
    const rows = db.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name`).pluck().all()
    const content = (rows as readonly string[]).map((name) => db.prepare(`SELECT * FROM "${name}"`).all())
    const uploads = uploadsOn(dataDir).map((key) => [key, digestOf(path.join(dataDir, 'uploads', key))])
    const key = digestOf(path.join(dataDir, 'ai-config.key'))
    return createHash('sha256').update(JSON.stringify({ tables, content, uploads, key })).digest('hex')
  } finally {
    db.close()
  }
}

describe('a disk that stays as it is', () => {
  const writing: ReadonlySet<Kind> = new Set(['create', 'write', 'link', 'makeDir', 'rename'])

  /** A scheduled backup on files that refuse what `refuses` says, until that is mended. */
  async function scheduledOn(code: string, refuses: (operation: FileOperation, place: Place) => boolean) {
    const place = copyOf(await makePristine())
    let mended = false
    const files = guardedFiles(createFiles(), async (operation, work) => {
      if (mended || !refuses(operation, place)) return await work()
      throw Object.assign(new Error(`${code}: refused, ${operation.kind} '${operation.path}'`), { code })
    })
    const server = startIn(place, files)
    onTestFinished(() => server.stop())
    return {
      ...server,
      place,
      mend() {
        mended = true
      },
    }
  }

  function expectNothingLeft({ tempDir, backups }: Place): void {
    expect(namesIn(tempDir)).toEqual([])
    expect(namesIn(backups)).toEqual(storedNames.toSorted())
  }

  test('full: the backup card says so though nothing can be written, until there is room', async () => {
    const { archive, place, mend } = await scheduledOn('ENOSPC', ({ kind }) => writing.has(kind))
    expect(await codeOf(archive.scheduled.runNow())).toBe('disk_full')
    expectNothingLeft(place)
    const { cadence, alerts } = (await archive.status()).backup
    expect(cadence.lastError).toMatchObject({
      code: 'disk_full',
      message: expect.stringMatching(/^The disk is full/),
    })
    expect(alerts.map(({ kind }) => kind)).toEqual(['low_disk'])
    mend()
    await archive.scheduled.runNow()
    expect((await archive.status()).backup.cadence.lastError).toBeNull()
  })

  test('a backup folder without the right to write there: the folder is named, and it is no full disk', async () => {
    const { archive, place, mend } = await scheduledOn(
      'EACCES',
      (operation, { backups }) => writing.has(operation.kind) && operation.path.startsWith(`${backups}${path.sep}`),
    )
    expect(await codeOf(archive.scheduled.runNow())).toBe('invalid_state')
    expectNothingLeft(place)
    const { alerts } = (await archive.status()).backup
    expect(alerts).toMatchObject([{ kind: 'failed', message: expect.stringContaining(place.backups) }])
    expect(await codeOf(archive.scheduled.pin(prunable))).toBe('invalid_state')
    mend()
    await archive.scheduled.runNow()
    expect((await archive.status()).backup.alerts.map(({ kind }) => kind)).not.toContain('failed')
  })

  test('full while an archive is checked: no verdict on the archive', async () => {
    const place = copyOf(await makePristine())
    // Bringing the archive's database up needs more pages than there is room for.
    const sql = 'PRAGMA max_page_count = 1; CREATE TABLE large (x BLOB); INSERT INTO large VALUES (zeroblob(10000000))'
    const known = [...migrations, { number: 3, name: 'needs room', sql, checksum: 'of its own' }]
    const server = startServer(place.dataDir, { known })
    onTestFinished(() => server.stop())
    expect(await codeOf(server.archive.scheduled.verify(prunable))).toBe('disk_full')
    const listed = await server.archive.scheduled.list()
    expect(listed.find(({ name }) => name === prunable)).toMatchObject({ checkedAt: null, problem: null })
  })
})
