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

/** One call without a library; the text of its answer, parsed. */
const call = async (name: string, args: object, query = '?mode=compact') => {
  const { body } = await post(`${server.url}${query}`, legacy('tools/call', { name, arguments: args }))
  return body.error ?? { isError: body.result.isError === true, json: JSON.parse(body.result.content[0].text) }
}
const search = async (query: string, address?: string): Promise<readonly string[]> =>
  (await call('search_tools', { query }, address)).json.tools.map(({ name }: { name: string }) => name)

describe.each(clients)('compact mode for $name', ({ connect }) => {
  let client: Connected
  beforeEach(async () => {
    client = await connect(`${server.url}?mode=compact`)
  })
  afterEach(() => client.close())

  it('is three tools, and says so', async () => {
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(['search_tools', 'describe_tools', 'call_tool'])
    expect(client.instructions()).toContain('Compact mode: search_tools finds tools by words')
  })

  it('goes from words to a call', async () => {
    const { json: found } = await client.callTool('search_tools', { query: 'adjust hp' })
    expect(found).toEqual({
      tools: [
        {
          name: 'adjust_hp',
          title: 'Adjust HP',
          description: 'For tests.',
          toolset: 'party',
          input: '{campaignId?: int, delta: int}',
        },
      ],
      found: 1,
    })
    const { json: described } = await client.callTool('describe_tools', { names: ['adjust_hp'] })
    const whole = await connect(server.url)
    const listed = (await whole.listTools()).tools.find(({ name }) => name === 'adjust_hp')
    await whole.close()
    expect(described).toEqual({ tools: [listed] })
    const called = await client.callTool('call_tool', { name: 'adjust_hp', input: { campaignId: 1, delta: -3 } })
    expect(called).toEqual({ isError: false, structured: false, json: { hp: 7 } })
  })

  test.each([
    ['a member too many', 'adjust_hp', { campaignId: 1, delta: 1, colour: 'red' }],
    ['a campaign that is not there', 'get_campaign_summary', { campaignId: 77 }],
    ['a role that is too weak', 'delete_campaign', { campaignId: 2 }],
  ])('answers %s as the tool itself does', async (_, name, input) => {
    const direct = await connect(server.url)
    const expected = await direct.callTool(name, input)
    await direct.close()
    expect(expected.isError).toBe(true)
    expect(await client.callTool('call_tool', { name, input })).toEqual(expected)
  })

  it('says what became a proposal, and takes key and reason beside the arguments', async () => {
    const meta = { 'talekeeper/idempotencyKey': 'key-1', 'talekeeper/reason': 'by request' }
    const rename = { name: 'rename_campaign', input: { campaignId: 1, name: 'A' } }
    await client.callTool('call_tool', rename, meta)
    await client.callTool('call_tool', rename, meta)
    expect(world.writes).toEqual([{ operation: 'rename_campaign', reason: 'by request', key: 'key-1' }])
    const asked = { name: 'rename_campaign', input: { campaignId: 2, name: 'Salt' } }
    expect((await client.callTool('call_tool', asked)).json).toMatchObject({ status: 'proposed' })
  })
})

it('may be asked for by a header, and is offered only when it is asked for', async () => {
  const { body } = await post(server.url, legacy('tools/list'), { 'x-mcp-mode': 'compact' })
  expect(body.result.tools).toHaveLength(3)
  expect(await call('search_tools', { query: 'hp' }, '')).toMatchObject({ code: -32602 })
})

it('knows its three tools by name only, as it lists them', async () => {
  for (const name of ['adjust_hp', 'toString', ''])
    expect(await call(name, {})).toMatchObject({ code: -32602, data: { error: { status: 404, code: 'not_found' } } })
})

