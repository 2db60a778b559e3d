import { randomBytes } from 'node:crypto'
import { createWriteStream, existsSync, openAsBlob, readdirSync } from 'node:fs'
import path from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import Database from 'better-sqlite3'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { entities } from '../../src/catalogue.ts'
import { zipOf } from '../../src/transfer/zip-stream.ts'
import { long, walkLimitMs } from '../support/long.ts'
import { callsOn, type Folders, makeFolders, type ServerProcess, setUp, startServerProcess } from './server-process.ts'

// kill -9 of a server amid an import, at several instants. After the next start nothing of it is there, no row, no picture and
// nothing that was laid aside on the way; or all of it.

// About 300 MB: a fifth of it words, the rest pictures.
const size = long ? { npcs: 60_000, pictures: 220, side: 610 } : { npcs: 4000, pictures: 24, side: 120 }

let folders: Folders
let server: ServerProcess
let token: string
let file: string
beforeAll(async () => {
  folders = makeFolders()
  server = await startServerProcess(folders)
  token = await setUp(server.address)
  expect((await call('POST', '/api/v1/campaigns/sample', {})).status).toBe(201)
  file = path.join(folders.root, 'large.zip')
  await pipeline(Readable.from(zipOf(items(), new Date()), { objectMode: false }), createWriteStream(file))
}, walkLimitMs)
afterAll(async () => {
  await server?.terminate()
  folders?.remove()
})

async function* items() {
  const attachment: object[] = []
  for (let id = 1; id <= size.pictures; id += 1) {
    const raw = { width: size.side, height: size.side, channels: 3 } as const
    const bytes = await sharp(randomBytes(size.side * size.side * 3), { raw })
      .png({ compressionLevel: 0 })
      .toBuffer()
    attachment.push({ id, fileName: `${id}.png`, file: `pictures/${id}.png` })
    yield { name: `pictures/${id}.png`, content: { isShared: false, pieces: () => [bytes] } }
  }
  const body = 'They came down from the hills with a debt that nobody remembers. '.repeat(14)
  const npc = Array.from({ length: size.npcs }, (_, index) => ({ id: index + 1, name: `Somebody ${index}`, body }))
  const rows = { attachment, npc }
  const document = { format: 'talekeeper-campaign', version: 1, campaign: { name: 'Never here' }, rows }
  yield {
    name: 'campaign.json',
    content: [Buffer.from(JSON.stringify(document))] as unknown as AsyncIterable<Uint8Array>,
  }
}

const call = (method: string, target: string, body?: unknown) => callsOn(server.address, token)(method, target, body)

/** All that an installation holds of campaigns: rows of everything, pictures, and what is laid aside. */
function held(): unknown {
  const database = new Database(path.join(folders.dataDir, 'talekeeper.db'), { readonly: true })
  try {
    const tables = [...entities.map(({ table }) => table), 'search_documents', 'mentions', 'tallies', 'recent_changes']
    // What a sweep has still to look at, of pictures that are somebody's, is nothing that was left behind.
    const retired = 'retired_files WHERE file_key NOT IN (SELECT file_key FROM attachments)'
    const rows = [...tables, retired].map((each) => [each, database.prepare(`SELECT count(*) AS n FROM ${each}`).get()])
    const uploads = path.join(folders.dataDir, 'uploads')
    const pictures = existsSync(uploads)
      ? readdirSync(uploads, { recursive: true, withFileTypes: true }).filter((each) => each.isFile())
      : []
    const swept = existsSync(path.join(folders.dataDir, 'swept'))
      ? readdirSync(path.join(folders.dataDir, 'swept'))
      : []
    const aside = readdirSync(folders.tempDir).filter((name) => name.startsWith('talekeeper-'))
    return { rows, pictures: pictures.map(({ name }) => name).sort(), swept, aside }
  } finally {
    database.close()
  }
}

const until = async (isSo: () => Promise<boolean> | boolean): Promise<void> => {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 15))
}
const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

describe(`an import of ${long ? '300 MB' : 'some'}`, () => {
  const order = ['reading', 'pictures', 'writing']
  const instants = [
    ['reading', 0.01],
    ['pictures', 0.02],
    ['pictures', 0.6],
    ['writing', 0.05],
    ['writing', 0.7],
  ] as const

  test('that is killed leaves nothing, and then comes in whole', { timeout: walkLimitMs }, async () => {
    const before = held()
    const amid: string[] = []
    for (const [phase, part] of instants) {
      const job = `${phase}-${part}`
      const form = new FormData()
      form.append('job', job)
      form.append('file', await openAsBlob(file), 'large.zip')
      let answered = false
      const importing = call('POST', '/api/v1/campaigns/import', form)
        .catch(() => undefined)
        .finally(() => {
          answered = true
        })
      await until(async () => {
        if (answered) return true
        const { work } = (await call('GET', `/api/v1/campaigns/import/jobs/${job}`)).body
        if (work === null) return false
        const [now, wanted] = [order.indexOf(work.phase), order.indexOf(phase)]
        return now > wanted || (now === wanted && work.total > 0 && work.done / work.total >= part)
      })
      expect(answered, `${job}: it was too quick`).toBe(false)
      await server.kill()
      await importing
      if (!same(held(), before)) amid.push(job)
      server = await startServerProcess(folders)
      const names = (await call('GET', '/api/v1/campaigns')).body.items.map(({ name }: { name: string }) => name)
      expect(names, job).toEqual(['The Orchard in Winter'])
      // Taken back while the server answers.
      await until(() => same(held(), before))
    }
    expect(amid.length, 'something was there to be taken back').toBeGreaterThan(2)
    const form = new FormData()
    form.append('file', await openAsBlob(file), 'large.zip')
    const { status, body } = await call('POST', '/api/v1/campaigns/import', form)
    expect([status, body.report.pictures]).toEqual([201, { found: size.pictures, missing: 0 }])
    const npcs = body.report.kinds.find(({ entityType }: { entityType: string }) => entityType === 'npc')
    expect(npcs.count).toBe(size.npcs)
  })
})
