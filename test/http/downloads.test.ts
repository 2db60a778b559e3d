import { readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { startServer, type TestServer } from '../support/server.ts'
import type { TestWorld } from '../support/world.ts'
import { startWorld } from '../support/world-file.ts'

const minuteMs = 60_000

let server: TestServer
let world: TestWorld

beforeEach(async () => {
  world = await startWorld()
  server = world.server
})
afterEach(async () => {
  vi.useRealTimers()
  await server.stop()
})

/** Archives that were made by this process and are not sent yet. */
function prepared(): readonly string[] {
  return readdirSync(tmpdir())
    .filter((name) => name.startsWith(`talekeeper-archive-${process.pid}-`))
    .flatMap((name) => readdirSync(path.join(tmpdir(), name)))
}

const use = (link: string) => server.app.server.inject({ method: 'GET', url: link, headers: { host: 'localhost' } })

async function link(): Promise<string> {
  const { status, body } = await world.callers.admin.post('/api/v1/backup/links')
  expect(status).toBe(201)
  return body.path
}

describe('a link to a backup', () => {
  test('finds it made, sends it once, and leaves nothing', async () => {
    const path = await link()
    expect(prepared()).toEqual([expect.stringMatching(/^talekeeper-backup-.*\.zip$/)])
    const answer = await use(path)
    expect([answer.statusCode, answer.headers['content-type']]).toEqual([200, 'application/zip'])
    expect(answer.headers['content-disposition']).toMatch(/^attachment; filename="talekeeper-backup-/)
    expect(Number(answer.headers['content-length'])).toBe(answer.rawPayload.length)
    await expect.poll(prepared).toEqual([])
    expect((await use(path)).statusCode).toBe(404)
  })

  test('is void after five minutes, and what it stood for is removed', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const first = await link()
    server.clock.advance(5 * minuteMs)
    vi.advanceTimersByTime(5 * minuteMs)
    vi.useRealTimers()
    await expect.poll(prepared).toEqual([])
    expect((await use(first)).statusCode).toBe(404)
    const second = await link()
    server.clock.advance(5 * minuteMs)
    // Too late by the clock, whatever the timer does.
    expect((await use(second)).statusCode).toBe(404)
    await expect.poll(prepared).toEqual([])
  })

  test('gives way to the next one', async () => {
    const first = await link()
    const second = await link()
    expect(prepared()).toHaveLength(1)
    expect((await use(first)).statusCode).toBe(404)
    expect((await use(second)).statusCode).toBe(200)
  })

  test('says what went wrong where it was asked for', async () => {
    const running = server.app.archive.create()
    const { status, body } = await world.callers.admin.post('/api/v1/backup/links')
    expect([status, body.error.code]).toEqual([409, 'archive_busy'])
    ;(await running).stream.destroy()
  })

  test('ends with the server', async () => {
    await link()
    await server.stop()
    await expect.poll(prepared).toEqual([])
    server = await startServer()
  })
})
