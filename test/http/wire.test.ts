import net from 'node:net'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import Fastify from 'fastify'
import { afterAll, describe, expect, test } from 'vitest'
import { pageRoutes } from '../../src/http/pages.ts'
import { limitBodyTime } from '../../src/http/slow-senders.ts'
import { shareWorld } from '../support/shared-world.ts'

// What travels, and how: compressed files and answers, bodies that trickle, links that are looked at.

const shared = shareWorld()
const { alone } = shared

const files: Readonly<Record<string, string>> = {
  'web/index.html': '<!doctype html><title>Talekeeper</title>',
  'web/app/main-ABCDEFGH.js': 'plain',
  'web/app/main-ABCDEFGH.js.br': 'brotli',
  'web/app/main-ABCDEFGH.js.gz': 'gzip',
}

describe('a file of the web app', () => {
  const app = Fastify()
  pageRoutes(app, {
    asset: (name) => (files[name] === undefined ? undefined : Buffer.from(files[name])),
    docs: false,
    openApi: () => ({}),
  })
  afterAll(() => app.close())
  const get = (url: string, headers: Readonly<Record<string, string>> = {}) => app.inject({ url, headers })

  test.each([
    ['br, gzip', 'br', 'brotli'],
    ['gzip, deflate', 'gzip', 'gzip'],
    ['br;q=0, gzip', 'gzip', 'gzip'],
    ['identity', undefined, 'plain'],
    ['', undefined, 'plain'],
  ])('comes as the client takes it: accept-encoding "%s"', async (accepted, encoding, body) => {
    const answer = await get('/app/main-ABCDEFGH.js', { 'accept-encoding': accepted })
    expect([answer.headers['content-encoding'], answer.body]).toEqual([encoding, body])
    expect(answer.headers['content-type']).toBe('text/javascript; charset=utf-8')
    expect(answer.headers['cache-control']).toBe('public, max-age=31536000, immutable')
    expect(answer.headers.vary).toBe('accept-encoding')
  })

  test('that can change is asked for again and not sent again', async () => {
    const first = await get('/')
    expect(first.headers['cache-control']).toBe('no-cache')
    const again = await get('/campaigns/1', { 'if-none-match': String(first.headers.etag) })
    expect([again.statusCode, again.body]).toEqual([304, ''])
  })
})

describe('an answer', () => {
  test('of more than a kilobyte of JSON is compressed for who takes it; smaller ones are not', async () => {
    const { dm } = shared.world.callers
    const large = '/api/openapi.json'
    const unpack = { br: brotliDecompressSync, gzip: gunzipSync }
    for (const encoding of ['br', 'gzip'] as const) {
      const answer = await shared.world.server.app.server.inject({
        url: large,
        headers: { host: 'localhost', 'accept-encoding': encoding },
      })
      expect(answer.headers['content-encoding']).toBe(encoding)
      expect(JSON.parse(unpack[encoding](answer.rawPayload).toString()).openapi).toMatch(/^3/)
      expect(answer.headers.vary).toContain('accept-encoding')
    }
    for (const accepted of ['identity', 'br;q=0, gzip;q=0', '*;q=0']) {
      const plain = await shared.world.server.app.server.inject({
        url: large,
        headers: { host: 'localhost', 'accept-encoding': accepted },
      })
      expect([plain.headers['content-encoding'], plain.headers.vary]).toEqual([undefined, 'accept-encoding'])
      expect(plain.json().openapi).toMatch(/^3/)
    }
    const small = await dm.request('GET', '/api/v1/me', undefined, { 'accept-encoding': 'br' })
    expect(small.headers['content-encoding']).toBeUndefined()
  })
})

