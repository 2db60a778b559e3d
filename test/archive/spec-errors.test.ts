import { mkdirSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import type { Answer } from '../support/callers.ts'
import { describe, first, type GoodParts, uploadRecords, zip } from './corpus-parts.ts'
import { rawZip } from './raw-zip.ts'
import { partsOf, pausableFiles, type SpecServer, specServer } from './spec-support.ts'

// SPEC 3 (archive operations) and SPEC 7, row by row, over REST on a whole server; spec.test.ts counts the rows.

const { files, pauseAt } = pausableFiles()
let on: SpecServer
let good: GoodParts

beforeAll(async () => {
  on = await specServer({ files })
  good = await partsOf(await on.download(), on.root)
})
afterAll(() => on?.stop())

/** That neither an inspection nor a restore accepts an archive, for this reason, and that nothing has changed by it. */
async function expectRefused(archive: Buffer, code: string): Promise<void> {
  const before = await on.content()
  for (const what of ['inspect', 'restore'] as const) {
    const { status, body } = await on.send(what, archive)
    expect({ status, error: body.error }).toEqual({
      status: 400,
      error: { status: 400, code, message: expect.any(String) },
    })
  }
  expect(await on.content()).toEqual(before)
  expect((await on.admin.get('/readyz')).status).toBe(200)
}

/** Every way to begin archive work. */
const works: Readonly<Record<string, () => Promise<Answer>>> = {
  create: () => on.admin.get('/api/v1/backup'),
  'create with the key': () => on.admin.post('/api/v1/backup/download', { keyPassphrase: 'correct horse battery' }),
  'scheduled backup': () => on.run(),
  inspect: () => on.send('inspect', good.archive),
  restore: () => on.send('restore', good.archive),
}
/** Where each begins with files: before that it has changed nothing. */
const beginning = /^makeDir .*(talekeeper-archive-|restore-)/

test('SPEC 3: archive operations are serialized, only one runs at a time', async () => {
  for (const [name, begin] of Object.entries(works)) {
    const pause = pauseAt(beginning)
    const working = begin()
    await pause.reached
    for (const [other, start] of Object.entries(works)) {
      const { status, body } = await start()
      expect([status, body?.error?.code], `${other} during ${name}`).toEqual([409, 'archive_busy'])
    }
    pause.go()
    expect((await working).status, name).toBe(200)
  }
})

test('SPEC 3: a restore stages on disk, and cancelling it before the replace boundary leaves the install unchanged', async () => {
  const before = await on.content()
  const earlier = readdirSync(on.dataDir)
  const pause = pauseAt(/^sync .*restore-.*talekeeper\.db$/)
  const restoring = on.send('restore', good.archive)
  await pause.reached
  const isOwn = (name: string): boolean => name.startsWith('restore-') && !earlier.includes(name)
  const folder = readdirSync(on.dataDir).find(isOwn) as string
  const staged = readdirSync(path.join(on.dataDir, folder, 'new')).sort()
  expect(staged).toEqual(['talekeeper.db', 'uploads'])
  expect((await on.admin.post('/api/v1/backup/cancel')).body).toEqual({ cancelled: true })
  pause.go()
  const { status, body } = await restoring
  expect([status, body.error.code]).toEqual([409, 'cancelled'])
  expect(await on.content()).toEqual(before)
})

test('SPEC 3: cancelling after the live database and uploads begin to be replaced is not honoured', async () => {
  const address = await on.server.app.listen()
  const npc = `/api/v1/npcs/${on.world.id('npc')}`
  const { name } = (await on.dm.get(npc)).body
  expect((await on.dm.request('PATCH', npc, { name: 'Not in the archive' })).status).toBe(200)
  const form = new FormData()
  form.append('file', new Blob([Uint8Array.from(good.archive)]), 'backup.zip')
  form.append('confirm', 'RESTORE')
  const leaving = new AbortController()
  const { authorization } = on.admin.headers
  const headers = { authorization: authorization as string }
  const pause = pauseAt(/^rename .*talekeeper\.db .*old/)
  const restoring = fetch(`${address}/api/v1/backup/restore`, {
    method: 'POST',
    headers,
    body: form,
    signal: leaving.signal,
  })
  await pause.reached
  const { archive } = on.server.app
  expect((await archive.status()).backup.current).toMatchObject({ operation: 'restore', cancellable: false })
  expect(archive.cancel()).toBe(false)
  leaving.abort()
  await expect(restoring).rejects.toThrow()
  const ended = new Promise<void>((resolve) => archive.watch((current) => current === null && resolve()))
  pause.go()
  await ended
  expect((await on.dm.get(npc)).body.name).toBe(name)
})

test('SPEC 7: any interface error of archive work is the JSON error object', async () => {
  const routes = on.server.app.transfers.filter(({ route }) => route.includes(' /backup'))
  expect(routes.length).toBeGreaterThan(10)
  const answers: Answer[] = []
  for (const { route } of routes) {
    const [method, target] = route.replace('{name}', 'none.zip').split(' ') as [string, string]
    for (const caller of [on.world.callers.anonymous, on.dm])
      answers.push(await caller.request(method, `/api/v1${target}`))
  }
  answers.push(await on.admin.post('/api/v1/backup/download', { keyPassphrase: 12 }))
  answers.push(await on.admin.get('/api/v1/backup/archives/none.zip'))
  answers.push(await on.admin.post('/api/v1/backup/inspect', {}))
  answers.push(await on.send('inspect', Buffer.from('no archive')))
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([400, 401, 403, 404, 415]))
  for (const { status, body, headers } of answers) {
    expect(headers['content-type']).toMatch(/^application\/json/)
    expect(Object.keys(body)).toEqual(['error'])
    expect(body.error).toMatchObject({ status, code: expect.any(String), message: expect.any(String) })
  }
})

