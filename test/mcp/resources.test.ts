import { afterEach, describe, expect, it, test } from 'vitest'
import { clients, legacy, modern, post } from './clients.ts'
import { actorWith, type Running, serve, smallWorld } from './small-world.ts'

let server: Running
afterEach(() => server.stop())

const read = async (uri: string) => {
  const { body } = await post(server.url, legacy('resources/read', { uri }))
  return body.error ?? JSON.parse(body.result.contents[0].text)
}

const six = [
  'talekeeper://campaigns',
  'talekeeper://current/summary',
  'talekeeper://current/party',
  'talekeeper://current/recaps',
  'talekeeper://current/charter',
  'talekeeper://current/support-preferences',
]

describe.each(clients)('resources for $name', ({ connect }) => {
  it('are always the same six, with templates for any campaign, and every one can be read', async () => {
    for (const memberships of [{}, { 1: 'dm' }] as const) {
      server = await serve(smallWorld(memberships))
      const client = await connect(server.url)
      expect((await client.listResources()).map(({ uri }) => uri)).toEqual(six)
      expect((await client.listResourceTemplates()).map(({ uriTemplate }) => uriTemplate)).toEqual(
        six.slice(1).map((uri) => uri.replace('current', 'campaigns/{campaignId}')),
      )
      for (const uri of six) expect(await client.readResource(uri), uri).toBeTypeOf('object')
      await client.close()
      await server.stop()
    }
    server = await serve(smallWorld())
  })

  it('that name nothing are a protocol error', async () => {
    server = await serve(smallWorld())
    const client = await connect(server.url)
    await expect(client.readResource('talekeeper://current/dragons')).rejects.toMatchObject({
      code: -32602,
      data: { uri: 'talekeeper://current/dragons', error: { status: 404, code: 'not_found' } },
    })
    await client.close()
  })
})

it('answers with the address that was asked for and its kind', async () => {
  server = await serve(smallWorld())
  const { body, headers } = modern('resources/read', { uri: 'talekeeper://campaigns' })
  const { contents } = (await post(server.url, body, headers)).body.result
  expect(contents).toHaveLength(1)
  expect(contents[0]).toMatchObject({ uri: 'talekeeper://campaigns', mimeType: 'application/json' })
  expect(JSON.parse(contents[0].text).items.map(({ name }: { name: string }) => name)).toEqual([
    'Orchard',
    'Salt Road',
    'Old Tower',
  ])
})

describe('current', () => {
  it('is the campaign that changed last, in whatever it holds; archived ones do not count', async () => {
    server = await serve(smallWorld())
    expect(await read('talekeeper://current/summary')).toMatchObject({ campaignId: 2, campaign: { name: 'Salt Road' } })
  })

  it('is the campaign of the token', async () => {
    server = await serve(smallWorld(), actorWith({ campaignId: 1 }))
    expect(await read('talekeeper://current/summary')).toMatchObject({ campaignId: 1, campaign: { name: 'Orchard' } })
  })

  it('is an archived one where there is no other', async () => {
    server = await serve(smallWorld({ 3: 'viewer' }))
    expect(await read('talekeeper://current/summary')).toMatchObject({ campaignId: 3 })
  })

  test.each([
    ['summary', { campaignId: null, campaign: 'There is none yet.' }],
    ['party', { campaignId: null, items: [] }],
    ['recaps', { campaignId: null, items: [], nextCursor: null }],
    [
      'charter',
      {
        campaignId: null,
        lines: 'not agreed yet',
        veils: 'not agreed yet',
        safetyTools: 'not agreed yet',
        houseRules: 'not agreed yet',
        tone: 'not agreed yet',
      },
    ],
    ['support-preferences', { campaignId: null, items: [], nextCursor: null }],
  ])('%s is empty and no error where there is no campaign', async (view, expected) => {
    server = await serve(smallWorld({}))
    expect(await read(`talekeeper://current/${view}`)).toEqual(expected)
  })
})

describe('a campaign by its id', () => {
  it('shows its recaps', async () => {
    server = await serve(smallWorld())
    expect(await read('talekeeper://campaigns/1/recaps')).toEqual({
      campaignId: 1,
      items: [{ id: 4, recap: 'They found the bell.' }],
      nextCursor: null,
    })
  })

  it('shows only the support preferences that an AI may know', async () => {
    server = await serve(smallWorld())
    expect(await read('talekeeper://campaigns/1/support-preferences')).toMatchObject({
      items: [{ text: 'breaks', aiUseAllowed: true }],
    })
  })

  test.each([
    'talekeeper://campaigns/77/summary',
    'talekeeper://campaigns/0/summary',
    'talekeeper://campaigns/1',
    'talekeeper://campaigns/1/summary/x',
    'talekeeper://Current/summary',
    'https://example.org/',
    '',
  ])('%s is not found', async (uri) => {
    server = await serve(smallWorld())
    expect(await read(uri)).toMatchObject({ code: -32602, data: { uri, error: { code: 'not_found' } } })
  })

  it('that a token does not reach is not found, like one that is not there', async () => {
    server = await serve(smallWorld(), actorWith({ campaignId: 2 }))
    const foreign = await read('talekeeper://campaigns/1/summary')
    const absent = await read('talekeeper://campaigns/9/summary')
    expect(foreign.data.error).toMatchObject({ status: 404, code: 'not_found' })
    expect(JSON.stringify(foreign).replaceAll('campaigns/1/', 'campaigns/9/')).toBe(JSON.stringify(absent))
  })

  it('that the role does not open is forbidden', async () => {
    server = await serve(smallWorld({ 1: 'viewer' }))
    expect(await read('talekeeper://campaigns/1/support-preferences')).toMatchObject({
      code: -32602,
      data: { error: { status: 403, code: 'forbidden' } },
    })
  })
})

describe('an unexpected failure', () => {
  test.each([
    ['a resource', 'resources/read', { uri: 'talekeeper://campaigns' }],
    ['a prompt', 'prompts/get', { name: 'session-prep' }],
  ])('of %s says nothing of what happened, and is logged under the id it names', async (_, method, params) => {
    const world = smallWorld()
    const acquireShared = () => Promise.reject(new Error('the password is hunter2'))
    server = await serve({ ...world, system: { ...world.system, acquireShared } })
    const { text, body } = await post(server.url, legacy(method, params))
    expect(text).not.toContain('hunter2')
    expect(body.error).toMatchObject({ code: -32603, data: { error: { status: 500, code: 'internal_error' } } })
    const [entry] = server.logged.filter(({ level }) => level === 'error')
    expect(body.error.message).toContain(
      (entry?.facts as { requestId?: string } | undefined)?.requestId ?? 'no log entry',
    )
  })
})
