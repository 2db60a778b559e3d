import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { entities } from '../../src/catalogue.ts'
import { unfinishedArrivals } from '../../src/storage/arrivals.ts'
import { filledDocument } from '../support/filled-document.ts'
import { travelOn } from '../support/travel.ts'
import { makeTable } from './support.ts'

// An import that does not come to its end, wherever that is: nothing of it is left.

async function place() {
  const table = await makeTable()
  const folder = mkdtempSync(path.join(tmpdir(), 'import-stopped-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = path.join(folder, 'document.json')
  writeFileSync(file, JSON.stringify(filledDocument(entities)))
  const sha256 = createHash('sha256').digest('hex')
  const keep = async () => ({ fileKey: sha256, sha256, byteSize: 1, mimeType: 'image/png', width: 1, height: 1 })
  const { imports } = travelOn({
    store: () => table.store,
    images: { keep },
    clock: () => new Date(table.now()),
    tempDir: folder,
  })
  const counted = () => entities.map(({ table: name }) => table.store.get(`SELECT count(*) AS n FROM ${name}`)?.n)
  return { table, folder, file, imports, counted, userId: table.userId('ellen') }
}

test('whoever goes away while rows come in leaves none', async () => {
  const { file, imports, counted, userId, folder, table } = await place()
  const before = counted()
  for (const after of [1, 5, 20]) {
    const gone = new AbortController()
    let reports = 0
    const onProgress = () => {
      reports += 1
      if (reports === after) gone.abort()
    }
    await expect(imports.stage({ file, userId }, { signal: gone.signal, onProgress })).rejects.toMatchObject({
      code: 'cancelled',
    })
    expect(counted()).toEqual(before)
  }
  expect(
    table.store.get('SELECT count(*) AS n FROM search_documents WHERE campaign_id <> @id', { id: table.campaignId })?.n,
  ).toBe(0)
  expect(readdirSync(folder)).not.toContainEqual(expect.stringContaining('talekeeper-upload'))
})

test('what a server that was killed had not finished is taken back at the next start, and what stands stays', async () => {
  const { file, imports, counted, userId, table } = await place()
  const before = counted()
  // As a killed process leaves it: staged, and nobody a member.
  const { campaignId } = await imports.stage({ file, userId }, { signal: new AbortController().signal })
  expect(unfinishedArrivals(table.store)).toEqual([campaignId])
  expect((await table.call('ellen', 'list_campaigns')).items).toHaveLength(1)
  expect(await table.refusal('ellen', 'get_campaign', { campaignId })).toMatchObject({ code: 'not_found' })
  const { imports: next } = await again(table)
  await next.sweep()
  expect([unfinishedArrivals(table.store), counted()]).toEqual([[], before])
  expect(table.store.all('PRAGMA foreign_key_check')).toEqual([])
})

/** The services of another process on the same database. */
async function again(table: Awaited<ReturnType<typeof makeTable>>) {
  const keep = () => Promise.reject(new Error('no picture is kept here'))
  return travelOn({ store: () => table.store, images: { keep }, clock: () => new Date(table.now()), tempDir: tmpdir() })
}
