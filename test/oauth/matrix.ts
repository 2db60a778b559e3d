import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  allowOnce,
  type Fields,
  openPlace,
  type Place,
  password,
  type RegisteredClient,
  type Reply,
  registerClient,
} from './support.ts'

// Requests that are broken in one way each: every parameter missing, empty, doubled, wrong, somebody else's, expired or
// used before, at every endpoint. None may be answered with 500, lead anywhere that was not registered, open anything,
// or leave a secret in the log.

export interface Matrix {
  readonly place: Place
  readonly client: RegisteredClient
  readonly stranger: RegisteredClient
  readonly confidential: RegisteredClient
  /** Told of everything that the log must not hold. */
  readonly secrets: Set<string>
}

/** A part of the matrix: a server with three clients, and a look at its log when all is done. */
export function openMatrix(leastCases: number) {
  const secrets = new Set<string>([password])
  let cases = 0
  let opened: Matrix | undefined
  const matrix = (): Matrix => {
    if (opened === undefined) throw new Error('the server does not run yet')
    return opened
  }

  beforeAll(async () => {
    const place = await openPlace()
    const client = await registerClient(place)
    allowOnce(place, client.client_id)
    const stranger = await registerClient(place, { redirect_uris: ['https://stranger.example/cb'] })
    const confidential = await registerClient(place, { token_endpoint_auth_method: 'client_secret_basic' })
    secrets.add(confidential.client_secret ?? '')
    opened = { place, client, stranger, confidential, secrets }
  })

  afterAll(async () => {
    const { server } = matrix().place
    await server.stop()
    const log = server.logs()
    for (const secret of secrets) expect(log).not.toContain(secret)
    expect(log).not.toMatch(/tk[a-z]{1,2}l?_[A-Za-z0-9_-]{20}/)
    expect(log).not.toContain('"level":50')
    console.info(`${cases} broken requests, ${secrets.size} secrets looked for in ${log.length} characters of log`)
    expect(cases).toBeGreaterThanOrEqual(leastCases)
  })

  /** One request after another, each of which must be refused in the way that is named. */
  function table<T>(
    title: string,
    rows: readonly (readonly [name: string, what: T, expected: string])[],
    run: (what: T, matrix: Matrix) => Promise<string>,
  ): void {
    describe(title, () => {
      it.each(rows)('%s', async (_, what, expected) => {
        cases += 1
        expect(await run(what, matrix())).toBe(expected)
      })
    })
  }

  return { matrix, table }
}

export const at = (base: Fields, changes: Fields): Fields => ({ ...base, ...changes })
export const twice = (value: string): readonly string[] => [value, value]
/** Longer than any value is meant to be. */
export const long = 'x'.repeat(5000)

/** Fills in the ids of clients that a row can only name. */
export function named({ client, stranger, confidential }: Matrix, fields: Fields): Fields {
  const ids = new Map([
    ['CLIENT', client.client_id],
    ['STRANGER', stranger.client_id],
    ['CONFIDENTIAL', confidential.client_id],
  ])
  const one = (value: string): string => ids.get(value) ?? value
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => {
      return [name, value === undefined ? value : typeof value === 'string' ? one(value) : value.map(one)]
    }),
  )
}

/** `error` of a JSON refusal with its status; the rules of every answer of these endpoints are held here. */
export function jsonOutcome({ status, headers, body, text }: Reply): string {
  expect(status, text).toBeLessThan(500)
  expect(headers.location).toBeUndefined()
  expect(headers['cache-control']).toBe('no-store')
  expect(headers['access-control-allow-origin']).toBe('*')
  expect(headers['content-type']).toBe('application/json; charset=utf-8')
  if (status < 400) return String(status)
  expect(Object.keys(body)).toEqual(['error', 'error_description'])
  expect(body.error_description).toMatch(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/)
  return `${status} ${body.error}`
}

/** `page` and status, `client` and error, or `choice` where the request was taken. */
export function pageOutcome({ status, headers, text }: Reply, registered: readonly string[]): string {
  expect(status, text).toBeLessThan(500)
  expect(headers['cache-control']).toBe('no-store')
  expect(headers['x-frame-options']).toBe('DENY')
  const { location } = headers
  if (location === undefined) {
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'")
    return status === 200 ? 'choice' : `page ${status}`
  }
  if (location.startsWith('/oauth/authorize?continue=')) return 'again'
  const url = new URL(location)
  expect(registered).toContain(url.origin === 'null' ? url.href.split('?')[0] : url.origin + url.pathname)
  expect(url.searchParams.get('iss')).toBe('http://localhost:8020')
  expect(status).toBe(303)
  return url.searchParams.has('code') ? 'client code' : `client ${url.searchParams.get('error')}`
}

export function setDisabled({ server, userId }: Place, user: 'marta', disabled: boolean): void {
  const disabledAt = disabled ? '2026-11-21T00:00:00.000Z' : null
  server.app.store().run('UPDATE users SET disabled_at = @disabledAt WHERE id = @id', { disabledAt, id: userId[user] })
}
