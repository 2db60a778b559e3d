import { createHash, randomBytes } from 'node:crypto'
import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import Database from 'better-sqlite3'
import sharp from 'sharp'
import { bulks, type Installation, makeInstallation, type Program, startOn } from './installation.ts'
import { load, percentile } from './load.ts'
import { loopMeasure, type Measure } from './measures.ts'
import { type LoopDelay, ownFile, type Running, startAndFind } from './programs.ts'
import { targetOn } from './requests.ts'
import { failuresOf, steadily, watchMemory } from './steady.ts'

const mebibyte = 1024 * 1024
/** Sides of pictures that are a megabyte as they are drawn, and of the largest. */
const [side, largestSide, pictures] = [600, 3180, 970] as const

/** A campaign of a gigabyte leaves, for oneself and for the world, and comes home on another server, while people read. */
export async function transferMeasures(program: Program): Promise<readonly Measure[]> {
  const on = await makeInstallation(program, bulks.texts)
  const home = await makeInstallation(program, bulks.few)
  const measures: Measure[] = []
  try {
    const largest = await addPictures(on)
    for (const profile of ['backup', 'publish'] as const) {
      const file = path.join(on.root, `${profile}.zip`)
      const leaving = await watched(program, on, async (server) => {
        const address = `${server.found}/api/v1/campaigns/${on.campaignId}/export?format=zip&profile=${profile}`
        return told(ownFile('take-export.ts'), address, on, file)
      })
      const size = `${(statSync(file).size / mebibyte).toFixed(0)} MiB, ${pictures + 1} pictures`
      measures.push(...measuresOf(`export as ${profile}`, size, leaving), {
        name: '  memory that it adds, beyond the largest picture',
        value: leaving.memory.value === null ? null : leaving.memory.value - largest / mebibyte,
        unit: 'MiB',
        budget: { most: 64 },
        detail: `${leaving.memory.detail}; the largest has ${(largest / mebibyte).toFixed(0)} MiB`,
      })
      const coming = await watched(program, home, (server) =>
        told(ownFile('send-archive.ts'), `${server.found}/api/v1/campaigns/import`, home, file),
      )
      const found = Number(/"pictures":\{"found":(\d+)/.exec(coming.said)?.[1] ?? 0)
      if (found !== pictures + 1) throw new Error(`${found} pictures came home: ${coming.said.slice(0, 500)}`)
      measures.push(...measuresOf(`import of what left as ${profile}`, size, coming), {
        name: '  memory that it adds',
        ...coming.memory,
        unit: 'MiB',
      })
      rmSync(file)
    }
    return measures
  } finally {
    on.remove()
    home.remove()
  }
}

interface Watched {
  readonly said: string
  readonly seconds: number
  readonly reads: Float64Array
  /** Before the work began. */
  readonly alone: Float64Array
  readonly failures: readonly string[]
  readonly memory: Pick<Measure, 'value' | 'detail'>
  readonly delay: LoopDelay | null
}

/** Runs some work of a server that has just started, with ten reads a second meanwhile. */
async function watched(
  program: Program,
  on: Installation,
  work: (server: Running) => Promise<string>,
): Promise<Watched> {
  const server = await startOn(program, on)
  try {
    const read = targetOn(server, `/api/v1/npcs/${on.npcId}`, on)
    await load(read, 4, { requests: 4500 })
    const quiet = steadily(100, read, 200)
    await new Promise((resolve) => setTimeout(resolve, 6000))
    const { latencies: alone } = await quiet.stop()
    await server.loopDelay()
    const reading = steadily(100, read, 200)
    const memory = watchMemory(server)
    const started = performance.now()
    const said = await work(server)
    const seconds = (performance.now() - started) / 1000
    const { latencies, failures } = await reading.stop()
    const delay = await server.loopDelay()
    return { said, seconds, reads: latencies, alone, failures, memory: memory.end(), delay }
  } finally {
    await server.stop()
  }
}

/** What a program says that sends or takes a file. Throws where the server refused it. */
async function told(script: string, address: string, { tokens }: Installation, file: string): Promise<string> {
  const sent = await startAndFind(process.execPath, [script, address, tokens[0] as string, file], /^(\d{3} .*)$/m)
  await sent.stop()
  if (!/^20[01] /.test(sent.found)) throw new Error(`${address} was answered with ${sent.found.slice(0, 500)}`)
  return sent.found
}

function measuresOf(
  name: string,
  size: string,
  { seconds, reads, alone, failures, delay }: Watched,
): readonly Measure[] {
  return [
    { name, value: seconds, unit: 's', detail: size },
    {
      name: '  reads meanwhile, 99th percentile',
      value: percentile(reads, 0.99),
      unit: 'ms',
      budget: { most: 50 },
      detail: `${reads.length} reads, ten a second, each on a new connection`,
    },
    failuresOf('  reads that failed meanwhile', failures, `${reads.length} reads`),
    {
      name: '  the same before it began',
      value: percentile(alone, 0.99),
      unit: 'ms',
      detail: `${alone.length} reads: what this machine takes besides`,
    },
    loopMeasure(name, delay),
  ]
}

/** Pictures that can be drawn, each unlike the others, and what they tell. Returns the bytes of the largest. */
async function addPictures({ dataDir, campaignId }: Installation): Promise<number> {
  const db = new Database(path.join(dataDir, 'talekeeper.db'))
  const add = db.prepare(
    `INSERT INTO attachments (campaign_id, created_at, updated_at, uploaded_by_user_id, file_name, mime_type, byte_size, width, height, sha256, file_key)
     VALUES (?, ?, ?, 1, ?, ?, ?, ?, ?, ?, ?)`,
  )
  let largest = 0
  for (let number = 0; number <= pictures; number += 1) {
    const across = number === 0 ? largestSide : side
    // Every tenth is a photograph that tells where it was taken.
    const isPhotograph = number % 10 === 9
    const drawn = sharp(randomBytes(across * across * 3), {
      raw: { width: across, height: across, channels: 3 },
    }).withExif({ IFD0: { Artist: `Person ${number}` }, IFD3: { GPSLatitude: '52/1 31/1 0/1', GPSLatitudeRef: 'N' } })
    const bytes = await (isPhotograph
      ? drawn.jpeg({ quality: 100, chromaSubsampling: '4:4:4' })
      : drawn.png({ compressionLevel: 0 })
    ).toBuffer()
    const [mimeType, ending] = isPhotograph ? ['image/jpeg', 'jpg'] : ['image/png', 'png']
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    const fileKey = `${sha256.slice(0, 2)}/${sha256}.${ending}`
    mkdirSync(path.join(dataDir, 'uploads', sha256.slice(0, 2)), { recursive: true })
    writeFileSync(path.join(dataDir, 'uploads', fileKey), bytes)
    const now = new Date().toISOString()
    add.run(campaignId, now, now, `${number}.${ending}`, mimeType, bytes.length, across, across, sha256, fileKey)
    largest = Math.max(largest, bytes.length)
  }
  db.close()
  return largest
}
