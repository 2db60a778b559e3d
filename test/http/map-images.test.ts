import sharp from 'sharp'
import { beforeAll, describe, expect, test } from 'vitest'
import { fogColour } from '../../src/storage/images-of-maps.ts'
import type { Caller } from '../support/callers.ts'
import { shareWorld } from '../support/shared-world.ts'

// What a player gets of a map under fog, pixel by pixel, and what its bytes hold.

const shared = shareWorld()
const [width, height] = [160, 100]

/** What is drawn where players may look, and what where they may not. */
type Paint = (x: number, y: number) => readonly [number, number, number]
/** Noise, so that nothing of it could come about by itself. */
const noise =
  (seed: number): Paint =>
  (x, y) => {
    const at = Math.imul(x * 7919 + y * 104729 + seed, 2654435761) >>> 0
    return [at & 255, (at >>> 8) & 255, (at >>> 16) & 255]
  }
const land: Paint = (x, y) => [120 + Math.round((x / width) * 80), 140, 60 + Math.round((y / height) * 60)]

const words = 'The cellar has a second stair'

async function imageOf(paint: Paint, format: 'png' | 'jpeg' | 'webp' = 'png', orientation = 1): Promise<Buffer> {
  const pixels = Buffer.alloc(3 * width * height)
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) pixels.set(paint(x, y), 3 * (y * width + x))
  return sharp(pixels, { raw: { width, height, channels: 3 } })
    .withExif({ IFD0: { ImageDescription: words, Copyright: words } })
    .withXmp(
      `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description xmlns:dc="http://purl.org/dc/elements/1.1/" dc:title="${words}"/></rdf:RDF></x:xmpmeta>`,
    )
    .withMetadata({ orientation, density: 301 })
    .toFormat(format, format === 'png' ? {} : { quality: 100 })
    .toBuffer()
}

let dm: Caller
let player: Caller
beforeAll(() => {
  dm = shared.world.callers.dm
  player = shared.world.callers.player
})

const open = { x: 0.25, y: 0.2, width: 0.5, height: 0.6 }
const triangle = {
  points: [
    { x: 0.5, y: 0.3 },
    { x: 0.7, y: 0.3 },
    { x: 0.5, y: 0.7 },
  ],
}
/** Whether players see the middle of a pixel. */
function isOpen(x: number, y: number): boolean {
  const [across, down] = [(x + 0.5) / width, (y + 0.5) / height]
  const within = across > 0.25 && across < 0.75 && down > 0.2 && down < 0.8
  const under = across > 0.5 && down > 0.3 && (across - 0.5) / 0.2 + (down - 0.3) / 0.4 < 1
  return within && !under
}
const paintedWith =
  (hidden: Paint): Paint =>
  (x, y) =>
    isOpen(x, y) ? land(x, y) : hidden(x, y)

async function chart(image: Buffer, fogEnabled = true): Promise<number> {
  const campaignId = shared.world.id('campaign')
  const upload = { campaignId, fileName: 'valley.png', contentBase64: image.toString('base64'), hidden: true }
  const { id: attachmentId } = await shared.world.as('dm', 'create_attachment', upload)
  const { id } = await shared.world.as('dm', 'create_map', { campaignId, name: 'The valley', attachmentId, fogEnabled })
  await shared.world.as('dm', 'set_map_fog', { mapId: id, reveal: [open], conceal: [triangle] })
  return id
}

async function bytesOf(
  caller: Caller,
  path: string,
): Promise<{ status: number; type: string; bytes: Buffer; kept: string }> {
  const { server } = shared.world
  const response = await server.app.server.inject({ method: 'GET', url: `/api/v1${path}`, headers: caller.headers })
  const { 'content-type': type, 'cache-control': kept } = response.headers
  return { status: response.statusCode, type: String(type), bytes: response.rawPayload, kept: String(kept) }
}

const pixelsOf = async (bytes: Buffer) => sharp(bytes).removeAlpha().raw().toBuffer({ resolveWithObject: true })