describe('an address of the interface', () => {
  const ask = (url: string, method: 'GET' | 'HEAD' | 'PUT' = 'GET') => shared.world.callers.dm.request(method, url)

  test('is read as addresses are: with signs in percent, without what stands behind it', async () => {
    const id = shared.world.id('npc')
    for (const url of [`/api/v1/npcs/${id}`, `/api/v1/%6epcs/${id}`, `/api/v1/npcs/${id}?`]) {
      const answer = await ask(url)
      expect([url, answer.status, answer.body.id]).toEqual([url, 200, id])
    }
    const head = await ask(`/api/v1/npcs/${id}`, 'HEAD')
    expect([head.status, head.body ?? '']).toEqual([200, ''])
  })

  test.each([
    '/api/v1/',
    '/api/v1/npcs/',
    '/api/v1/npcs//1',
    '/api/v1/npcs/1/',
    '/api/v1/NPCS/1',
    '/api/v1/nothing',
    `/api/v1/npcs/${'1'.repeat(301)}`,
    '/api/v1/constructor',
  ])('that there is not is 404: %s', async (url) => {
    const answer = await ask(url)
    expect([answer.status, answer.body.error.code]).toEqual([404, 'not_found'])
  })

  test('is refused in another method, and where it is no text', async () => {
    expect((await ask(`/api/v1/npcs/${shared.world.id('npc')}`, 'PUT')).status).toBe(404)
    expect((await ask('/api/v1/npcs/%ff')).status).toBe(400)
  })
})

test(
  'the log has one line for a call over MCP that changes something, and none for one that reads',
  alone(async (world) => {
    const { dm } = world.callers
    const before = world.server.logs().length
    const call = async (name: string, input: object): Promise<void> => {
      const answer = await dm.mcp('tools/call', { name, arguments: input })
      expect(answer.body.result.isError).toBeUndefined()
    }
    const campaignId = world.id('campaign')
    await call('list_npcs', { campaignId })
    await call('create_npc', { campaignId, name: 'Marta Quill' })
    const lines = () =>
      world.server
        .logs()
        .slice(before)
        .split('\n')
        .filter((line) => line.includes('"msg":"request"'))
    await expect.poll(() => lines().length).toBe(1)
    expect(JSON.parse(lines()[0] ?? '')).toMatchObject({ req: { method: 'POST', route: '/mcp', address: '127.0.0.1' } })
  }),
)

test('a body that trickles in is cut off; an upload may take its time', async () => {
  const app = Fastify()
  limitBodyTime(app, 100)
  app.addContentTypeParser('multipart/form-data', (_, payload, done) => {
    payload.resume().once('end', () => done(null, {}))
  })
  app.post('/', async () => ({ ok: true }))
  const { port } = new URL(await app.listen({ host: '127.0.0.1', port: 0 }))
  const trickle = (type: string): Promise<string> =>
    new Promise((resolve) => {
      let answer = ''
      const socket = net.connect(Number(port), '127.0.0.1', () => {
        socket.write(
          `POST / HTTP/1.1\r\nhost: x\r\ncontent-type: ${type}\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{`,
        )
        setTimeout(() => socket.writable && socket.write('}'), 1500)
      })
      socket.on('data', (bytes) => {
        answer += bytes.toString()
      })
      socket.on('error', () => {})
      socket.on('close', () => resolve(answer))
    })
  try {
    const [slow, upload] = await Promise.all([trickle('application/json'), trickle('multipart/form-data; boundary=x')])
    expect(slow).not.toContain('200 OK')
    expect(upload).toContain('200 OK')
  } finally {
    await app.close()
  }
})

test(
  'a link preview does not use up a download link',
  alone(async (world) => {
    const { body } = await world.callers.admin.post('/api/v1/backup/links')
    const ask = (method: 'HEAD' | 'GET') =>
      world.server.app.server.inject({ method, url: body.path, headers: { host: 'localhost' } })
    for (let times = 0; times < 3; times++) expect((await ask('HEAD')).statusCode).toBe(200)
    expect((await ask('GET')).statusCode).toBe(200)
    expect((await ask('GET')).statusCode).toBe(404)
  }),
)

test('an uploaded picture runs nothing, whatever a browser takes it for', async () => {
  const { dm } = shared.world.callers
  const { headers } = await dm.get(`/api/v1/attachments/${shared.world.id('attachment')}/file`)
  expect(headers['content-security-policy']).toMatch(/^sandbox;/)
  expect(headers['x-content-type-options']).toBe('nosniff')
})

test(
  'one credential makes 6,000 calls over REST in a minute; others go on',
  alone(async (world) => {
    const busy = world.token('player')
    for (let n = 0; n < 6000; n += 1) await busy.get('/api/v1/me')
    const { status, headers, body } = await busy.get('/api/v1/me')
    expect([status, body.error.code]).toEqual([429, 'rate_limited'])
    expect(Number(headers['retry-after'])).toBeGreaterThan(0)
    expect((await world.token('player').get('/api/v1/me')).status).toBe(200)
  }),
  120_000,
)
