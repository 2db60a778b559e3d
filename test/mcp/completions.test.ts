import { afterEach, describe, expect, it, test } from 'vitest'
import type { Actor } from '../../src/kernel/viewer.ts'
import { legacy, modern, post } from './clients.ts'
import { actorWith, type Running, serve, smallWorld } from './small-world.ts'

let server: Running
afterEach(() => server.stop())

interface Request {
  readonly ref: object
  readonly argument: { readonly name: string; readonly value: string }
  readonly context?: { readonly arguments: Readonly<Record<string, string>> }
}
const recap = { type: 'ref/prompt', name: 'recap-writer' }
const summary = { type: 'ref/resource', uri: 'talekeeper://campaigns/{campaignId}/summary' }

const eras = [
  ['older', (params: Request) => ({ body: legacy('completion/complete', { ...params }), headers: {} })],
  ['present', (params: Request) => modern('completion/complete', { ...params })],
] as const

describe.each(eras)('completion in the %s era', (_, request) => {
  const complete = async (params: Request, actor?: Actor, world = smallWorld()) => {
    server = await serve(world, actor)
    const { body, headers } = request(params)
    const answer = await post(server.url, body, headers)
    return answer.body.error ?? answer.body.result.completion
  }
  const campaign = (value: string, ref: object = recap): Request => ({ ref, argument: { name: 'campaignId', value } })
  const session = (value: string, campaignId?: string): Request => ({
    ref: recap,
    argument: { name: 'sessionId', value },
    ...(campaignId === undefined ? {} : { context: { arguments: { campaignId } } }),
  })

  test.each([
    ['', ['1', '2', '3']],
    ['2', ['2']],
    ['orch', ['1']],
    ['O', ['1', '2', '3']],
    [' salt road ', ['2']],
    ['zeppelin', []],
  ])('offers the campaigns for "%s"', async (value, values) => {
    const expected = { values, total: values.length, hasMore: false }
    expect(await complete(campaign(value))).toEqual(expected)
    await server.stop()
    expect(await complete(campaign(value, summary))).toEqual(expected)
  })

  it('offers the sessions of the chosen campaign, else of the one that changed last', async () => {
    expect((await complete(session('', '1'))).values).toEqual(['31', '30'])
    await server.stop()
    expect((await complete(session('bell', '1'))).values).toEqual(['31'])
    await server.stop()
    expect((await complete(session('session 11', '1'))).values).toEqual(['30'])
    await server.stop()
    expect((await complete(session(''))).values).toEqual(['7'])
  })

  it('offers nobody what they may not see', async () => {
    expect((await complete(campaign(''), actorWith({ campaignId: 2 }))).values).toEqual(['2'])
    await server.stop()
    expect((await complete(campaign(''), undefined, smallWorld({ 3: 'viewer' }))).values).toEqual(['3'])
    await server.stop()
    // No member, a role that is too weak, a toolset that was left closed, and no campaign at all.
    expect((await complete(session('', '1'), undefined, smallWorld({ 2: 'dm' }))).values).toEqual([])
    await server.stop()
    expect((await complete(session('', '1'), undefined, smallWorld({ 1: 'viewer' }))).values).toEqual([])
    await server.stop()
    expect((await complete(session('', '1'), actorWith({ toolsets: ['campaign'] }))).values).toEqual([])
    await server.stop()
    expect((await complete(session(''), undefined, smallWorld({}))).values).toEqual([])
  })

  test.each([
    ['a prompt that is not there', { ref: { type: 'ref/prompt', name: 'dragon-painter' }, name: 'campaignId' }],
    ['an argument that is not there', { ref: recap, name: 'colour' }],
    ['an argument of another prompt', { ref: { type: 'ref/prompt', name: 'session-prep' }, name: 'sessionId' }],
    ['an argument that a template lacks', { ref: summary, name: 'sessionId' }],
    [
      'a resource that is no template',
      { ref: { type: 'ref/resource', uri: 'talekeeper://campaigns' }, name: 'campaignId' },
    ],
  ])('refuses %s', async (_, { ref, name }) => {
    expect(await complete({ ref, argument: { name, value: '' } })).toMatchObject({
      code: -32602,
      data: { error: { status: 404, code: 'not_found' } },
    })
  })

  it('gives a hundred at most, and says that there are more', async () => {
    const world = smallWorld()
    const many = Array.from({ length: 150 }, (_, index) => ({ id: index + 1, name: 'Orchard' }))
    const listing = world.operations.get('list_campaigns')
    if (listing === undefined) throw new Error('list_campaigns')
    const operations = new Map(world.operations).set('list_campaigns', {
      ...listing,
      handle: () => ({ items: many, nextCursor: null }),
    })
    const system = { ...world.system, operations }
    const { values, total, hasMore } = await complete(campaign('orchard'), undefined, { ...world, operations, system })
    expect({ count: values.length, total, hasMore }).toEqual({ count: 100, total: 150, hasMore: true })
  })
})