test('SPEC 7: restore of a malformed or foreign archive is 400 and the running server is left untouched', async () => {
  const { archive, database } = good
  for (const bytes of [
    Buffer.from('PK'),
    Buffer.from('<html>a page</html>'),
    database,
    archive.subarray(0, archive.length / 2),
    archive.subarray(1000),
    rawZip({ entries: [{ name: 'notes.txt', content: Buffer.from('from elsewhere') }] }),
  ])
    await expectRefused(bytes, 'archive_invalid')
})

test('SPEC 7: restore of an archive whose format is not 3 is 400 before live data is touched', async () => {
  for (const version of [undefined, 0, 1, 2, 4, 30, '3'])
    await expectRefused(zip(good, { manifest: { version } }), 'archive_format_unsupported')
})

test('SPEC 7: restore where the recorded size or SHA-256 of any upload differs from the archive bytes is 400', async () => {
  const changed = (change: (record: { path: string; size: number; sha256: string }) => object) =>
    zip(good, {
      manifest: { uploads: uploadRecords(good).map((each, at) => (at === 1 ? { ...each, ...change(each) } : each)) },
    })
  await expectRefused(
    changed(({ size }) => ({ size: size + 1 })),
    'archive_checksum_mismatch',
  )
  await expectRefused(
    changed(({ size }) => ({ size: size - 1 })),
    'archive_checksum_mismatch',
  )
  await expectRefused(
    changed(({ sha256 }) => ({ sha256: sha256.replace(/^./, (digit) => (digit === '0' ? '1' : '0')) })),
    'archive_checksum_mismatch',
  )
  const name = first(good)
  const content = Buffer.from(good.uploads.get(name) as Buffer)
  content[content.length - 1]! ^= 1
  await expectRefused(zip(good, { without: name, add: [{ name, content }] }), 'archive_checksum_mismatch')
})

test('SPEC 7: restore where uploadCount differs from the attachment entry count is 400', async () => {
  for (const uploadCount of [0, good.uploads.size - 1, good.uploads.size + 1])
    await expectRefused(zip(good, { manifest: { uploadCount } }), 'archive_count_mismatch')
})

