import { readdirSync, readFileSync, truncateSync } from 'node:fs'
import path from 'node:path'
import sharp from 'sharp'
import { expect, onTestFinished, test } from 'vitest'
import { type ArchiveLimits, archiveLimits } from '../../src/archive/format.ts'
import type { ArchiveTasks } from '../../src/archive/tasks.ts'
import { openArchive } from '../../src/archive/zip-reader.ts'
import { openZip } from '../../src/archive/zip-writer.ts'
import { ConfigError, readConfig } from '../../src/config.ts'
import { createFiles } from '../../src/storage/files.ts'
import type { Workers } from '../../src/storage/workers.ts'
import { type GoodParts, zip } from './corpus-parts.ts'
import { archiveOf, serverWith } from './fixture.ts'
import { codeOf, fresh, inlineWorkers, old, passphrase, startTime } from './install.ts'
import { partsOf, type SpecServer, specServer } from './spec-support.ts'

// SPEC 8.1, row by row; spec.test.ts counts the rows. What would take gigabytes is met with smaller limits, beside a check
// that the true ones are in force.

const mebibyte = 1024 * 1024

/** Archive work with other limits than the fixed ones. */
function limitedWorkers(smaller: Partial<ArchiveLimits>): Workers<ArchiveTasks> {
  const inner = inlineWorkers(createFiles())
  return {
    ...inner,
    runTask: (name, payload, options) =>
      inner.runTask(name, { ...payload, limits: { ...archiveLimits, ...smaller } } as typeof payload, options),
  }
}

/** What becomes of making an archive under a limit, and of inspecting and restoring a given one: codes, or `fine`. */
async function fates(archive: string, smaller: Partial<ArchiveLimits>) {
  const workers = limitedWorkers(smaller)
  const fate = async (work: Promise<unknown>): Promise<unknown> => {
    const code = await codeOf(work)
    return typeof code === 'string' ? code : 'fine'
  }
  const source = serverWith(fresh, { workers })
  const target = serverWith(old, { workers })
  return {
    create: await fate(source.archive.create({ destination: path.join(source.tempDir, 'a.zip'), passphrase })),
    inspect: await fate(target.archive.inspect(archive)),
    restore: await fate(target.archive.restore(archive, { passphrase, actor: null })),
  }
}
const refused = { create: 'archive_too_large', inspect: 'archive_too_large', restore: 'archive_too_large' }
const fine = { create: 'fine', inspect: 'fine', restore: 'fine' }

/** A whole server with a good archive of it. */
async function withArchive(): Promise<{ readonly on: SpecServer; readonly good: GoodParts }> {
  const on = await specServer()
  onTestFinished(() => on.stop())
  return { on, good: await partsOf(await on.download(), on.root) }
}

/** An archive with entries that say to be so large, and hold nothing. */
function declaring(good: GoodParts, sizes: readonly number[]): Buffer {
  const empty = { content: Buffer.alloc(0), packed: Buffer.from([3, 0]), method: 8 }
  return zip(good, { add: sizes.map((bytes, index) => ({ name: `uploads/large${index}.png`, bytes, ...empty })) })
}

/** Why a server does not restore an archive; nothing of it has changed then. */
async function refusalOf(on: SpecServer, archive: Buffer): Promise<string> {
  const before = await on.content()
  const { status, body } = await on.send('restore', archive)
  expect(status).toBe(400)
  expect((await on.send('inspect', archive)).body).toEqual(body)
  expect(await on.content()).toEqual(before)
  return body.error.code
}

test('SPEC 8.1: the limits are fixed, no environment variable changes them', async () => {
  const spec = { archiveBytes: 1024, entryBytes: 512, totalBytes: 4096 }
  expect(archiveLimits).toMatchObject({
    ...Object.fromEntries(Object.entries(spec).map(([name, value]) => [name, value * mebibyte])),
    entries: 100_000,
  })
  // Every variable there is that has a size or a number in it, as small as it may be.
  const env = { BACKUP_MAX_TOTAL_BYTES: '0', BACKUP_KEEP_COUNT: '1', BACKUP_KEEP_DAYS: '1', BACKUP_MIN_FREE_BYTES: '0' }
  const on = await specServer({ env })
  onTestFinished(() => on.stop())
  expect((await on.run()).status).toBe(200)
  expect((await on.send('restore', await on.download())).status).toBe(200)
})