describe('a player’s image of a map under fog', () => {
  test('shows what is uncovered, and of the rest the colour of fog in every pixel', async () => {
    const mapId = await chart(await imageOf(paintedWith(noise(1))))
    const { bytes, type, status } = await bytesOf(player, `/maps/${mapId}/image`)
    expect([status, type]).toEqual([200, 'image/webp'])
    const { data, info } = await pixelsOf(bytes)
    expect([info.width, info.height]).toEqual([width, height])
    const fog = [fogColour.r, fogColour.g, fogColour.b]
    let [seen, dark] = [0, 0]
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; x++) {
        // Next to the edge the format of the file blurs what players see into the fog; nothing under it goes the other way.
        const around = [-9, 0, 9].flatMap((dx) => [-9, 0, 9].map((dy) => isOpen(x + dx, y + dy)))
        const atEdge = new Set(around).size > 1
        if (atEdge) continue
        const expected = isOpen(x, y) ? land(x, y) : fog
        for (let channel = 0; channel < 3; channel++) {
          const off = Math.abs((data[3 * (y * width + x) + channel] ?? -999) - (expected[channel] ?? 0))
          if (off > 10) throw new Error(`pixel ${x} ${y} is off by ${off}`)
        }
        if (isOpen(x, y)) seen++
        else dark++
      }
    }
    expect(seen).toBeGreaterThan(900)
    expect(dark).toBeGreaterThan(4000)
  })

  test('is the same byte for byte, whatever lies under the fog, in every format and size', async () => {
    for (const format of ['png', 'webp'] as const) {
      const files = await Promise.all(
        [noise(2), noise(3), () => [255, 255, 255] as const].map(async (hidden) =>
          // Losslessly, so that what is open is the same in all of them.
          format === 'png'
            ? imageOf(paintedWith(hidden))
            : sharp(await imageOf(paintedWith(hidden)))
                .webp({ lossless: true })
                .toBuffer(),
        ),
      )
      const maps: number[] = []
      for (const file of files) maps.push(await chart(file))
      for (const size of ['full', 'thumb']) {
        const images = await Promise.all(maps.map((id) => bytesOf(player, `/maps/${id}/image?size=${size}`)))
        expect(images.map(({ status }) => status)).toEqual([200, 200, 200])
        expect(new Set(images.map(({ bytes }) => bytes.toString('base64'))).size).toBe(1)
      }
    }
  })

  test('has nothing of the file: no words, no profile, no turning, no second picture', async () => {
    const mapId = await chart(await imageOf(paintedWith(noise(4)), 'jpeg', 6))
    const original = (await bytesOf(dm, `/maps/${mapId}/image?layer=whole`)).bytes
    const { bytes } = await bytesOf(player, `/maps/${mapId}/image`)
    for (const encoding of ['latin1', 'utf16le'] as const) expect(bytes.toString(encoding)).not.toContain(words)
    for (const mark of ['EXIF', 'XMP ', 'ICCP', 'ANIM', 'ANMF']) expect(bytes.includes(mark)).toBe(false)
    // The one chunk of a WebP is as long as the file says: nothing hangs behind it.
    expect(bytes.readUInt32LE(4) + 8).toBe(bytes.length)
    const facts = await sharp(bytes).metadata()
    expect([facts.exif, facts.xmp, facts.icc, facts.orientation, facts.pages]).toEqual(Array.from({ length: 5 }))
    // Turned as the file says it is to be looked at; the shares of its fog are of what is seen.
    expect([facts.width, facts.height]).toEqual([height, width])
    expect((await sharp(original).metadata()).width).toBe(height)
  })

  test('is covered again at once, under another address', async () => {
    const mapId = await chart(await imageOf(paintedWith(noise(5))))
    const before = (await player.get(`/api/v1/maps/${mapId}`)).body
    const first = await bytesOf(player, before.imageUrl.replace('/api/v1', ''))
    expect(first.kept).toContain('immutable')
    await shared.world.as('dm', 'set_map_fog', { mapId, reset: true })
    const after = (await player.get(`/api/v1/maps/${mapId}`)).body
    expect(after.imageVersion).not.toBe(before.imageVersion)
    const dark = await bytesOf(player, after.imageUrl.replace('/api/v1', ''))
    const { data } = await pixelsOf(dark.bytes)
    expect(Math.max(...data)).toBeLessThan(40)
    // The address of the earlier image gives what is to be seen now, and nobody keeps it.
    const stale = await bytesOf(player, before.imageUrl.replace('/api/v1', ''))
    expect([stale.kept, stale.bytes.equals(dark.bytes)]).toEqual(['private, no-store', true])
  })
})

test('what lies under fog is the DMs alone: the whole image, the fog itself, and the file', async () => {
  const mapId = await chart(await imageOf(paintedWith(noise(6))))
  for (const layer of ['whole', 'fog']) {
    for (const name of ['player', 'viewer', 'capped'] as const)
      expect((await bytesOf(shared.world.callers[name], `/maps/${mapId}/image?layer=${layer}`)).status).toBe(403)
    expect((await bytesOf(dm, `/maps/${mapId}/image?layer=${layer}`)).status).toBe(200)
    expect((await bytesOf(shared.world.callers.outsider, `/maps/${mapId}/image?layer=${layer}`)).status).toBe(404)
  }
  const { attachmentId } = (await dm.get(`/api/v1/maps/${mapId}`)).body
  for (const size of ['original', 'medium', 'thumb'])
    expect((await bytesOf(player, `/attachments/${attachmentId}/file?size=${size}`)).status).toBe(404)
  const mask = await sharp((await bytesOf(dm, `/maps/${mapId}/image?layer=fog`)).bytes)
    .ensureAlpha()
    .raw()
    .toBuffer()
  for (const [x, y] of [
    [5, 5],
    [60, 50],
    [90, 45],
    [110, 70],
  ] as const)
    expect(mask[4 * (y * width + x) + 3]).toBe(isOpen(x, y) ? 0 : 255)
})

test('without fog players get the image without what its file says of itself', async () => {
  const mapId = await chart(await imageOf(land), false)
  const { bytes } = await bytesOf(player, `/maps/${mapId}/image`)
  expect(bytes.toString('latin1')).not.toContain(words)
  const { data } = await pixelsOf(bytes)
  expect([...data.subarray(0, 3)]).toEqual([...land(0, 0)])
})

test('a map whose image was thrown away has none', async () => {
  const mapId = await chart(await imageOf(land))
  const { attachmentId } = (await dm.get(`/api/v1/maps/${mapId}`)).body
  await shared.world.as('dm', 'delete_attachment', { attachmentId })
  expect((await bytesOf(player, `/maps/${mapId}/image`)).status).toBe(404)
})
