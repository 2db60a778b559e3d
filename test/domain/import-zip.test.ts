import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import sharp from 'sharp'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { entities } from '../../src/catalogue.ts'
import type { ImportReport } from '../../src/domain/campaign/arrival.ts'
import { createFiles } from '../../src/storage/files.ts'
import { createImages } from '../../src/storage/images.ts'
import type { Imports } from '../../src/transfer/imports.ts'
import { type RawEntry, rawZip } from '../archive/raw-zip.ts'
import { filledDocument } from '../support/filled-document.ts'
import { long, walkLimitMs } from '../support/long.ts'
import { seededRandom } from '../support/random.ts'
import { travelOn } from '../support/travel.ts'
import { makeTable, type Table } from './support.ts'

// A zip of a campaign in which bytes were changed, or that was made to do harm: refused with a reason, or in as a whole.

let table: Table
let folder: string
let imports: Imports
let good: Record<string, Buffer>
beforeEach(async () => {
  table = await makeTable()
  folder = mkdtempSync(path.join(tmpdir(), 'import-zip-'))
  const images = createImages(createFiles(), {
    uploads: path.join(folder, 'uploads'),
    cache: path.join(folder, 'cache'),
  })
  ;({ imports } = travelOn({ store: () => table.store, images, clock: () => new Date(table.now()), tempDir: folder }))
  const document = filledDocument(entities)
  good = {}
  for (const [index, row] of (document.rows.attachment ?? []).entries()) {
    row.file = `pictures/${index}.png`
    const create = { width: 20, height: 12, channels: 3, background: { r: index * 40, g: 90, b: 20 } } as const
    good[row.file as string] = await sharp({ create }).png().toBuffer()
  }
  good['campaign.json'] = Buffer.from(JSON.stringify(document))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const entriesOf = (files: Readonly<Record<string, Buffer>>): RawEntry[] =>
  Object.entries(files).map(([name, content]) => ({ name, content, flags: 0x800, deflate: name.endsWith('.json') }))

function counted(): unknown {
  const tables = [...entities.map((entity) => entity.table), 'search_documents', 'mentions']
  const rows = tables.map((name) => table.store.get(`SELECT count(*) AS n FROM ${name}`)?.n)
  return [rows, readdirSync(folder).filter((name) => name.startsWith('talekeeper-upload'))]
}

/** What becomes of a file: the code of its refusal, or `in`. Nothing of it stays. */
async function outcomeOf(zip: Buffer, what: string): Promise<string> {
  const file = path.join(folder, 'given.zip')
  writeFileSync(file, zip)
  const before = counted()
  const options = { signal: new AbortController().signal }
  const made = await imports.stage({ file, userId: table.userId('ellen') }, options).catch((error: unknown) => error)
  if (made instanceof Error) {
    const { code, message } = made as Error & { readonly code?: string }
    expect(code, `${what}: ${made}`).toMatch(/^(validation_failed|too_large)$/)
    expect(message.length, what).toBeGreaterThan(15)
    expect(counted(), what).toEqual(before)
    return String(code)
  }
  const { campaignId, ...staged } = made as Awaited<ReturnType<Imports['stage']>>
  const report = staged.report as ImportReport
  const found = report.kinds.map(({ entityType, count }) => {
    const name = entities.find((each) => each.name === entityType)?.table
    const row = table.store.get(`SELECT count(*) AS n FROM ${name} WHERE campaign_id = @campaignId`, { campaignId })
    return [entityType, row?.n, count]
  })
  expect(
    found.filter(([, rows, count]) => rows !== count),
    what,
  ).toEqual([])
  await imports.takeBack(campaignId)
  expect(counted(), what).toEqual(before)
  return 'in'
}

const rounds = long ? 2000 : 80
test(`bytes that were changed, ${rounds} times`, { timeout: walkLimitMs }, async () => {
  const random = seededRandom(20261123)
  const whole = rawZip({ entries: entriesOf(good) })
  expect(await outcomeOf(whole, 'the good one')).toBe('in')
  const outcomes: Record<string, number> = {}
  for (let round = 0; round < rounds; round += 1) {
    let bytes: Buffer = Buffer.from(whole)
    const kind = random.integer(0, 5)
    if (kind === 0) bytes = bytes.subarray(0, random.integer(0, bytes.length))
    else if (kind === 1) {
      // A piece of it once more, or gone.
      const [from, length] = [random.integer(0, bytes.length - 1), random.integer(1, 400)]
      const piece = bytes.subarray(from, from + length)
      bytes = Buffer.concat([
        bytes.subarray(0, from),
        ...(random.integer(0, 1) === 0 ? [piece, piece] : []),
        bytes.subarray(from + length),
      ])
    } else if (kind === 2) {
      // The words changed, and packed again as they should be.
      const text = Buffer.from(good['campaign.json'] ?? '')
      for (let times = random.integer(1, 4); times > 0; times -= 1)
        text.writeUInt8(random.integer(1, 255), random.integer(0, text.length - 1))
      bytes = rawZip({ entries: entriesOf({ ...good, 'campaign.json': text }) })
    } else {
      // Half of them among what says where everything is.
      const from = kind === 3 ? 0 : bytes.length - 500
      for (let times = random.integer(1, 3); times > 0; times -= 1)
        bytes.writeUInt8(random.integer(0, 255), random.integer(from, bytes.length - 1))
    }
    const outcome = await outcomeOf(bytes, `round ${round}, kind ${kind}`)
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
  }
  expect(Object.keys(outcomes)).toContain('validation_failed')
  expect(table.store.get('SELECT count(*) AS n FROM campaigns WHERE importing = 1')?.n).toBe(0)
  expect(table.store.all('PRAGMA foreign_key_check')).toEqual([])
})

describe('a zip that was made to do harm', () => {
  const small = Buffer.from(
    JSON.stringify({ format: 'talekeeper-campaign', version: 1, campaign: { name: 'A' }, rows: {} }),
  )
  const named = (name: string, more: Partial<RawEntry> = {}): RawEntry => ({
    name,
    content: Buffer.from('x'),
    flags: 0x800,
    ...more,
  })
  const cases: Readonly<Record<string, () => Buffer>> = {
    'a document that unpacks to more than it may be': () =>
      rawZip({
        entries: [
          { name: 'campaign.json', content: Buffer.alloc(257 * 1024 * 1024, 0x20), deflate: true, flags: 0x800 },
        ],
      }),
    'a document that unpacks to more than it says': () =>
      rawZip({
        entries: [
          { name: 'campaign.json', content: Buffer.alloc(4_000_000, 0x20), deflate: true, bytes: 100, flags: 0x800 },
        ],
      }),
    'two entries of one name': () =>
      rawZip({ entries: [...entriesOf({ 'campaign.json': small }), named('campaign.json')] }),
    'two names that differ in case alone': () =>
      rawZip({ entries: [...entriesOf({ 'campaign.json': small }), named('Campaign.json')] }),
    'entries that share their bytes': () =>
      rawZip({
        entries: [...entriesOf({ 'campaign.json': small }), named('b.png', { directoryOnly: true, offset: 0 })],
      }),
    'a link': () =>
      rawZip({
        entries: [
          ...entriesOf({ 'campaign.json': small }),
          named('a', { attributes: 0o120777 * 0x10000, madeBy: (3 << 8) | 20 }),
        ],
      }),
    'a name from the top of the disk': () =>
      rawZip({ entries: [...entriesOf({ 'campaign.json': small }), named('/etc/passwd')] }),
    'a name of Windows': () => rawZip({ entries: [...entriesOf({ 'campaign.json': small }), named('C:\\a')] }),
    'more entries than it says': () =>
      rawZip({ entries: [...entriesOf({ 'campaign.json': small }), named('b')], count: 1 }),
    'a password': () =>
      rawZip({ entries: [{ ...(entriesOf({ 'campaign.json': small })[0] as RawEntry), flags: 0x801 }] }),
    'a zip in a zip': () =>
      rawZip({ entries: entriesOf({ 'campaign.zip': rawZip({ entries: entriesOf({ 'campaign.json': small }) }) }) }),
  }
  test.each(Object.entries(cases))('%s is refused in words', async (name, make) => {
    expect(await outcomeOf(make(), name)).toMatch(/^(validation_failed|too_large)$/)
    expect(readdirSync(folder)).toEqual(['given.zip'])
  })
})