test('SPEC 8.1: a compressed archive is at most 1 GiB', async () => {
  expect(archiveLimits.archiveBytes).toBe(1024 ** 3)
  // A file of that size that takes no disk, among the kept backups.
  const { on } = await withArchive()
  const made = (await on.run()).body.path as string
  const target = `/api/v1/backup/archives/${path.basename(made)}`
  for (const [bytes, code] of [
    [1024 ** 3, 'archive_invalid'],
    [1024 ** 3 + 1, 'archive_too_large'],
  ] as const) {
    truncateSync(made, bytes)
    for (const answer of [
      await on.admin.post(`${target}/verify`),
      await on.admin.post(`${target}/restore`, { confirm: 'RESTORE' }),
    ])
      expect([answer.status, answer.body.error.code], `${bytes}`).toEqual([400, code])
  }
  const archive = await archiveOf(fresh, passphrase)
  const { length } = readFileSync(archive)
  expect(await fates(archive, { archiveBytes: length + mebibyte })).toEqual(fine)
  expect(await fates(archive, { archiveBytes: length - 1000 })).toEqual(refused)
  expect(await fates(archive, { archiveBytes: length })).toMatchObject({ inspect: 'fine', restore: 'fine' })
  expect(await fates(archive, { archiveBytes: length - 1 })).toMatchObject({ ...refused, create: expect.anything() })
})

test('SPEC 8.1: an entry is at most 512 MiB', async () => {
  expect(archiveLimits.entryBytes).toBe(512 * mebibyte)
  const { on, good } = await withArchive()
  expect(await refusalOf(on, declaring(good, [512 * mebibyte + 1]))).toBe('archive_too_large')
  expect(await refusalOf(on, declaring(good, [512 * mebibyte]))).toBe('archive_count_mismatch')
  const archive = await archiveOf(fresh, passphrase)
  const largest = Math.max(...fresh.uploads.map(({ bytes }) => bytes.length))
  expect(await fates(archive, { entryBytes: largest })).toEqual(fine)
  expect(await fates(archive, { entryBytes: largest - 1 })).toEqual(refused)
})

test('SPEC 8.1: the total uncompressed size is at most 4 GiB', async () => {
  expect(archiveLimits.totalBytes).toBe(4 * 1024 ** 3)
  const { on, good } = await withArchive()
  const largest = Array<number>(7).fill(512 * mebibyte)
  expect(await refusalOf(on, declaring(good, largest))).toBe('archive_count_mismatch')
  expect(await refusalOf(on, declaring(good, [...largest, 512 * mebibyte]))).toBe('archive_too_large')
  const archive = await archiveOf(fresh, passphrase)
  const opened = await openArchive(archive, archiveLimits)
  const total = [...opened.entries.values()].reduce((sum, { bytes }) => sum + bytes, 0)
  await opened.close()
  // What is made keeps room for the largest manifest that may have to be added.
  expect(await fates(archive, { totalBytes: total + archiveLimits.manifestBytes })).toEqual(fine)
  expect(await fates(archive, { totalBytes: total })).toEqual({ ...fine, create: 'archive_too_large' })
  expect(await fates(archive, { totalBytes: total - 1 })).toEqual(refused)
})

