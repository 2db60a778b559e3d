import type { InjectOptions } from 'fastify'
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import { startServer, type TestServer } from '../support/server.ts'

// How signing in looks from outside: headers, cookies and status codes of a whole server.

const password = 'correct horse'
const own = { host: '127.0.0.1:8020', origin: 'http://127.0.0.1:8020' }
let server: TestServer

const send = (
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path: string,
  headers: Record<string, string>,
  body?: object,
) => {
  const request: InjectOptions = { method, url: `/api/v1${path}`, headers: { host: own.host, ...headers } }
  return server.app.server.inject(body === undefined ? request : { ...request, payload: body })
}

beforeAll(async () => {
  server = await startServer()
  const response = await send('POST', '/auth/setup', own, {
    username: 'Marta',
    password,
    code: server.app.setUpCode() ?? '',
  })
  expect(response.statusCode).toBe(201)
})
afterAll(() => server?.stop())

describe('the session cookie', () => {
  it('is for this server’s pages alone, and not for scripts', async () => {
    const response = await send('POST', '/auth/login', own, { username: 'marta', password })
    expect(response.statusCode).toBe(200)
    expect(response.json()).toEqual({ user: { id: 1, username: 'Marta', admin: true } })
    expect(response.headers['cache-control']).toBe('no-store')
    const [cookie] = response.cookies
    expect(cookie).toMatchObject({
      name: 'talekeeper_session',
      httpOnly: true,
      sameSite: 'Lax',
      path: '/',
      maxAge: 90 * 24 * 3600,
    })
    // Without TLS a Secure cookie would never come back.
    expect(cookie?.secure).toBeUndefined()
    expect(JSON.stringify(response.json())).not.toContain(cookie?.value)
    expect(server.logs()).not.toContain(cookie?.value)
    expect(server.logs()).not.toContain(password)
  })

  it('writes only from our own pages', async () => {
    const login = await send('POST', '/auth/login', own, { username: 'marta', password })
    const cookie = `talekeeper_session=${login.cookies[0]?.value}`
    const mint = (headers: Record<string, string>) =>
      send('POST', '/tokens', { cookie, ...headers }, { tokenName: 'x', scope: 'viewer' })
    expect((await mint(own)).statusCode).toBe(201)
    expect((await mint({ 'sec-fetch-site': 'same-origin' })).statusCode).toBe(201)
    for (const headers of [
      {},
      { origin: 'http://evil.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
    ]) {
      expect((await mint(headers)).statusCode, JSON.stringify(headers)).toBe(403)
    }
    // Reading is not writing.
    expect((await send('GET', '/tokens', { cookie })).statusCode).toBe(200)
  })

  it('does not stand in for a bearer that is bad', async () => {
    const login = await send('POST', '/auth/login', own, { username: 'marta', password })
    const cookie = `talekeeper_session=${login.cookies[0]?.value}`
    const response = await send('GET', '/tokens', { cookie, authorization: 'Bearer tkp_x' })
    expect(response.statusCode).toBe(401)
    expect(response.json()).toMatchObject({ error: { status: 401, code: 'unauthenticated' } })
  })
})

describe('a token without a browser (SPEC 2.5, 5.2)', () => {
  it('needs no bearer, no cookie and no origin, and works as a bearer', async () => {
    const response = await send(
      'POST',
      '/auth/token',
      {},
      { username: 'marta', password, tokenName: 'script', scope: 'dm' },
    )
    expect(response.statusCode).toBe(201)
    expect(response.headers['set-cookie']).toBeUndefined()
    const { token } = response.json() as { token: string }
    const authorization = `Bearer ${token}`
    expect((await send('GET', '/users', { authorization })).statusCode).toBe(200)
    const other = await send('POST', '/users/1/tokens', { authorization }, { tokenName: 'for her', scope: 'player' })
    expect(other.statusCode).toBe(201)
    expect(server.logs()).not.toContain(token)
  })

  it('is refused with the object of every error', async () => {
    const response = await send(
      'POST',
      '/auth/token',
      {},
      { username: 'marta', password: 'x', tokenName: 'a', scope: 'dm' },
    )
    expect(response.statusCode).toBe(401)
    expect(response.json()).toEqual({
      error: { status: 401, code: 'unauthenticated', message: 'The name or the password is wrong.' },
    })
  })
})

describe('signing in from elsewhere', () => {
  test.each([
    ['a program', {}, 200],
    ['one of our pages', own, 200],
    ['a page of another site', { origin: 'https://evil.example' }, 403],
    ['a page without an origin', { origin: 'null' }, 403],
    ['a page of another site, as the browser says', { 'sec-fetch-site': 'cross-site' }, 403],
  ])('%s', async (_, headers, status) => {
    const response = await send('POST', '/auth/login', headers as Record<string, string>, {
      username: 'marta',
      password,
    })
    expect(response.statusCode).toBe(status)
    const names = status === 200 ? ['talekeeper_session', 'talekeeper_device'] : []
    expect(response.cookies.map(({ name }) => name)).toEqual(names)
  })

  it('says when to come again', async () => {
    const attempt = () => send('POST', '/auth/login', own, { username: 'nobody', password })
    for (let count = 0; count < 10; count++) expect((await attempt()).statusCode).toBe(401)
    const response = await attempt()
    expect(response.statusCode).toBe(429)
    expect(Number(response.headers['retry-after'])).toBeGreaterThan(0)
  })

  it('takes no name that is not ours', async () => {
    const response = await send('GET', '/auth/status', { host: 'evil.example' })
    expect(response.statusCode).toBe(421)
  })
})
