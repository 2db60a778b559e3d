import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import sharp from 'sharp'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { fromBufferPromise } from 'yauzl'
import { entities } from '../../src/catalogue.ts'
import type { Entity } from '../../src/kernel/entity.ts'
import { isProse } from '../../src/kernel/fields.ts'
import { exportFormats, type Profile } from '../../src/kernel/travel.ts'
import { personIn } from '../../src/kernel/viewer.ts'
import { createFiles } from '../../src/storage/files.ts'
import { createImages, type Images } from '../../src/storage/images.ts'
import { createExports } from '../../src/transfer/exports.ts'
import { zipOf } from '../../src/transfer/zip-stream.ts'
import { makeTable, type Table } from '../domain/support.ts'
import { filledDocument } from '../support/filled-document.ts'
import { travelOn } from '../support/travel.ts'

// Every text of every kind of thing, and a picture, tell of a person: what leaves for the world says nothing of them, in no
// byte of the file. What leaves for the next Dungeon Master tells the tale and holds nobody's account.

const person = 'Zebulonia'
const told = {
  name: person,
  address: 'zeb@hollow-inn.example',
  token: 'tkp_ZZ11ZZ22ZZ33ZZ44ZZ55',
  secret: 'CANARY-FOR-THE-DM',
  note: 'CANARY-OF-A-NOTE',
  file: 'CANARY-OF-A-FILE',
  picture: 'CANARY-IN-A-PICTURE',
}

let table: Table
let folder: string
let images: Images
let campaignId: number
beforeEach(async () => {
  table = await makeTable()
  folder = mkdtempSync(path.join(tmpdir(), 'export-canaries-'))
  images = createImages(createFiles(), { uploads: path.join(folder, 'uploads'), cache: path.join(folder, 'cache') })
  const { store } = table
  store.run(
    "INSERT INTO users (username, password_hash, created_at, updated_at) VALUES (@person, 'CANARY-OF-A-PASSWORD', '2026', '2026')",
    { person },
  )
  const { imports } = travelOn({ store: () => store, images, clock: () => new Date(table.now()), tempDir: folder })
  const file = path.join(folder, 'given.zip')
  const pieces: Buffer[] = []
  for await (const piece of zipOf(given(), new Date(table.now()))) pieces.push(Buffer.from(piece))
  writeFileSync(file, Buffer.concat(pieces))
  const made = await imports.stage({ file, userId: table.userId('ellen') }, { signal: new AbortController().signal })
  campaignId = made.campaignId
  store.run('UPDATE campaigns SET importing = 0 WHERE id = @campaignId', { campaignId })
  const userId = Number(store.get('SELECT id FROM users WHERE username = @person', { person })?.id)
  for (const [id, role] of [
    [table.userId('ellen'), 'dm'],
    [userId, 'player'],
  ] as const)
    store.run(
      "INSERT INTO memberships (campaign_id, user_id, role, created_at, updated_at) VALUES (@campaignId, @id, @role, '2026', '2026')",
      { campaignId, id, role },
    )
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** Everything is shown to everybody, as far as there is a word for that, and every text tells. */
async function* given() {
  const document = filledDocument(entities)
  const byName = new Map(entities.map((entity) => [entity.name, entity]))
  const speak = (row: Record<string, unknown>, { name, fields }: Entity): void => {
    for (const [key, field] of Object.entries(fields)) {
      if (key === 'hidden' || key === 'underFog') row[key] = false
      if (key === 'visibility') row[key] = 'party'
      if (key === 'discovery') row[key] = 'explored'
      if (!isProse(field) || typeof row[key] !== 'string') continue
      const words = field.marks.readableBy === 'dm' ? told.secret : `${told.name}, ${told.address}, ${told.token}`
      row[key] = `${row[key]} ${words}`
    }
    if (name === 'attachment') Object.assign(row, { fileName: `${told.file}.png`, caption: `Drawn by ${told.name}` })
  }
  speak(document.campaign, byName.get('campaign') as Entity)
  for (const [name, rows] of Object.entries(document.rows))
    for (const row of rows) speak(row, byName.get(name) as Entity)
  const notes = document.rows.note ?? []
  const [first] = notes
  if (first !== undefined) notes.push({ ...first, id: 99_001, visibility: 'private', body: told.note })
  const exif = { IFD0: { Artist: told.picture } }
  for (const [index, row] of (document.rows.attachment ?? []).entries()) {
    row.file = `pictures/${index}.png`
    const create = { width: 9, height: 9, channels: 3, background: { r: index * 50, g: 9, b: 9 } } as const
    const bytes = await sharp({ create }).withExif(exif).png().toBuffer()
    yield { name: row.file as string, content: { isShared: false, pieces: () => [bytes] } }
  }
  async function* text() {
    yield Buffer.from(JSON.stringify(document))
  }
  yield { name: 'campaign.json', content: text() }
}

/** All names and bytes of an export, as they are and as another program unpacks them; of pictures also what they tell. */
async function everythingIn(profile: Profile, format: (typeof exportFormats)[number]): Promise<string> {
  const store = () => table.store
  const exports = createExports({
    store,
    images,
    files: createFiles(),
    tempDir: folder,
    version: '0.0.0',
    clock: () => new Date(table.now()),
  })
  const viewer = { ...personIn(campaignId, 'dm'), userId: table.userId('ellen') }
  const made = await exports.make({ campaignId, viewer, profile, format }, new AbortController().signal)
  const pieces: Buffer[] = []
  for await (const piece of made.bytes) pieces.push(Buffer.from(piece))
  const whole = Buffer.concat(pieces)
  const found = [made.fileName, whole.toString('latin1')]
  if (format === 'json') return [...found, whole.toString('utf8')].join('\n')
  const zip = await fromBufferPromise(whole)
  for await (const entry of zip.eachEntry()) {
    const inside: Buffer[] = []
    for await (const piece of await zip.openReadStreamPromise(entry)) inside.push(piece as Buffer)
    const bytes = Buffer.concat(inside)
    found.push(entry.fileName, bytes.toString('utf8'), bytes.toString('latin1'))
    if (!entry.fileName.startsWith('pictures/')) continue
    const { exif, xmp, iptc, comments } = await sharp(bytes).metadata()
    found.push(String(exif), String(xmp), String(iptc), JSON.stringify(comments))
  }
  return found.join('\n')
}

const wordsIn = (text: string): readonly string[] =>
  Object.entries(told).flatMap(([what, word]) => (text.toLowerCase().includes(word.toLowerCase()) ? [what] : []))

test('the world reads nothing of a person, no secret and no note', async () => {
  for (const format of exportFormats) {
    const text = await everythingIn('publish', format)
    expect(wordsIn(text), format).toEqual([])
    // The texts themselves are there, with another name.
    expect(text.split('Player 1').length, format).toBeGreaterThan(10)
  }
})

test('the next Dungeon Master gets the tale and no account; whoever keeps all of it has what they read, and no password', async () => {
  for (const format of exportFormats) {
    const handed = await everythingIn('handoff', format)
    expect(wordsIn(handed), format).toContain('secret')
    expect(
      wordsIn(handed).filter((what) => ['note', 'picture'].includes(what)),
      format,
    ).toEqual([])
    expect(handed, format).not.toMatch(/"\w*[uU]serId"/)
    const kept = await everythingIn('backup', format)
    expect(wordsIn(kept), format).toEqual(
      expect.arrayContaining(['name', 'secret', ...(format === 'json' ? [] : ['picture'])]),
    )
    for (const text of [handed, kept]) expect(text, format).not.toContain('CANARY-OF-A-PASSWORD')
  }
})
