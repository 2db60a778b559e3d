import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type BackupFolder, backupsOf, copyOfBackupFolder, fillBackupFolder } from './archives-backup-folder.ts'
import {
  contentOf,
  copyOf,
  digest,
  entry,
  expectNoStrays,
  long,
  type Prepared,
  prepare,
  restoreOn,
  strayFiles,
} from './archives-support.ts'
import {
  callsOn,
  type Folders,
  type Program,
  type ServerProcess,
  startProgram,
  startServerProcess,
} from './server-process.ts'

// kill -9 of the process right before and right after file operations of archive work, on whichever thread they are,
// spread evenly over all that it does. Afterwards the program starts on what is there.

let prepared: Prepared
let backupFolder: BackupFolder

beforeAll(async () => {
  prepared = await prepare()
  backupFolder = await fillBackupFolder(prepared)
})

afterAll(() => {
  prepared?.folders.remove()
  backupFolder?.prepared.folders.remove()
})

interface Activity {
  readonly name: 'create' | 'scheduled' | 'retention' | 'restore'
  /** What a point is told apart by: of how many such there are afterwards. */
  readonly counted: string
  /** How many points outside of long mode. */
  readonly points: number
  readonly env?: Readonly<Record<string, string>>
  install(): Folders | Promise<Folders>
  /** What starts it; without one the start of the server does. */
  ask?(server: ServerProcess): Promise<Response>
}

const asking = ({ address }: ServerProcess, method: string, target: string): Promise<Response> =>
  fetch(`${address}/api/v1/backup${target}`, { method, headers: { authorization: `Bearer ${prepared.token}` } })

const activities: readonly Activity[] = [
  {
    name: 'create',
    counted: 'archives',
    points: 7,
    install: () => copyOf(prepared),
    ask: (server) => asking(server, 'GET', ''),
  },
  {
    name: 'scheduled',
    counted: 'archives',
    points: 7,
    install: () => copyOf(prepared),
    env: { BACKUP_SCHEDULE_ENABLED: '1' },
  },
  {
    name: 'retention',
    counted: 'archives pruned',
    points: 8,
    install: () => copyOfBackupFolder(backupFolder),
    env: { BACKUP_KEEP_COUNT: '1' },
    ask: (server) => asking(server, 'POST', '/run'),
  },
  {
    name: 'restore',
    counted: 'installations restored',
    points: 8,
    install: () => copyOf(prepared),
    ask: (server) => restoreOn(server, prepared.token, prepared.archive),
  },
]
const pointsInLongMode = 75

test.each(activities)('kill -9 at points spread over $name', { timeout: 1_800_000 }, async (activity) => {
  const total = await operationsOf(activity)
  const points = spread(total, long ? pointsInLongMode : activity.points)
  const reached: number[] = []
  for (const point of points) {
    const folders = await activity.install()
    try {
      const where = await killAt(activity, point, folders)
      reached.push(await verifyRecovery(activity, folders, where))
    } finally {
      folders.remove()
    }
  }
  const counts = Map.groupBy(reached, (each) => each)
  const outcomes = Array.from(counts, ([each, times]) => `${times.length} with ${each} ${activity.counted}`).join(', ')
  console.info(`${activity.name}: ended at ${points.length} points of ${total} file operations: ${outcomes}`)
  // What was done by an earlier point is done by each later one.
  expect(reached).toEqual(reached.toSorted((a, b) => a - b))
  expect(counts.has(0)).toBe(true)
  if (activity.name !== 'create') expect(counts.size).toBeGreaterThan(1)
})

interface Point {
  /** Of the file operation, from 1. */
  readonly number: number
  readonly side: 'before' | 'after'
}

/** Distinct points, evenly over all operations. */
function spread(total: number, count: number): readonly Point[] {
  return Array.from({ length: count }, (_, index) => ({
    number: 1 + Math.floor(((index + 0.5) * total) / count),
    side: index % 2 === 0 ? 'before' : 'after',
  }))
}

function environment({ name, env = {} }: Activity): Readonly<Record<string, string>> {
  return { BACKUP_MIN_FREE_BYTES: '0', KILL_IN: name, ...env }
}

/** How many file operations an activity has when nothing ends it. */
async function operationsOf(activity: Activity): Promise<number> {
  const folders = await activity.install()
  try {
    const server = await startServerProcess(folders, { entry, env: environment(activity) })
    const answer = await activity.ask?.(server)
    if (answer !== undefined) expect(await answer.arrayBuffer().then(() => answer.status)).toBe(200)
    await printed(server, 'archive work ended')
    await server.terminate()
    const count = Number(/file operations: (\d+)/.exec(server.output())?.[1])
    expect(count).toBeGreaterThan(40)
    return count
  } finally {
    folders.remove()
  }
}

async function printed({ child, output, ended }: Program, text: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const look = (): void => {
    if (output().includes(text)) resolve()
  }
  child.stdout?.on('data', look)
  void ended.then(() => reject(new Error(`It ended before it said "${text}":\n${output()}`)))
  look()
  await promise
}

