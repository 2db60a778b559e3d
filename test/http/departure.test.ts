import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { entities, operations } from '../../src/catalogue.ts'
import { campaign } from '../../src/domain/campaign/entity.ts'
import { npc } from '../../src/domain/npc/entity.ts'
import { type AnyOperation, defineOperation } from '../../src/kernel/operation.ts'
import type { TestServer } from '../support/server.ts'
import type { TestWorld } from '../support/world.ts'
import { startWorld } from '../support/world-file.ts'

// Whoever goes away while something is got ready for them is not waited for: what was asked outside ends, and nothing is
// written.

let server: TestServer
let world: TestWorld
let base: string
/** Resolves with the signal of the call that has begun. */
let begun: PromiseWithResolvers<AbortSignal>

const waiting = defineOperation({
  name: 'wait_for_answer',
  title: 'Wait',
  description: 'For tests.',
  toolset: 'world',
  access: 'player',
  effect: 'write',
  route: 'POST /campaigns/{campaignId}/test-waits',
  input: z.strictObject({ campaignId: campaign.id }),
  output: z.object({ id: z.int() }),
  example: () => ({ campaignId: 1 }),
  async prepare({ signal }) {
    begun.resolve(signal)
    await new Promise((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
    })
  },
  handle: (context) => ({ id: context.write(npc).insert({ name: 'The one who came late' }) }),
}) as unknown as AnyOperation

beforeAll(async () => {
  world = await startWorld({ catalogue: { entities, operations: new Map([...operations, [waiting.name, waiting]]) } })
  server = world.server
  base = await server.app.listen()
})
afterAll(() => server.stop())

/** Sends a request, waits until it is being got ready, and goes away. Resolves once that was noticed. */
async function leave(path: string, body: object): Promise<void> {
  begun = Promise.withResolvers()
  const { host: _, ...headers } = world.callers.player.headers
  const token = world.token('player').headers.authorization as string
  const sent = request(new URL(path, base), {
    method: 'POST',
    headers: {
      ...headers,
      authorization: token,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
  })
  sent.on('error', () => {})
  sent.end(JSON.stringify(body))
  const signal = await begun.promise
  const aborted = new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
  expect(signal.aborted).toBe(false)
  sent.destroy()
  await aborted
}

const latecomers = () =>
  server.app.store().get("SELECT count(*) AS n FROM npcs WHERE name = 'The one who came late'")?.n

describe('a caller who goes away', () => {
  test('over REST ends what was got ready', async () => {
    await leave(`/api/v1/campaigns/${world.id('campaign')}/test-waits`, {})
    expect(latecomers()).toBe(0)
  })

  test('over MCP ends what was got ready', async () => {
    const params = { name: 'wait_for_answer', arguments: { campaignId: world.id('campaign') } }
    await leave('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params })
    expect(latecomers()).toBe(0)
  })
})

test('a server that stops ends it too', async () => {
  begun = Promise.withResolvers()
  const call = world.as('player', 'wait_for_answer', { campaignId: world.id('campaign') })
  const refused = expect(call).rejects.toMatchObject({ code: 'unavailable' })
  await begun.promise
  await server.app.stop()
  await refused
})
