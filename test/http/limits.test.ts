import net from 'node:net'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { formType, multipart, pngFile } from '../support/matrix.ts'
import { shareWorld } from '../support/shared-world.ts'

// What is too much is refused with the error object (SPEC 2.6), before it costs anything.

const shared = shareWorld()
const { alone } = shared
const json = { 'content-type': 'application/json' }
const MiB = 1024 * 1024
const tooLarge = { error: { status: 413, code: 'too_large', message: expect.any(String) } }

describe('bodies', () => {
  test('of more than 1 MiB over REST and 8 MiB on /mcp are 413; /mcp asks who calls first', async () => {
    const { world } = shared
    const { dm, oauth, anonymous } = world.callers
    const path = `/api/v1/campaigns/${world.id('campaign')}/notes`
    const rest = await dm.request('POST', path, `{"body":"${'x'.repeat(MiB)}"}`, json)
    const mcp = await oauth.request('POST', '/mcp', `{"x":"${'x'.repeat(8 * MiB)}"}`, json)
    for (const { status, body } of [rest, mcp]) expect([status, body]).toEqual([413, tooLarge])
    expect((await anonymous.request('POST', '/mcp', `{"x":"${'x'.repeat(8 * MiB)}"}`, json)).status).toBe(401)
  })

  test(
    'of the most that is accepted are taken',
    alone(async (world) => {
      const path = `/api/v1/campaigns/${world.id('campaign')}/notes`
      const body = { body: 'ü'.repeat(50_000) }
      const { status, body: note } = await world.callers.dm.post(path, body)
      expect([status, note.body]).toEqual([201, body.body])
      expect((await world.callers.dm.post(path, { body: `${body.body}x` })).status).toBe(400)
    }),
  )
})

describe('pictures', () => {
  const upload = (bytes: Uint8Array, fields: Readonly<Record<string, string>> = {}, fieldName = 'file') => {
    const { world } = shared
    const form = multipart({ fields, file: { name: 'a.png', bytes } })
    const renamed = Buffer.from(form.toString('latin1').replace('name="file"', `name="${fieldName}"`), 'latin1')
    const path = `/api/v1/campaigns/${world.id('campaign')}/attachments`
    return world.callers.player.request('POST', path, renamed, { 'content-type': formType })
  }

  test('of more than 32 MiB are 413', async () => {
    const { status, body } = await upload(new Uint8Array(32 * MiB + 1))
    expect([status, body]).toEqual([413, tooLarge])
  })

  test('of more than 5 MiB as base64 are 413, and what is no base64 is 400', async () => {
    const { player } = shared.world.callers
    const input = { campaignId: shared.world.id('campaign'), fileName: 'a.png' }
    const large = await player.tool('create_attachment', { ...input, contentBase64: 'A'.repeat(7 * MiB) })
    expect(large.content).toEqual(tooLarge)
    const other = await player.tool('create_attachment', { ...input, contentBase64: 'data:image/png;base64,AAAA' })
    expect(other.content.error.code).toBe('validation_failed')
  })

  test('that are none, or come in another field, are 400', async () => {
    for (const answer of [
      await upload(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')),
      await upload(Buffer.from('GIF89a')),
      await upload(new Uint8Array(0)),
      await upload(pngFile.bytes.subarray(0, 20)),
      await upload(pngFile.bytes, {}, 'picture'),
      await upload(pngFile.bytes, { kind: 'hologram' }),
      await upload(pngFile.bytes, { colour: 'red' }),
    ]) {
      expect([answer.status, answer.body.error.code]).toEqual([400, 'validation_failed'])
    }
    expect(shared.world.server.app.store().get("SELECT 1 FROM attachments WHERE file_name = 'a.png'")).toBeUndefined()
  })

  test('leave nothing in the temporary folder, accepted or refused', async () => {
    const { readdirSync } = await import('node:fs')
    const { tmpdir } = await import('node:os')
    const before = readdirSync(tmpdir()).filter((name) => name.startsWith('upload-'))
    await alone(async () => void (await upload(pngFile.bytes)))()
    await upload(new Uint8Array(100))
    expect(readdirSync(tmpdir()).filter((name) => name.startsWith('upload-') && !before.includes(name))).toEqual([])
  })
})

describe('headers', () => {
  test('a reason of at most 500 characters is kept, in UTF-8; a longer one is 400', async () =>
    alone(async (world) => {
      const { dm } = world.callers
      const path = `/api/v1/npcs/${world.id('npc')}`
      const sent = (reason: string) => ({ 'x-reason': Buffer.from(reason).toString('latin1') })
      expect((await dm.request('PATCH', path, { voice: 'Loud.' }, sent('Würfelpech'))).status).toBe(200)
      const audit = (await dm.get(`/api/v1/campaigns/${world.id('campaign')}/audit?limit=1`)).body
      expect(audit.items[0].reason).toBe('Würfelpech')
      expect((await dm.request('PATCH', path, { voice: 'Low.' }, sent('x'.repeat(501)))).status).toBe(400)
    })())

  test('an overlong part of an address is 404 and no failure of the server', async () => {
    const { status, body } = await shared.world.callers.dm.get(`/api/v1/npcs/${'9'.repeat(2000)}`)
    expect([status, body.error.code]).toEqual([404, 'not_found'])
  })

  test('what is no HTTP, and a head that is too large, get the error object on the wire', async () => {
    const address = new URL(await shared.world.server.app.server.listen({ host: '127.0.0.1', port: 0 }))
    for (const [request, line, code] of [
      ['GET / HTTP/9.9\r\n\r\n', 'HTTP/1.1 400 Bad Request', 'validation_failed'],
      [
        `GET / HTTP/1.1\r\nhost: localhost\r\nx: ${'y'.repeat(40_000)}\r\n\r\n`,
        'HTTP/1.1 413 Content Too Large',
        'too_large',
      ],
    ] as const) {
      const answer = await send(Number(address.port), request)
      expect(answer.split('\r\n')[0]).toBe(line)
      expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n'))).error.code).toBe(code)
    }
  })
})

describe('rates', () => {
  test('wrong passwords for one name are 429 after ten, and say when to come again', async () => {
    const { anonymous } = shared.world.callers
    const attempt = () => anonymous.post('/api/v1/auth/login', { username: 'viewer', password: 'not the password' })
    for (let n = 0; n < 10; n += 1) expect((await attempt()).status).toBe(401)
    const { status, headers, body } = await attempt()
    expect([status, body.error.code]).toEqual([429, 'rate_limited'])
    expect(Number(headers['retry-after'])).toBeGreaterThan(0)
  })

  test('one credential makes 1,200 calls to /mcp in a minute; others go on', async () => {
    const { world } = shared
    // The minute is one of the computer's clock, and a slow machine needs more for as many calls.
    vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const busy = world.token('player')
    const ping = { jsonrpc: '2.0', method: 'notifications/initialized' }
    const call = () => busy.request('POST', '/mcp', ping, { accept: 'application/json, text/event-stream' })
    for (let n = 0; n < 1200; n += 1) await call()
    const { status, headers, body } = await call()
    expect([status, body.error.code]).toEqual([429, 'rate_limited'])
    expect(Number(headers['retry-after'])).toBeGreaterThan(0)
    expect((await world.token('player').tool('get_me', {})).isError).toBe(false)
  })
})

function send(port: number, request: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = ''
    const socket = net.connect(port, '127.0.0.1', () => socket.write(request))
    socket.setEncoding('utf8')
    socket.on('data', (text) => {
      answer += text
    })
    socket.on('close', () => resolve(answer))
    socket.on('error', reject)
  })
}