/** Runs an activity until the process ends itself. Returns at what, as it said. */
async function killAt(activity: Activity, { number, side }: Point, folders: Folders): Promise<string> {
  const env = { ...environment(activity), KILL_OPERATION: String(number), KILL_SIDE: side }
  const program = activity.ask
    ? await startServerProcess(folders, { entry, env })
    : startProgram(folders, { entry, env })
  if (activity.ask) {
    // The answer breaks off, or was whole when only the clean-up was left.
    await activity
      .ask(program as ServerProcess)
      .then((answer) => answer.arrayBuffer())
      .catch(() => {})
  }
  const stuck = setTimeout(() => program.child.kill('SIGTERM'), 120_000)
  const ended = await program.ended
  clearTimeout(stuck)
  const where = /^killed .*$/m.exec(program.output())?.[0] ?? `${activity.name} did not reach ${side} ${number}`
  expect(ended, `${where}\n${program.output()}`).toEqual({ code: null, signal: 'SIGKILL' })
  return where
}

/** Starts the program on what is left and looks at everything. Returns how far the activity came; see `counted`. */
async function verifyRecovery(activity: Activity, folders: Folders, where: string): Promise<number> {
  const { name, env = {} } = activity
  const keep = env.BACKUP_KEEP_COUNT === undefined ? {} : { BACKUP_KEEP_COUNT: env.BACKUP_KEEP_COUNT }
  const server = await startServerProcess(folders, { env: { BACKUP_MIN_FREE_BYTES: '0', ...keep } })
  const call = callsOn(server.address, prepared.token)
  const which = expectWholeInstallation(name, folders, where)
  expect((await fetch(`${server.address}/readyz`)).status, where).toBe(200)
  const archives = await expectCountedArchives(server, folders, where)
  const pruned = name === 'retention' ? expectShelf(folders, where) : 0

  expect((await call('POST', '/api/v1/backup/run')).status, where).toBe(200)
  expect(strayFiles(folders), where).toEqual([])
  if (name === 'retention') expectPruned(folders, where)
  expect(await server.terminate(), where).toMatchObject({ code: 0 })
  expect(server.output(), where).not.toContain('cannot be read')
  if (name === 'restore') return which === 'new' ? 1 : 0
  return name === 'retention' ? pruned : archives
}

function expectWholeInstallation(name: Activity['name'], folders: Folders, where: string): 'old' | 'new' {
  const content = contentOf(folders.dataDir)
  const which = isDeepStrictEqual(content, prepared.before) ? 'old' : 'new'
  if (which === 'new') {
    expect(name, where).toBe('restore')
    expect(content, where).toEqual(prepared.archived)
  }
  expectNoStrays(folders, which)
  return which
}

/** No unfinished archive is there or counts, and each that counts passes every rule of a restore. Returns how many. */
async function expectCountedArchives({ address }: ServerProcess, folders: Folders, where: string): Promise<number> {
  const call = callsOn(address, prepared.token)
  const folder = backupsOf(folders)
  const names = existsSync(folder) ? readdirSync(folder) : []
  expect(
    names.filter((each) => each.includes('.partial')),
    where,
  ).toEqual([])
  const { items } = (await call('GET', '/api/v1/backup/archives')).body
  expect(items.map((each: { name: string }) => each.name).sort(), where).toEqual(
    names.filter((each) => /^talekeeper-(scheduled|by-hand)-.*\.zip$/.test(each)).sort(),
  )
  const { body: status } = await call('GET', '/api/v1/backup/status')
  expect(status.backup.current, where).toBeNull()
  const { lastArchive } = status.backup.cadence
  if (lastArchive !== null) expect(names, where).toContain(lastArchive.name)
  const stateFile = path.join(folders.dataDir, 'backup-state.json')
  if (existsSync(stateFile)) expect(JSON.parse(readFileSync(stateFile, 'utf8')), where).toMatchObject({ version: 1 })
  for (const { name, checkedAt, problem } of items) {
    // What was never read in full may be damaged, and only this one is.
    if (problem !== null || (name === backupFolder.damaged && checkedAt === null)) continue
    expect((await call('POST', `/api/v1/backup/archives/${name}/verify`)).status, `${where}: ${name}`).toBe(200)
  }
  return items.length
}

/** Everything that may not be pruned is there as it was, and the new archive is. Returns how many are gone. */
function expectShelf(folders: Folders, where: string): number {
  const folder = backupsOf(folders)
  const now = new Map(readdirSync(folder).map((name) => [name, digest(path.join(folder, name))]))
  const gone = Array.from(backupFolder.files.keys()).filter((name) => !now.has(name))
  expect(
    gone.filter((name) => !backupFolder.prunable.has(name)),
    where,
  ).toEqual([])
  for (const [name, bytes] of backupFolder.files)
    if (now.has(name)) expect(now.get(name), `${where}: ${name}`).toBe(bytes)
  expect(
    Array.from(now.keys()).filter((name) => !backupFolder.files.has(name)),
    where,
  ).toHaveLength(1)
  return gone.length
}

/** The next run has done what was left to do. */
function expectPruned(folders: Folders, where: string): void {
  const left = readdirSync(backupsOf(folders))
  const stays = Array.from(backupFolder.files.keys()).filter((name) => !backupFolder.prunable.has(name))
  expect(left, where).toEqual(expect.arrayContaining(stays))
  expect(left, where).toHaveLength(stays.length + 1)
}