test('SPEC 7: restore where an attachment named in the manifest is absent is 400', async () => {
  await expectRefused(zip(good, { without: first(good) }), 'archive_entry_missing')
  // Another one in its place makes the number right, and nothing else.
  const content = Buffer.from('another')
  const { sha256 } = describe('', content)
  const other = { name: `uploads/${sha256.slice(0, 2)}/${sha256}.png`, content }
  await expectRefused(zip(good, { without: first(good), add: [other] }), 'archive_entry_missing')
})

test('SPEC 7: restore where the reconciliation record is not clean or checksums are incomplete is 400', async () => {
  const clean = good.manifest.reconciliation as object
  for (const reconciliation of [undefined, { ...clean, clean: false }, { ...clean, clean: undefined }])
    await expectRefused(zip(good, { manifest: { reconciliation } }), 'archive_not_clean')
  const [record, ...others] = uploadRecords(good)
  for (const member of ['sha256', 'size']) {
    const uploads = [{ ...record, [member]: undefined }, ...others]
    await expectRefused(zip(good, { manifest: { uploads } }), 'archive_not_clean')
  }
})

test('SPEC 7: restore without confirm equal to RESTORE, or by a non-server-admin, is rejected', async () => {
  const before = await on.content()
  for (const fields of [{}, { confirm: '' }, { confirm: 'restore' }, { confirm: 'RESTORE ' }, { confirm: 'yes' }]) {
    const { status, body } = await on.send('restore', good.archive, fields)
    expect([status, body.error.code], JSON.stringify(fields)).toEqual([400, 'confirm_required'])
  }
  const { callers, oauth, session, token } = on.world
  // An app that an administrator connected, and an administrator's token without that right, are none (SPEC 5.5, 5.9).
  for (const caller of [session('dm'), session('player'), on.dm, token('admin'), oauth('admin')]) {
    const { status, body } = await on.send('restore', good.archive, { confirm: 'RESTORE' }, caller)
    expect([status, body.error.code], caller.name).toEqual([403, 'forbidden'])
  }
  expect((await on.send('restore', good.archive, { confirm: 'RESTORE' }, callers.anonymous)).status).toBe(401)
  expect(await on.content()).toEqual(before)
})

test('SPEC 7: an archive operation requested while another is running is told to wait and retry', async () => {
  const pause = pauseAt(beginning)
  const working = on.send('inspect', good.archive)
  await pause.reached
  const { status, headers, body } = await on.send('restore', good.archive)
  expect(status).toBe(409)
  expect(Number(headers['retry-after'])).toBeGreaterThan(0)
  expect(body.error.message).toMatch(/another .* again/i)
  pause.go()
  expect((await working).status).toBe(200)
  expect((await on.send('restore', good.archive)).status).toBe(200)
})

test('SPEC 7: validation failure or cancellation during archive work cleans up and leaves the live install unchanged', async () => {
  mkdirSync(path.join(on.dataDir, 'backups'), { recursive: true })
  const { connection } = on.server.app.store()
  const state = async () => ({
    ...((await on.content()) as object),
    backups: readdirSync(path.join(on.dataDir, 'backups')),
  })
  const before = await state()
  for (const [name, begin] of Object.entries(works)) {
    const pause = pauseAt(beginning)
    const working = begin()
    await pause.reached
    expect((await on.admin.post('/api/v1/backup/cancel')).body, name).toEqual({ cancelled: true })
    pause.go()
    const { status, body } = await working
    expect([status, body.error.code], name).toEqual([409, 'cancelled'])
    expect(await state(), name).toEqual(before)
  }
  // What no restore would take makes no backup either: its check comes when the archive has been written.
  connection.exec('CREATE TABLE foreign_table (id INTEGER)')
  onTestFinished(() => void connection.exec('DROP TABLE IF EXISTS foreign_table'))
  for (const name of ['create', 'scheduled backup']) {
    const { status, body } = await (works[name] as () => Promise<Answer>)()
    expect([status, body.error.code], name).toEqual([400, 'archive_schema_foreign'])
    expect(await state(), name).toEqual(before)
  }
})
