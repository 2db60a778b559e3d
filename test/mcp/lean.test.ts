import { describe, expect, test } from 'vitest'
import { leanAnswer } from '../../src/kernel/lean.ts'
import { shareWorld } from '../support/shared-world.ts'

// What an answer costs a language model, and that nothing of weight is lost with the rest.

const standard = {
  campaignId: 1,
  revision: 3,
  createdAt: '2026-11-01T00:00:00.000Z',
  updatedAt: '2026-11-02T00:00:00.000Z',
}
const done = (output: unknown, changed?: object) => ({ status: 'done', output, ...(changed && { changed }) }) as never

describe('an answer', () => {
  test('of a list has neither nulls nor bookkeeping, and names in place of ids', () => {
    const row = {
      id: 7,
      ...standard,
      name: 'Marta',
      role: null,
      locationId: 2,
      location: { id: 2, title: 'The mill' },
      hidden: false,
      tags: [],
    }
    expect(leanAnswer({ effect: 'read' }, done({ items: [row], nextCursor: null }))).toEqual({
      items: [{ id: 7, name: 'Marta', location: { id: 2, title: 'The mill' }, hidden: false, tags: [] }],
    })
  })

  test('of one thing keeps its revision, which a change has to name', () => {
    const output = {
      id: 7,
      ...standard,
      name: 'Marta',
      quests: [{ id: 1, ...standard, title: 'A cradle', body: null }],
    }
    expect(leanAnswer({ effect: 'read' }, done(output))).toEqual({
      id: 7,
      revision: 3,
      name: 'Marta',
      quests: [{ id: 1, title: 'A cradle' }],
    })
  })

  test('says when somebody wrote what they wrote', () => {
    const note = { id: 1, ...standard, body: 'x', authorUserId: 4, authorUser: { id: 4, title: 'pell' } }
    expect(leanAnswer({ effect: 'read' }, done({ items: [note], nextCursor: 'c' }))).toEqual({
      items: [{ id: 1, createdAt: standard.createdAt, body: 'x', authorUser: { id: 4, title: 'pell' } }],
      nextCursor: 'c',
    })
  })

  test('of a change that is kept in another row says what it tells, and not all of the row that stands for it', () => {
    const output = { id: 7, ...standard, name: 'Wren', ac: 14, hp: 3, events: [{ id: 9, says: 'Hurt.' }] }
    expect(leanAnswer({ effect: 'write', tells: ['hp', 'events'] }, done(output))).toEqual({
      id: 7,
      revision: 3,
      name: 'Wren',
      hp: 3,
      events: [{ id: 9, says: 'Hurt.' }],
    })
  })

  test('of a change says which row, its new revision and what of it changed', () => {
    const output = {
      id: 7,
      ...standard,
      title: 'A cradle',
      status: 'completed',
      body: 'Long. '.repeat(100),
      progress: { done: 1, total: 2 },
    }
    const changed = { isNew: false, fields: ['status', 'body'], title: 'title' }
    expect(leanAnswer({ effect: 'write' }, done(output, changed))).toEqual({
      id: 7,
      revision: 3,
      title: 'A cradle',
      status: 'completed',
      body: expect.stringMatching(/^Long\. .{60,158}…$/),
    })
  })

  test('of a change that answers no row is whole', () => {
    expect(leanAnswer({ effect: 'write' }, done({ questIds: [3, 1] }))).toEqual({ questIds: [3, 1] })
  })
})