test('SPEC 8.1: an archive has at most 100,000 entries', { timeout: 600_000 }, async () => {
  expect(archiveLimits.entries).toBe(100_000)
  const { on } = await withArchive()
  const files = createFiles()
  const of = async (entries: number): Promise<Buffer> => {
    const target = path.join(on.root, `${entries}.zip`)
    const { signal } = new AbortController()
    const zip = await openZip({ files, target, modifiedAt: startTime, most: 1024 ** 3, signal, onBytes() {} })
    const empty = { packing: 'stored', bytes: 0, packedBytes: 0, crc32: 0, async *open() {} } as const
    for (let number = 0; number < entries; number += 1) await zip.add({ ...empty, name: `uploads/${number}.png` })
    await zip.finish()
    await zip.close()
    return readFileSync(target)
  }
  const without = await refusalOf(on, await of(100_000))
  expect([without, await refusalOf(on, await of(100_001))]).toEqual(['archive_invalid', 'archive_too_large'])
  // Database, three uploads, key file, manifest.
  const archive = await archiveOf(fresh, passphrase)
  expect(await fates(archive, { entries: 6 })).toEqual(fine)
  expect(await fates(archive, { entries: 5 })).toEqual(refused)
})

test('SPEC 8.1: a download passes through no memory of the browser, so that its 512 MiB need no fallback', async () => {
  const { on } = await withArchive()
  const noise = { type: 'gaussian', mean: 128, sigma: 60 } as const
  const image = sharp({ create: { width: 1200, height: 900, channels: 3, background: '#000000', noise } })
  const contentBase64 = (await image.png({ compressionLevel: 1 }).toBuffer()).toString('base64')
  const campaignId = on.world.id('campaign')
  await on.world.as('dm', 'create_attachment', { campaignId, fileName: 'noise.png', contentBase64 })
  const { status, body } = await on.admin.post('/api/v1/backup/links', {})
  expect(status).toBe(201)
  const address = await on.server.app.listen()
  // A plain navigation: no credential, no script. The browser saves what comes as a file while it comes.
  const response = await fetch(`${address}${body.path}`)
  expect(response.status).toBe(200)
  expect(response.headers.get('content-disposition')).toMatch(/^attachment; filename="talekeeper-backup-\w+\.zip"/)
  expect(response.headers.get('content-type')).toBe('application/zip')
  const pieces: Uint8Array[] = []
  for await (const piece of response.body as ReadableStream<Uint8Array>) pieces.push(piece)
  const archive = Buffer.concat(pieces)
  expect(String(archive.length)).toBe(response.headers.get('content-length'))
  expect(pieces.length).toBeGreaterThan(10)
  expect((await on.send('inspect', archive)).status).toBe(200)
  expect((await fetch(`${address}${body.path}`)).status).toBe(404)
  // No code of the pages takes a backup into memory; the one that shows a chosen picture has it from the disk. The export of a
  // campaign is counted and can be stopped; from 512 MiB on the browser saves it by itself too (isTooMuch).
  const web = path.join(import.meta.dirname, '..', '..', 'src', 'web')
  const sources = readdirSync(web, { recursive: true, encoding: 'utf8' }).filter((name) => /\.tsx?$/.test(name))
  expect(sources.length).toBeGreaterThan(20)
  const taking = /\.(blob|arrayBuffer|bytes|getReader)\(|new Blob\(|showSaveFilePicker|createObjectURL\((?!file\))/
  const counted = path.join('pages', 'travel', 'download.ts')
  expect(sources.filter((name) => taking.test(readFileSync(path.join(web, name), 'utf8')))).toEqual([counted])
  expect(readFileSync(path.join(web, counted), 'utf8')).toContain('512 * 1024 * 1024')
})

test('SPEC 8.1: a keyPassphrase has at least 12 characters', async () => {
  const { on } = await withArchive()
  const routes = ['/api/v1/backup/download', '/api/v1/backup/links']
  for (const route of routes) {
    const { status, body } = await on.admin.post(route, { keyPassphrase: 'eleven char' })
    expect([status, body.error.code], route).toEqual([400, 'validation_failed'])
    expect((await on.admin.post(route, { keyPassphrase: 'twelve chars' })).status, route).toBeLessThan(300)
  }
  expect(() => readConfig({ DATA_DIR: on.dataDir, BACKUP_KEY_PASSPHRASE: 'eleven char' })).toThrow(ConfigError)
  expect(readConfig({ DATA_DIR: on.dataDir, BACKUP_KEY_PASSPHRASE: 'twelve chars' }).backup.keyPassphrase).toBe(
    'twelve chars',
  )
})
