import { existsSync, readdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { backUp } from './backups.ts'
import { type Installation, type Program, startOn } from './installation.ts'
import { load, percentile, type Target } from './load.ts'
import type { Measure } from './measures.ts'
import { ownFile, type Running, startAndFind } from './programs.ts'
import { targetOn } from './requests.ts'
import { type Answered, ask, failuresOf, openStream, type Sent, steadily, watchMemory } from './steady.ts'

const restores = 3

/** Reads while an archive is uploaded and judged, at ten a second. */
export async function inspectMeasures(program: Program, on: Installation): Promise<readonly Measure[]> {
  const archive = await archiveOf(program, on)
  const server = await startOn(program, on)
  try {
    const read = readOf(server, on)
    await load(read, 4, { requests: 4500 })
    const reading = steadily(100, read, 200)
    const memory = watchMemory(server)
    const started = performance.now()
    let runs = 0
    // So often that a hundred reads fall into it.
    for (; performance.now() - started < 10_500; runs += 1) {
      await send(server, on, 'inspect', archive)
      memory.end()
    }
    const { latencies, failures } = await reading.stop()
    return [
      {
        name: 'reads while an archive is inspected, 99th percentile',
        value: percentile(latencies, 0.99),
        unit: 'ms',
        budget: { most: 50 },
        detail: `${latencies.length} reads, ten a second, during ${runs} uploads with their inspection`,
      },
      failuresOf('  reads that failed meanwhile', failures, `${latencies.length} reads`),
      { name: 'memory that an inspection adds', ...memory.end(), unit: 'MiB', budget: { most: 100 } },
    ]
  } finally {
    await server.stop()
  }
}

interface Restored {
  readonly reads: Sent
  readonly writes: Sent
  /** A read that was sent the moment the live streams ended, which is when the server begins to hold requests. */
  readonly first: Answered
  readonly streamEnded: boolean
}

/** Reads at ten a second and writes at two while archives are uploaded and restored, and a page that hears live events. */
export async function restoreMeasures(program: Program, on: Installation): Promise<readonly Measure[]> {
  const archive = await archiveOf(program, on)
  const server = await startOn(program, on)
  try {
    await load(readOf(server, on), 4, { requests: 4500 })
    const memory = watchMemory(server)
    const rounds: Restored[] = []
    for (let round = 0; round < restores; round += 1) {
      rounds.push(await restoreOnce(server, on, archive))
      memory.end()
      dropSafetyCopies(on)
    }
    const reads = rounds.flatMap((each) => [...each.reads.latencies])
    const writes = rounds.flatMap((each) => [...each.writes.latencies])
    const firsts = rounds.map(({ first }) => first.milliseconds)
    const longest = Math.max(...reads, ...writes, ...firsts)
    const failures = rounds.flatMap(({ reads, writes, first, streamEnded }) => [
      ...reads.failures,
      ...writes.failures,
      ...(first.status === '200' ? [] : [first.status]),
      ...(streamEnded ? [] : ['a live stream was cut off']),
    ])
    const sent = `${reads.length + firsts.length} reads, ${writes.length} writes, ${restores} live streams`
    return [
      {
        name: 'requests while a backup is restored, the longest',
        value: longest,
        unit: 'ms',
        budget: { most: 500 },
        detail: `from the hold on ${firsts.map((each) => each.toFixed(0)).join(', ')} ms; ten reads and two writes a second, ${restores} restores`,
      },
      failuresOf('requests and streams that a restore broke', failures, sent),
      {
        name: '  reads while a backup is restored, 99th percentile',
        value: percentile(Float64Array.from(reads).sort(), 0.99),
        unit: 'ms',
        detail: `${reads.length} reads`,
      },
      { name: 'memory that a restore adds', ...memory.end(), unit: 'MiB', budget: { most: 100 } },
    ]
  } finally {
    await server.stop()
  }
}

async function restoreOnce(server: Running, on: Installation, archive: string): Promise<Restored> {
  const read = readOf(server, on)
  const stream = await openStream(targetOn(server, `/api/v1/campaigns/${on.campaignId}/events`, on))
  const first = stream.ended.then(() => ask(read))
  const reading = steadily(100, read, 200)
  const writing = steadily(500, writeOf(server, on), 201)
  await send(server, on, 'restore', archive)
  const [reads, writes] = await Promise.all([reading.stop(), writing.stop()])
  return { reads, writes, first: await first, streamEnded: await stream.ended }
}

function readOf(server: Running, on: Installation): Target {
  return targetOn(server, `/api/v1/npcs/${on.npcId}`, on)
}

function writeOf(server: Running, on: Installation): Target {
  const target = targetOn(server, `/api/v1/campaigns/${on.campaignId}/notes`, on)
  const body = JSON.stringify({ body: 'The bell rang twice.', visibility: 'party' })
  return { ...target, headers: { ...target.headers, 'content-type': 'application/json' }, body }
}

async function send(server: Running, { tokens }: Installation, what: 'inspect' | 'restore', archive: string) {
  const address = `${server.found}/api/v1/backup/${what}`
  const args = [ownFile('send-archive.ts'), address, tokens[0] as string, archive]
  const sent = await startAndFind(process.execPath, what === 'restore' ? [...args, 'RESTORE'] : args, /^(\d{3} .*)$/m)
  await sent.stop()
  if (!sent.found.startsWith('200 ')) throw new Error(`${what} was answered with ${sent.found.slice(0, 500)}`)
}

/** An archive of all that is in the installation; another server makes it, since it leaves memory behind. */
async function archiveOf(program: Program, on: Installation): Promise<string> {
  const folder = path.join(on.dataDir, 'backups')
  const newest = existsSync(folder) ? readdirSync(folder).sort().at(-1) : undefined
  if (newest !== undefined) return path.join(folder, newest)
  const server = await startOn(program, on)
  try {
    return await backUp(server.found, on)
  } finally {
    await server.stop()
  }
}

/** What a restore puts aside is kept until the next backup; here that is a gigabyte each time. */
function dropSafetyCopies({ dataDir }: Installation): void {
  for (const name of readdirSync(dataDir)) {
    if (name.startsWith('restore-')) rmSync(path.join(dataDir, name), { recursive: true })
  }
}