describe('over MCP', () => {
  const shared = shareWorld()

  test(
    'a change names what it changed, and a new thing its id, revision and title',
    shared.alone(async ({ callers, id }) => {
      const made = await callers.dm.tool('create_npc', {
        campaignId: id('campaign'),
        name: 'The miller',
        body: 'x'.repeat(900),
      })
      expect(made.content).toEqual({
        id: expect.any(Number),
        revision: 1,
        name: 'The miller',
        disposition: 'neutral',
        status: 'alive',
      })
      const npcId = made.content.id
      const moved = await callers.dm.tool('update_npc', { npcId, locationId: id('location'), voice: 'Low' })
      expect(moved.content).toEqual({
        id: npcId,
        revision: 2,
        name: 'The miller',
        voice: 'Low',
        location: { id: id('location'), title: 'The Pomary' },
      })
      const same = await callers.dm.tool('update_npc', { npcId, voice: 'Low' })
      expect(same.content).toMatchObject({ id: npcId, revision: 2 })
    }),
  )

  test(
    'what the instructions tell of all lists and changes is taken by each, though no schema lists it',
    shared.alone(async ({ callers, id }) => {
      const campaignId = id('campaign')
      const { body } = await callers.dm.mcp('tools/list')
      const schemaOf = (name: string) =>
        body.result.tools.find((tool: { readonly name: string }) => tool.name === name).inputSchema
      for (const [name, ...absent] of [
        ['list_npcs', 'limit', 'view'],
        ['list_map_pins', 'limit', 'view'],
        ['update_npc', 'expectedRevision', 'idempotencyKey'],
        ['next_turn', 'idempotencyKey'],
      ] as const) {
        for (const member of absent) expect(schemaOf(name).properties).not.toHaveProperty(member)
        expect(schemaOf(name)).not.toHaveProperty('additionalProperties')
      }
      for (const [tool, input] of [
        ['list_npcs', { campaignId }],
        ['list_map_pins', { mapId: id('map') }],
      ] as const) {
        const { isError, content } = await callers.dm.tool(tool, { ...input, limit: 1, view: 'full' })
        expect(isError, JSON.stringify(content)).toBe(false)
        expect(content.items).toHaveLength(1)
      }
      const made = { campaignId, name: 'The reed cutter', idempotencyKey: 'once' }
      const first = await callers.dm.tool('create_npc', made)
      const again = await callers.dm.tool('create_npc', made)
      expect(first.content).toMatchObject({ id: expect.any(Number), name: 'The reed cutter' })
      expect(again.content.id).toBe(first.content.id)
      const stale = { npcId: first.content.id, voice: 'Low', expectedRevision: 77 }
      expect((await callers.dm.tool('update_npc', stale)).content.error.code).toBe('stale_revision')
    }),
  )

  test(
    'a call may leave the campaign away where one alone can be meant, but not to part with it',
    shared.alone(async (world) => {
      const campaignId = world.id('campaign')
      const bound = world.token('dm', { campaignId })
      expect((await bound.tool('create_npc', { name: 'The reed cutter' })).content.name).toBe('The reed cutter')
      for (const tool of ['leave_campaign', 'delete_campaign'])
        expect((await bound.tool(tool, {})).content.error.message, tool).toContain('campaignId')
      const { dm } = world.callers
      for (const name of ['One more', 'And one']) await world.as('dm', 'create_campaign', { name })
      const { content } = await dm.tool('list_npcs', {})
      expect(content.error).toMatchObject({ status: 400, message: expect.stringContaining('campaignId') })
      const { viewer } = world.callers
      for (const { id } of (await viewer.tool('list_campaigns', {})).content.items)
        if (id !== campaignId) await world.as('viewer', 'leave_campaign', { campaignId: id })
      expect((await viewer.tool('list_npcs', {})).content.items).toEqual(
        (await viewer.tool('list_npcs', { campaignId })).content.items,
      )
    }),
  )

  test(
    'a page is at most 40 kB, its cursor goes on behind its last row, and none is lost',
    shared.alone(async ({ as, callers, id }) => {
      const campaignId = id('campaign')
      for (let number = 0; number < 60; number++)
        await as('dm', 'create_note', {
          campaignId,
          visibility: 'party',
          body: `${number} ${'word '.repeat(number % 7 === 0 ? 900 : 200)}`,
        })
      const seen: number[] = []
      let cursor: string | undefined
      do {
        const { content } = await callers.dm.tool('list_notes', { campaignId, view: 'full', cursor, limit: 60 })
        expect(JSON.stringify(content).length).toBeLessThanOrEqual(40_000)
        seen.push(...content.items.map((note: { readonly id: number }) => note.id))
        cursor = content.nextCursor
      } while (cursor)
      const whole = await as('dm', 'list_notes', { campaignId, limit: 200 })
      expect(seen).toEqual(whole.items.map((note: { readonly id: number }) => note.id))
    }),
  )
})
