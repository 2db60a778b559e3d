import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { worldsVariable } from './global-setup.ts'
import { startServer, type TestServer, type TestServerOptions } from './server.ts'
import { type TestWorld, type WorldRecord, worldOn } from './world.ts'
import { buildWorld } from './world-build.ts'

// One world for all tests of a run: it is built when the first test asks for it, kept as a folder, and copied.
//
// 1. Somebody asks for a world that the run does not have yet: it is built in a folder beside its place, upon a copy of
//    the world below it, and the server is stopped, so that the database is one file without a log.
// 2. The folder is renamed into place. Where another process was there first, that one's world stays.
// 3. Everybody gets a server on a copy of their own.

/** What a test adds to the sample table, once for all that start from it. */
export interface WorldLayer {
  /** The name of its folder. */
  readonly name: string
  readonly below?: WorldLayer
  add(world: TestWorld): Promise<void>
}

export interface WorldOptions extends Omit<TestServerOptions, 'now'> {
  /** The sample table alone without one. */
  readonly layer?: WorldLayer
}

/** A server on a copy of the world. Its folder goes when it stops, unless it was given. */
export async function startWorld({ layer, dataDir, ...options }: WorldOptions = {}): Promise<TestWorld> {
  const made = await madeWorld(layer)
  const record = recordIn(made)
  const folder = dataDir ?? mkdtempSync(path.join(tmpdir(), 'talekeeper-test-'))
  cpSync(dataIn(made), folder, { recursive: true })
  const server = await startServer({ ...options, dataDir: folder, now: record.now })
  return worldOn(dataDir === undefined ? removedWhenStopped(server) : server, record)
}

/** Stops the server of a test that may still be going on: what it began is rolled back. */
export async function stopAmid({ server }: TestWorld): Promise<void> {
  const { connection } = server.app.store()
  if (connection.inTransaction) connection.exec('ROLLBACK')
  await server.stop()
}

function removedWhenStopped(server: TestServer): TestServer {
  return {
    ...server,
    async stop() {
      await server.stop()
      rmSync(server.dataDir, { recursive: true, force: true })
    },
  }
}

const dataIn = (folder: string): string => path.join(folder, 'data')
const recordFileIn = (folder: string): string => path.join(folder, 'world.json')

function recordIn(folder: string): WorldRecord {
  return JSON.parse(readFileSync(recordFileIn(folder), 'utf8'))
}

/** The folder of a world, which is built when it is not there. */
async function madeWorld(layer: WorldLayer | undefined): Promise<string> {
  const worlds = process.env[worldsVariable]
  if (worlds === undefined) throw new Error(`${worldsVariable} is not set: vitest.config.ts names global-setup.ts`)
  const place = path.join(worlds, layer?.name ?? 'table')
  if (existsSync(place)) return place
  const building = mkdtempSync(path.join(worlds, 'building-'))
  mkdirSync(dataIn(building))
  const record = layer === undefined ? await buildTable(dataIn(building)) : await addLayer(layer, dataIn(building))
  writeFileSync(recordFileIn(building), JSON.stringify(record))
  try {
    renameSync(building, place)
  } catch (error) {
    if (!existsSync(place)) throw error
    rmSync(building, { recursive: true })
  }
  return place
}

async function buildTable(dataDir: string): Promise<WorldRecord> {
  const server = await startServer({ dataDir })
  const record = await buildWorld(server)
  await server.stop()
  return record
}

async function addLayer({ below, add }: WorldLayer, dataDir: string): Promise<WorldRecord> {
  const from = await madeWorld(below)
  cpSync(dataIn(from), dataDir, { recursive: true })
  const record = recordIn(from)
  const server = await startServer({ dataDir, now: record.now })
  await add(worldOn(server, record))
  const now = server.clock().toISOString()
  await server.stop()
  return { ...record, now }
}
