import { afterEach, beforeEach, describe, expect, it, test } from 'vitest'
import { type Connected, clients, legacy, post } from './clients.ts'
import { actorWith, type Running, type SmallWorld, serve, smallWorld } from './small-world.ts'

let world: SmallWorld
let server: Running
beforeEach(async () => {
  world = smallWorld()
  server = await serve(world)
})
afterEach(() => server.stop())

describe.each(clients)('a tool call by $name', ({ connect }) => {
  let client: Connected
  beforeEach(async () => {
    client = await connect(server.url)
  })
  afterEach(() => client.close())

  test.each([
    ['a member too many', 'adjust_hp', { campaignId: 1, delta: 1, colour: 'red' }, 400, 'validation_failed'],
    ['a member of another type', 'adjust_hp', { campaignId: '1', delta: 1 }, 400, 'validation_failed'],
    ['a campaign that is not there', 'get_campaign_summary', { campaignId: 77 }, 404, 'not_found'],
    ['a role that is too weak', 'delete_campaign', { campaignId: 2 }, 403, 'forbidden'],
  ])('answers %s with the error object as text', async (_, name, args, status, code) => {
    const { isError, structured, json } = await client.callTool(name, args)
    expect(isError).toBe(true)
    expect(structured).toBe(false)
    expect(Object.keys(json as object)).toEqual(['error'])
    expect(json).toMatchObject({ error: { status, code, message: expect.any(String) } })
  })

  it('names the paths of what is not valid', async () => {
    const { json } = await client.callTool('adjust_hp', { campaignId: 1, delta: 'many' })
    expect(json).toMatchObject({ error: { details: [{ path: 'delta' }] } })
  })

  it('keeps an unexpected failure to itself, and logs it under the id it names', async () => {
    const { isError, json } = await client.callTool('break_something', {})
    expect(isError).toBe(true)
    expect(JSON.stringify(json)).not.toContain('hunter2')
    const [entry] = server.logged.filter(({ level }) => level === 'error')
    const requestId = (entry?.facts as { requestId?: string } | undefined)?.requestId ?? 'no log entry'
    expect(json).toMatchObject({
      error: { status: 500, code: 'internal_error', message: expect.stringContaining(requestId) },
    })
    expect(entry?.facts).toMatchObject({
      tool: 'break_something',
      err: expect.objectContaining({ message: 'the password is hunter2' }),
    })
  })

  test.each(['paint_dragon', 'upload_form', 'toString', ''])(
    'answers the unknown tool "%s" as a protocol error',
    async (name) => {
      await expect(client.callTool(name, {})).rejects.toMatchObject({
        code: -32602,
        data: { error: { status: 404, code: 'not_found' } },
      })
    },
  )

  it('says that a proposal changed nothing yet', async () => {
    expect((await client.callTool('rename_campaign', { campaignId: 1, name: 'Salt' })).json).toEqual({ name: 'Salt' })
    expect((await client.callTool('rename_campaign', { campaignId: 2, name: 'Salt' })).json).toEqual({
      status: 'proposed',
      proposal: { id: 9, title: 'Rename campaign', status: 'pending' },
    })
  })

  it('takes the idempotency key beside the arguments, and the reason', async () => {
    const meta = { 'talekeeper/idempotencyKey': 'key-1', 'talekeeper/reason': ' by request ' }
    await client.callTool('rename_campaign', { campaignId: 1, name: 'A' }, meta)
    await client.callTool('rename_campaign', { campaignId: 1, name: 'A' }, meta)
    expect(world.writes).toEqual([{ operation: 'rename_campaign', reason: 'by request', key: 'key-1' }])
    const { json } = await client.callTool('rename_campaign', { campaignId: 1, name: 'B' }, meta)
    expect(json).toMatchObject({ error: { status: 409, code: 'idempotency_conflict' } })
  })

  it('takes the key among the arguments of every change, where it counts more than one beside them', async () => {
    const args = { campaignId: 1, delta: 2, idempotencyKey: 'key-2' }
    await client.callTool('adjust_hp', args)
    await client.callTool('adjust_hp', args, { 'talekeeper/idempotencyKey': 'another' })
    expect(world.writes.map(({ key }) => key)).toEqual(['key-2'])
    const named = { campaignId: 1, name: 'A', idempotencyKey: 'key-3' }
    await client.callTool('rename_campaign', named)
    await client.callTool('rename_campaign', named)
    expect(world.writes.map(({ key }) => key)).toEqual(['key-2', 'key-3'])
    const { json } = await client.callTool('get_campaign_summary', { campaignId: 1, idempotencyKey: 'key-4' })
    expect(json).toMatchObject({ error: { code: 'validation_failed' } })
  })

  test.each([
    { 'talekeeper/idempotencyKey': 'two words' },
    { 'talekeeper/idempotencyKey': '' },
    { 'talekeeper/idempotencyKey': 'x'.repeat(129) },
    { 'talekeeper/idempotencyKey': 7 },
    { 'talekeeper/reason': 'x'.repeat(501) },
  ])('refuses %j', async (meta) => {
    const { isError, json } = await client.callTool('adjust_hp', { campaignId: 1, delta: 1 }, meta)
    expect(isError).toBe(true)
    expect(json).toMatchObject({ error: { code: 'validation_failed', details: [{ path: Object.keys(meta)[0] }] } })
    expect(world.writes).toEqual([])
  })
})

it('comes through the MCP door as who sent it', async () => {
  server.as(actorWith({ campaignId: 2, scope: 'player' }))
  const call = async (name: string, args: object) =>
    JSON.parse((await post(server.url, legacy('tools/call', { name, arguments: args }))).body.result.content[0].text)
  expect((await call('list_campaigns', {})).items.map(({ id }: { id: number }) => id)).toEqual([2])
  expect(await call('get_campaign_summary', { campaignId: 1 })).toMatchObject({ error: { code: 'not_found' } })
  expect(await call('draft_session_recap', { campaignId: 2 })).toMatchObject({ error: { code: 'forbidden' } })
})
