import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { crc32, deflateRawSync } from 'node:zlib'
import exifr from 'exifr'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fromBufferPromise } from 'yauzl'
import type { TestWorld } from '../support/world.ts'
import { startWorld } from '../support/world-file.ts'

// A campaign as a file over HTTP: streams in both directions, pictures with and without what they tell, and zips that are
// not what they say.

let world: TestWorld
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.server.stop())

// biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely
type Answer = any

const cookies = () => world.session('dm').headers
const host = { host: 'localhost' }

async function take(query: string, campaignId = world.id('campaign'), headers: object = cookies()) {
  const url = `/api/v1/campaigns/${campaignId}/export${query}`
  return world.server.app.server.inject({ method: 'GET', url, headers: { ...host, ...headers } })
}

async function bring(body: Buffer | string, type = 'application/json', at = 'import', headers: object = cookies()) {
  const url = `/api/v1/campaigns/${at}`
  const answer = await world.server.app.server.inject({
    method: 'POST',
    url,
    headers: { ...host, 'sec-fetch-site': 'same-origin', ...headers, 'content-type': type },
    payload: body,
  })
  return { status: answer.statusCode, body: JSON.parse(answer.payload) as Answer }
}

function form(file: Buffer, fields: Readonly<Record<string, string>> = {}): readonly [Buffer, string] {
  const edge = 'edge-of-a-part'
  const parts = Object.entries(fields).map(
    ([name, value]) => `--${edge}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  )
  const head = `${parts.join('')}--${edge}\r\ncontent-disposition: form-data; name="file"; filename="a.zip"\r\ncontent-type: application/zip\r\n\r\n`
  return [
    Buffer.concat([Buffer.from(head), file, Buffer.from(`\r\n--${edge}--\r\n`)]),
    `multipart/form-data; boundary=${edge}`,
  ]
}

/** Read by another program's eyes. */
async function entriesOf(zip: Buffer): Promise<ReadonlyMap<string, Buffer>> {
  const archive = await fromBufferPromise(zip)
  const found = new Map<string, Buffer>()
  for await (const entry of archive.eachEntry()) {
    const pieces: Buffer[] = []
    for await (const piece of await archive.openReadStreamPromise(entry)) pieces.push(piece as Buffer)
    found.set(entry.fileName, Buffer.concat(pieces))
  }
  return found
}

/** A zip as another program would pack it. */
function zipped(entries: Readonly<Record<string, Buffer>>): Buffer {
  const pieces: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const [name, bytes] of Object.entries(entries)) {
    const packed = deflateRawSync(bytes)
    const head = Buffer.alloc(30)
    head.writeUInt32LE(0x04034b50, 0)
    head.writeUInt16LE(20, 4)
    head.writeUInt16LE(0x800, 6)
    head.writeUInt16LE(8, 8)
    head.writeUInt32LE(crc32(bytes), 14)
    head.writeUInt32LE(packed.length, 18)
    head.writeUInt32LE(bytes.length, 22)
    head.writeUInt16LE(Buffer.byteLength(name), 26)
    const record = Buffer.alloc(46)
    record.writeUInt32LE(0x02014b50, 0)
    record.writeUInt16LE(20, 6)
    head.copy(record, 8, 6, 30)
    record.writeUInt32LE(offset, 42)
    pieces.push(head, Buffer.from(name), packed)
    directory.push(record, Buffer.from(name))
    offset += 30 + Buffer.byteLength(name) + packed.length
  }
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(Object.keys(entries).length, 8)
  end.writeUInt16LE(Object.keys(entries).length, 10)
  end.writeUInt32LE(
    directory.reduce((sum, { length }) => sum + length, 0),
    12,
  )
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...pieces, ...directory, end])
}

const document = (rows: object = {}): Buffer =>
  Buffer.from(JSON.stringify({ format: 'talekeeper-campaign', version: 1, campaign: { name: 'The Ferry' }, rows }))

const campaigns = () => world.server.app.store().get('SELECT count(*) AS n FROM campaigns')?.n
const leftovers = () => readdirSync(tmpdir()).filter((name) => name.startsWith(`talekeeper-upload-${process.pid}-`))

describe('an export', () => {
  test('is a document with the name of the campaign, and comes home as the body of an import', async () => {
    const answer = await take('')
    expect(answer.statusCode).toBe(200)
    expect(answer.headers['content-disposition']).toContain('the-orchard-in-winter-backup.json')
    expect(answer.headers['cache-control']).toBe('no-store')
    const { format, rows } = JSON.parse(answer.payload)
    expect(format).toBe('talekeeper-campaign')
    expect(rows.npc.length).toBeGreaterThan(1)
    const { status, body } = await bring(answer.payload)
    expect([status, body.myRole, body.report.name]).toEqual([201, 'dm', 'The Orchard in Winter'])
  })

  test('is for the Dungeon Masters of the campaign alone', async () => {
    for (const person of ['player', 'viewer'] as const)
      expect((await take('', undefined, world.session(person).headers)).statusCode).toBe(403)
    expect((await take('', undefined, world.session('outsider').headers)).statusCode).toBe(404)
    expect((await take('', undefined, {})).statusCode).toBe(401)
    expect((await take('/preview', undefined, world.session('player').headers)).statusCode).toBe(403)
  })

  test('with its pictures comes home with them', async () => {
    const zip = (await take('?format=zip')).rawPayload
    const entries = await entriesOf(zip)
    const inside = JSON.parse(entries.get('campaign.json')?.toString() ?? '')
    const named = inside.rows.attachment.map(({ file }: Answer) => file)
    expect(named.length).toBeGreaterThan(0)
    for (const name of named) expect(entries.has(name), name).toBe(true)
    const { status, body } = await bring(...form(zip))
    expect([status, body.report.pictures]).toEqual([201, { found: named.length, missing: 0 }])
    const again = await entriesOf((await take('?format=zip', body.id)).rawPayload)
    const hashes = (of: ReadonlyMap<string, Buffer>) =>
      Array.from(of)
        .flatMap(([name, bytes]) =>
          name.startsWith('pictures/') ? [createHash('sha256').update(bytes).digest('hex')] : [],
        )
        .sort()
    expect(hashes(again)).toEqual(hashes(entries))
    expect(leftovers()).toEqual([])
  })

  test('as pages has a page for each thing, and every link leads to one', async () => {
    const entries = await entriesOf((await take('?format=markdown')).rawPayload)
    const pages = Array.from(entries.keys()).filter((name) => name.endsWith('.md'))
    expect(pages).toContain('Start here.md')
    expect(pages.length).toBeGreaterThan(20)
    const broken = pages.flatMap((name) =>
      Array.from(
        entries
          .get(name)
          ?.toString()
          .matchAll(/\[\[([^\]|]+)(?:\|[^\]]*)?\]\]/g) ?? [],
        ([, target = '']) => target,
      )
        .filter((target) => !entries.has(`${target}.md`) && !entries.has(target))
        .map((target) => `${name}: ${target}`),
    )
    expect(broken).toEqual([])
  })
})

describe('what leaves for others', () => {
  const place = {
    IFD0: { Artist: 'Ellen Marsh', ImageDescription: 'at home' },
    IFD3: { GPSLatitude: '52/1 31/1 0/1', GPSLatitudeRef: 'N' },
  }
  const told = Buffer.from('Ellen Marsh')

  /** A GIF can say something between its head and its first picture. */
  const withComment = (gif: Buffer): Buffer => {
    const table = ((gif[10] as number) & 0x80) === 0 ? 0 : 3 * 2 ** (((gif[10] as number) & 7) + 1)
    const comment = Buffer.concat([Buffer.from([0x21, 0xfe, told.length]), told, Buffer.from([0])])
    return Buffer.concat([gif.subarray(0, 13 + table), comment, gif.subarray(13 + table)])
  }
  /** By a reader that is not the one which cleans; it knows no GIF and no WebP, of which the bytes themselves are looked at. */
  const readByOthers = async (bytes: Buffer, kind: string): Promise<object | undefined> =>
    kind === 'gif' || kind === 'webp'
      ? undefined
      : await exifr.parse(bytes, { tiff: true, xmp: true, iptc: true, gps: true, icc: false, jfif: false, ihdr: false })

  test.each(['jpeg', 'png', 'webp', 'gif', 'avif'] as const)(
    'a %s is without the place and the name that were in it',
    async (kind) => {
      const made = sharp({ create: { width: 40, height: 30, channels: 3, background: '#a0522d' } })
      const plain = await made
        .withExif(place)
        .withXmp('<x:xmpmeta xmlns:x="adobe:ns:meta/">Ellen Marsh</x:xmpmeta>')
        [kind]()
        .toBuffer()
      const bytes = kind === 'gif' ? withComment(plain) : plain
      if (kind !== 'gif' && kind !== 'webp')
        // Of AVIF as it is written here they find the place of it, and not their way in it.
        expect(await readByOthers(bytes, kind), 'they see what it tells').toMatchObject(
          kind === 'avif' ? { errors: expect.anything() } : { Artist: 'Ellen Marsh' },
        )
      expect(bytes.includes(told), 'the picture tells something').toBe(true)
      const headers = { ...cookies(), 'sec-fetch-site': 'same-origin' }
      const { id } = (await world.as('dm', 'create_campaign', { name: `Pictures as ${kind}` })) as Answer
      const [payload, type] = form(bytes, { kind: 'map' })
      const url = `/api/v1/campaigns/${id}/attachments`
      const uploaded = await world.server.app.server.inject({
        method: 'POST',
        url,
        headers: { ...host, ...headers, 'content-type': type },
        payload,
      })
      expect(uploaded.statusCode, uploaded.payload).toBe(201)
      const pictureIn = async (profile: string): Promise<Buffer> => {
        const entries = await entriesOf((await take(`?format=zip&profile=${profile}`, id)).rawPayload)
        return Array.from(entries).find(([name]) => name.startsWith('pictures/'))?.[1] as Buffer
      }
      expect((await pictureIn('backup')).equals(bytes)).toBe(true)
      for (const profile of ['handoff', 'publish']) {
        const picture = await pictureIn(profile)
        expect(picture.includes(told), profile).toBe(false)
        expect(await readByOthers(picture, kind), profile).toBeUndefined()
        const metadata = await sharp(picture).metadata()
        expect([metadata.exif, metadata.xmp, metadata.width]).toEqual([undefined, undefined, 40])
      }
    },
  )
})

test('a picture that cannot be cleaned, or is gone, is left out, and named wherever the export is told of', async () => {
  const { id } = (await world.as('dm', 'create_campaign', { name: 'Two pictures and a half' })) as Answer
  const upload = async (background: string, caption: string, hidden: string): Promise<Answer> => {
    const png = await sharp({ create: { width: 9, height: 9, channels: 3, background } })
      .png()
      .toBuffer()
    const [payload, type] = form(png, { caption, hidden })
    const { payload: answer } = await world.server.app.server.inject({
      method: 'POST',
      url: `/api/v1/campaigns/${id}/attachments`,
      headers: { ...host, ...cookies(), 'sec-fetch-site': 'same-origin', 'content-type': type },
      payload,
    })
    return JSON.parse(answer)
  }
  const fileOf = ({ id: attachmentId }: Answer): string => {
    const row = world.server.app.store().get('SELECT file_key FROM attachments WHERE id = @id', { id: attachmentId })
    return path.join(world.server.dataDir, 'uploads', String(row?.file_key))
  }
  await upload('#102030', 'Good', 'false')
  const odd = await upload('#203040', 'Odd', 'false')
  const gone = await upload('#304050', 'Gone and hidden', 'true')
  writeFileSync(fileOf(odd), '\x89PNG Ellen Marsh')
  rmSync(fileOf(gone))
  const [unclean, missing] = [
    expect.stringContaining('cannot be taken out'),
    expect.stringContaining('not on the server'),
  ]

  const { pictures } = JSON.parse((await take('/preview', id)).payload)
  expect(pictures).toMatchObject({ total: 3, taken: { handoff: 1, publish: 1, backup: 2 } })
  expect(pictures.leftOut).toEqual([
    { attachmentId: odd.id, name: 'Odd', reason: unclean, profiles: ['handoff', 'publish'] },
    { attachmentId: gone.id, name: 'Gone and hidden', reason: missing, profiles: ['handoff', 'backup'] },
  ])
  const leftOut = {
    handoff: [
      { attachmentId: odd.id, name: 'Odd', reason: unclean },
      { attachmentId: gone.id, name: 'Gone and hidden', reason: missing },
    ],
    publish: [{ attachmentId: odd.id, name: 'Odd', reason: unclean }],
    backup: [{ attachmentId: gone.id, name: 'Gone and hidden', reason: missing }],
  }
  for (const [profile, expected] of Object.entries(leftOut)) {
    const zip = await entriesOf((await take(`?format=zip&profile=${profile}`, id)).rawPayload)
    expect(JSON.parse(String(zip.get('campaign.json'))).leftOut, profile).toEqual(expected)
    expect([...zip.values()].some((bytes) => bytes.includes('Ellen Marsh'))).toBe(profile === 'backup')
    const pages = await entriesOf((await take(`?format=markdown&profile=${profile}`, id)).rawPayload)
    for (const { name } of expected) expect(String(pages.get('Start here.md')), profile).toContain(`- ${name}: `)
  }
})

describe('an import', () => {
  test('is looked at first, and changes nothing', async () => {
    const before = campaigns()
    const { status, body } = await bring(...form(document({ npc: [{ id: 1, name: 'Osk' }] })), 'import/inspect')
    expect([status, body.name, body.kinds]).toEqual([200, 'The Ferry', [{ entityType: 'npc', count: 1, leftOut: 0 }]])
    expect(campaigns()).toBe(before)
  })

  test('with a key is made once', async () => {
    const headers = { ...cookies(), 'idempotency-key': 'home-once' }
    const [first, second] = [
      await bring(document(), 'application/json', 'import', headers),
      await bring(document(), 'application/json', 'import', headers),
    ]
    expect([first.status, second.status, second.body.id]).toEqual([201, 201, first.body.id])
    const other = await bring(document({ npc: [{ id: 1, name: 'Osk' }] }), 'application/json', 'import', headers)
    expect(other.body.error.code).toBe('idempotency_conflict')
  })

  const png = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGM4AQAAygDJmcpdfgAAAABJRU5ErkJggg==',
    'base64',
  )
  const row = { attachment: [{ id: 1, fileName: 'a.png', file: 'pictures/1.png' }] }
  const bad: Readonly<Record<string, readonly [file: () => Buffer, says: string]>> = {
    'no JSON': [() => Buffer.from('{"format": "talekeeper-campaign", nonsense'), 'not valid JSON'],
    'JSON that breaks off': [() => document().subarray(0, 40), 'too early'],
    'something behind its end': [() => Buffer.concat([document(), Buffer.from('{}')]), 'behind its end'],
    'bytes that are no UTF-8': [
      () => Buffer.concat([Buffer.from('{"format":"'), Buffer.from([0xff]), Buffer.from('"}')]),
      'not valid JSON',
    ],
    nothing: [() => Buffer.alloc(0), 'too early'],
    'a zip without a document': [() => zipped({ 'notes.txt': Buffer.from('hello') }), 'campaign.json'],
    'a zip that leaves its folder': [
      () => zipped({ 'campaign.json': document(), '../../etc/passwd': Buffer.from('x') }),
      'unsafe name',
    ],
    'a zip that is cut off': [() => zipped({ 'campaign.json': document() }).subarray(0, 120), 'zip'],
    'a zip with a changed byte': [() => changedByte(zipped({ 'campaign.json': document() })), 'campaign.json'],
    'a picture that is none': [
      () => zipped({ 'campaign.json': document(row), 'pictures/1.png': Buffer.from('<svg/>') }),
      'pictures/1.png',
    ],
    'a picture that is too large': [
      () =>
        zipped({
          'campaign.json': document(row),
          'pictures/1.png': Buffer.concat([png, Buffer.alloc(33 * 1024 * 1024)]),
        }),
      'larger than 32 MiB',
    ],
  }
  test.each(Object.entries(bad))('%s is refused in words, and nothing is left', async (_, [file, says]) => {
    const before = campaigns()
    const { status, body } = await bring(...form(file()))
    expect(status, JSON.stringify(body)).toBeGreaterThanOrEqual(400)
    expect(status, JSON.stringify(body)).toBeLessThan(500)
    expect(body.error.message).toContain(says)
    expect([campaigns(), leftovers()]).toEqual([before, []])
  })

  test('of more than it may be is refused', async () => {
    const { status, body } = await bring(Buffer.from('{}'), 'text/plain')
    expect([status, body.error.code]).toEqual([415, 'unsupported_media_type'])
  })

  test('needs somebody who is signed in, and is theirs', async () => {
    expect((await bring(document(), 'application/json', 'import', {})).status).toBe(401)
    const { body } = await bring(document(), 'application/json', 'import', world.session('viewer').headers)
    expect(body.myRole).toBe('dm')
    const members = world.server.app
      .store()
      .all('SELECT user_id, role FROM memberships WHERE campaign_id = @id', { id: body.id })
    expect(members).toEqual([{ user_id: world.userId.viewer, role: 'dm' }])
  })
})

function changedByte(zip: Buffer): Buffer {
  const copy = Buffer.from(zip)
  copy[50] = (copy[50] ?? 0) ^ 0xff
  return copy
}

describe('the command line', () => {
  const run = (command: object): Promise<Answer> => {
    const { campaigns } = world.server.app
    return campaigns.run(campaigns.command.parse(command))
  }

  test('writes a campaign to a file, and brings it in for somebody', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'command-line-'))
    try {
      const wanted = { command: 'export', profile: 'handoff', format: 'zip', file: folder }
      const made = await run({ ...wanted, campaign: 'the orchard in winter' }).catch((error: Error) => error)
      // The tests above brought some more of that name in.
      expect(String(made)).toContain('give a number')
      const { file, bytes } = await run({ ...wanted, campaign: String(world.id('campaign')) })
      expect([path.basename(file), bytes > 1000]).toEqual(['the-orchard-in-winter-handoff.zip', true])
      await expect(run({ ...wanted, campaign: String(world.id('campaign')) })).rejects.toThrow('is there already')
      const before = campaigns()
      const looked = await run({ command: 'import', file, owner: null })
      expect([looked.campaignId, looked.report.name, campaigns()]).toEqual([null, 'The Orchard in Winter', before])
      const { campaignId } = await run({ command: 'import', file, owner: 'viewer' })
      const members = world.server.app
        .store()
        .all('SELECT user_id, role FROM memberships WHERE campaign_id = @campaignId', { campaignId })
      expect(members).toEqual([{ user_id: world.userId.viewer, role: 'dm' }])
      await expect(run({ command: 'import', file, owner: 'nobody' })).rejects.toThrow('no account "nobody"')
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