describe('searching', () => {
  it('puts the better fit first, in the singular or plural, by toolset too', async () => {
    expect((await search('rename campaigns'))[0]).toBe('rename_campaign')
    expect((await search('session recap')).slice(0, 2).toSorted()).toEqual([
      'draft_session_recap',
      'list_session_recaps',
    ])
    expect(await search('journal')).toEqual([
      'list_session_recaps',
      'list_sessions',
      'draft_session_recap',
      'get_session_prep',
    ])
  })

  it('shows the first of all tools where no word is asked for, and counts the rest', async () => {
    const { json } = await call('search_tools', { query: ' ', limit: 2 })
    expect(json).toMatchObject({ tools: [{ name: 'list_campaigns' }, { name: 'list_recent_changes' }], found: 12 })
  })

  it('says where else to look when nothing fits', async () => {
    const { json } = await call('search_tools', { query: 'zeppelin' })
    expect(json).toMatchObject({ tools: [], found: 0, hint: expect.stringContaining('journal') })
  })

  it('finds nothing that is for the web alone', async () => {
    expect(await search('upload form')).not.toContain('upload_form')
  })
})

describe('narrowing', () => {
  it('holds for all three', async () => {
    const narrow = '?mode=compact&toolsets=party'
    expect(await search('', narrow)).toEqual(['adjust_hp'])
    expect(await call('describe_tools', { names: ['list_campaigns', 'adjust_hp'] }, narrow)).toMatchObject({
      isError: false,
      json: { tools: [{ name: 'adjust_hp' }], unknown: ['list_campaigns'] },
    })
    expect(await call('call_tool', { name: 'list_campaigns', input: {} }, narrow)).toMatchObject({
      isError: true,
      json: { error: { status: 404, code: 'not_found' } },
    })
    expect(await call('call_tool', { name: 'adjust_hp', input: { campaignId: 1, delta: 1 } }, narrow)).toMatchObject({
      isError: false,
      json: { hp: 11 },
    })
  })

  test.each([
    ['the address', '?mode=compact&readonly=1', undefined],
    ['the credential', '?mode=compact', actorWith({ writeMode: 'read' })],
    ['the scope', '?mode=compact', actorWith({ scope: 'viewer' })],
  ])('to reads by %s leaves no way to write', async (_, address, actor) => {
    if (actor) server.as(actor)
    expect(await search('adjust hp', address)).not.toContain('adjust_hp')
    const { isError, json } = await call(
      'call_tool',
      { name: 'adjust_hp', input: { campaignId: 1, delta: 1 } },
      address,
    )
    expect({ isError, status: json.error.status }).toEqual({ isError: true, status: 404 })
    expect(world.writes).toEqual([])
  })

  it('to reads is said in the annotations', async () => {
    const { body } = await post(`${server.url}?mode=compact&readonly=1`, legacy('tools/list'))
    const hints = body.result.tools.map(({ annotations }: { annotations: object }) => annotations)
    const nowhere = { readOnlyHint: true, openWorldHint: false }
    expect(hints).toEqual([nowhere, nowhere, { readOnlyHint: true }])
  })
})

test.each([
  ['search_tools', {}, 'query'],
  ['search_tools', { query: 'x', limit: 51 }, 'limit'],
  ['search_tools', { query: 'x', colour: 'red' }, 'colour'],
  ['describe_tools', { names: [] }, 'names'],
  ['describe_tools', { names: Array.from({ length: 21 }, () => 'adjust_hp') }, 'names'],
  ['call_tool', { input: {} }, 'name'],
  ['call_tool', { name: 'adjust_hp', input: '{}' }, 'input'],
  ['call_tool', { name: 'adjust_hp', arguments: {} }, 'arguments'],
])('%s refuses %j', async (name, args, path) => {
  expect(await call(name, args)).toMatchObject({
    isError: true,
    json: { error: { status: 400, code: 'validation_failed', details: [{ path }] } },
  })
})

test.each([
  ['describe_tools', { names: ['paint_dragon'] }],
  ['call_tool', { name: 'paint_dragon' }],
  ['call_tool', { name: 'call_tool', input: {} }],
])('%s %j names no tool', async (name, args) => {
  expect(await call(name, args)).toMatchObject({
    isError: true,
    json: { error: { status: 404, code: 'not_found', message: expect.stringContaining('search_tools') } },
  })
})
