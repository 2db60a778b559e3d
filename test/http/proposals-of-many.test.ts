import { describe, expect, test } from 'vitest'
import type { Answer, Caller } from '../support/callers.ts'
import { asRead } from '../support/proposals.ts'
import { shareWorld } from '../support/shared-world.ts'
import type { TestWorld } from '../support/world.ts'

// Many changes that wait as one: rehearsed together, taken all or none, taken back as one.

const { alone } = shareWorld()
const inbox = (world: TestWorld): string => `/api/v1/campaigns/${world.id('campaign')}/proposals`
const ask = (world: TestWorld, caller: Caller, changes: unknown): Promise<Answer> =>
  caller.post(inbox(world), { changes })
const approve = (world: TestWorld, ...ids: readonly number[]): Promise<Answer> =>
  world.callers.dm.post(`${inbox(world)}/approve`, { proposals: asRead(world, ...ids) })
const npcsNamed = (world: TestWorld, name: string) =>
  world.server.app.store().all('SELECT * FROM npcs WHERE name = @name AND deleted_at IS NULL', { name })

const family = [
  { operation: 'create_location', input: { name: 'The old mill' }, as: 'mill' },
  { operation: 'create_npc', input: { name: 'Old Marta', locationId: { $of: 'mill' } }, as: 'marta' },
  { operation: 'create_quest', input: { title: 'The wheel that turns', giverNpcId: { $of: 'marta' } }, as: 'quest' },
  { operation: 'create_objective', input: { questId: { $of: 'quest' }, text: 'Stop it' } },
  {
    operation: 'create_relation',
    input: {
      fromType: 'npc',
      fromId: { $of: 'marta' },
      toType: 'location',
      toId: { $of: 'mill' },
      label: 'lives in it',
    },
  },
]

describe('changes that refer to each other', () => {
  test(
    'are answered as a difference when they are filed, and nothing is left behind',
    alone(async (world) => {
      const { status, body, text } = await ask(world, world.callers.player, family)
      expect(status, text).toBe(201)
      expect(body).toMatchObject({ changeCount: 5, stale: false, targetType: null })
      expect(body.title).toBe('5 changes: create location, create NPC, create quest, create objective, create relation')
      expect(body.changes[1]).toMatchObject({
        as: 'marta',
        makes: true,
        name: 'Old Marta',
        entityId: null,
        madeBy: null,
      })
      expect(body.changes[1].difference).toEqual([
        { field: 'name', before: null, after: 'Old Marta' },
        { field: 'locationId', before: null, after: { $of: 'mill' }, beforeTitle: null, afterTitle: 'The old mill' },
      ])
      expect(body.changes[3]).toMatchObject({ entityType: 'quest', thing: 'The wheel that turns', madeBy: 3 })
      expect(npcsNamed(world, 'Old Marta')).toEqual([])
    }),
  )

  test(
    'are taken as one record, with what they are to each other, and taken back as one',
    alone(async (world) => {
      const { dm, player } = world.callers
      const { id } = (await ask(world, player, family)).body
      const taken = await approve(world, id)
      expect(taken.body.approved, taken.text).toEqual([id])
      const [marta] = npcsNamed(world, 'Old Marta')
      const npc = (await dm.get(`/api/v1/npcs/${marta?.id}`)).body
      expect(npc.location.title).toBe('The old mill')
      const { auditRecordId } = taken.body
      const record = (await dm.get(`/api/v1/audit-records/${auditRecordId}`)).body
      expect(record).toMatchObject({ entityCount: 5, proposalId: id, proposedByUserId: world.userId.player })
      const reverted = await dm.post(`/api/v1/audit-records/${auditRecordId}/revert`)
      expect(reverted.status, reverted.text).toBe(200)
      expect(npcsNamed(world, 'Old Marta')).toEqual([])
      expect(
        world.server.app.store().get("SELECT 1 FROM quests WHERE title LIKE 'The wheel%' AND deleted_at IS NULL"),
      ).toBe(undefined)
    }),
  )

  test(
    'of several proposals are one record too, in the order filed',
    alone(async (world) => {
      const { propose, dm } = world.callers
      const one = (await ask(world, propose, [{ operation: 'create_npc', input: { name: 'First' } }])).body
      const two = (await ask(world, propose, [{ operation: 'create_npc', input: { name: 'Second' } }])).body
      const { approved, auditRecordId } = (await approve(world, two.id, one.id)).body
      expect(approved).toEqual([one.id, two.id])
      expect(Number(npcsNamed(world, 'First')[0]?.id)).toBeLessThan(Number(npcsNamed(world, 'Second')[0]?.id))
      expect((await dm.post(`/api/v1/audit-records/${auditRecordId}/revert`)).status).toBe(200)
      expect([...npcsNamed(world, 'First'), ...npcsNamed(world, 'Second')]).toEqual([])
    }),
  )
})

describe('what cannot be', () => {
  const name = (text: string) => ({ operation: 'create_npc', input: { name: text } })
  test.each<readonly [string, (world: TestWorld) => unknown, number, RegExp]>([
    ['51 changes', () => Array.from({ length: 51 }, (_, n) => name(`N${n}`)), 400, /at most 50 in one proposal/],
    ['none', () => [], 400, /changes/],
    [
      'a reference to nothing',
      () => [name('A'), { operation: 'create_npc', input: { name: 'B', locationId: { $of: 'mill' } } }],
      400,
      /Change 2 \(create_npc\): \{"\$of": "mill"\} names nothing/,
    ],
    [
      'a reference to what comes later',
      () => [
        { operation: 'create_npc', input: { name: 'B', locationId: { $of: 'mill' } } },
        { operation: 'create_location', input: { name: 'Mill' }, as: 'mill' },
      ],
      400,
      /Change 1 \(create_npc\): .*what change 2 makes.*Put change 2 before it/,
    ],
    [
      'two results of one name',
      () => [
        { ...name('A'), as: 'x' },
        { ...name('B'), as: 'x' },
      ],
      400,
      /Changes 1 and 2 are both called "x"/,
    ],
    ['a wrong input', () => [name('A'), name('')], 400, /Change 2 \(create_npc\): .*name/],
    [
      'a name for what makes nothing',
      (world) => [
        name('A'),
        { operation: 'set_npc_disposition', input: { npcId: world.id('npc'), disposition: 'hostile' }, as: 'x' },
      ],
      400,
      /Change 2 \(set_npc_disposition "x"\): set_npc_disposition makes nothing/,
    ],
    [
      'a change that a person makes',
      (world) => [name('A'), { operation: 'remove_member', input: { memberId: world.id('member viewer') } }],
      400,
      /Change 2 \(remove_member\): remove_member cannot be proposed, since who is at the table/,
    ],
    [
      'a misspelt operation',
      () => [name('A'), { operation: 'create_ncp', input: {} }],
      400,
      /Change 2 .*Did you mean create_npc\?/,
    ],
    [
      'a thing that is not there',
      () => [name('A'), { operation: 'delete_npc', input: { npcId: 9999 } }],
      404,
      /Change 2 \(delete_npc\): There is no such thing.*list_npcs finds ids/,
    ],
    [
      'one’s own together with what needs a Dungeon Master, as a player',
      () => [name('A'), { operation: 'create_note', input: { body: 'Mine.', visibility: 'private' } }],
      400,
      /Change 2 is for its author alone to take, and change 1 for a Dungeon Master/,
    ],
  ])('%s is refused with a sentence, and nothing is filed', async (what, changes, status, sentence) =>
    alone(async (world) => {
      const caller = what.endsWith('player') ? world.callers.player : world.callers.propose
      const before = world.server.app.store().get('SELECT count(*) AS n FROM proposals')
      const answer = await ask(world, caller, changes(world))
      expect([answer.status, answer.body.error?.message]).toEqual([status, expect.stringMatching(sentence)])
      expect(world.server.app.store().get('SELECT count(*) AS n FROM proposals')).toEqual(before)
    })(),
  )

  test(
    'a thing that vanished meanwhile: the approval says which change, and nothing is applied',
    alone(async (world) => {
      const input = { npcId: world.id('npc'), disposition: 'hostile' }
      const { id } = (
        await ask(world, world.callers.propose, [name('The ferryman'), { operation: 'set_npc_disposition', input }])
      ).body
      await world.as('dm', 'delete_npc', { npcId: input.npcId })
      expect((await world.callers.dm.get(`/api/v1/proposals/${id}`)).body.stale).toBe(true)
      const refused = await approve(world, id)
      expect([refused.status, refused.body.error.message]).toEqual([
        404,
        expect.stringContaining('Change 2 (set_npc_disposition)'),
      ])
      expect(npcsNamed(world, 'The ferryman')).toEqual([])
      expect(world.row('proposals', id)?.status).toBe('pending')
    }),
  )

  test(
    'a change that the approver may not make: the approval says which of which proposal',
    alone(async (world) => {
      const mine = [
        name('The ferryman'),
        { operation: 'set_npc_disposition', input: { npcId: world.id('npc'), disposition: 'hostile' } },
      ]
      const second = (await ask(world, world.callers.player, mine)).body.id
      const own = await world.callers.player.post(`${inbox(world)}/approve`, { proposals: asRead(world, second) })
      expect([own.status, own.body.error.message]).toEqual([403, expect.stringContaining('Change 1 (create_npc)')])
    }),
  )
})

describe('what waits', () => {
  test(
    'is filed once: the same again is the same proposal',
    alone(async (world) => {
      const change = [{ operation: 'create_npc', input: { name: 'The ferryman' } }]
      const first = (await ask(world, world.callers.propose, change)).body
      const again = (await ask(world, world.callers.propose, change)).body
      expect([again.id, again.revision]).toEqual([first.id, first.revision])
      expect((await ask(world, world.callers.player, change)).body.id).not.toBe(first.id)
    }),
  )

  test(
    'that had grown stale counts anew when it is asked for again',
    alone(async (world) => {
      const npcId = world.id('npc')
      const change = [{ operation: 'update_npc', input: { npcId, voice: 'Loud.' } }]
      const { id } = (await ask(world, world.callers.propose, change)).body
      await world.as('dm', 'update_npc', { npcId, voice: 'Soft.' })
      expect((await approve(world, id)).status).toBe(409)
      expect((await ask(world, world.callers.propose, change)).body).toMatchObject({ id, stale: false })
      expect((await approve(world, id)).status).toBe(200)
    }),
  )

  test(
    'on one thing can all be taken, in any order, where it changes other fields',
    alone(async (world) => {
      const questId = world.id('quest')
      const filed = async (input: object) =>
        (await ask(world, world.callers.propose, [{ operation: 'update_quest', input: { questId, ...input } }])).body.id
      const [title, reward, note] = [
        await filed({ title: 'A cradle' }),
        await filed({ reward: 'A coin' }),
        await filed({ body: 'Asked for.' }),
      ]
      expect((await approve(world, note)).status).toBe(200)
      expect((await approve(world, reward, title)).status).toBe(200)
      expect(world.row('quests', questId)).toMatchObject({ title: 'A cradle', reward: 'A coin', body: 'Asked for.' })
    }),
  )

  test(
    'says which app asked, and why',
    alone(async (world) => {
      const token = world.token('dm', { writeMode: 'propose' })
      const { proposal } = (
        await token.request(
          'PATCH',
          `/api/v1/npcs/${world.id('npc')}`,
          { voice: 'Loud.' },
          { 'x-reason': 'She shouted.' },
        )
      ).body
      expect(proposal).toMatchObject({ appName: 'test', reason: 'She shouted.' })
      expect(
        (await ask(world, world.callers.player, [{ operation: 'create_npc', input: { name: 'X' } }])).body.appName,
      ).toBe(null)
    }),
  )

  test(
    'for its author alone is seen and taken by nobody else, and made in their name',
    alone(async (world) => {
      const token = world.token('player', { writeMode: 'propose' })
      const secret = 'I do not trust the DM.'
      const filed = await token.tool('create_note', {
        campaignId: world.id('campaign'),
        body: secret,
        visibility: 'private',
      })
      const { id, revision } = filed.content.proposal
      expect(filed.content.proposal.forAuthor).toBe(true)
      expect((await world.callers.dm.get(`/api/v1/proposals/${id}`)).status).toBe(404)
      expect((await world.callers.dm.get(`${inbox(world)}?view=full`)).text).not.toContain(secret)
      expect((await approve(world, id)).status).toBe(404)
      expect((await world.callers.dm.post(`${inbox(world)}/reject`, { proposalIds: [id] })).status).toBe(404)
      const taken = await world.callers.player.post(`${inbox(world)}/approve`, {
        proposals: [{ proposalId: id, revision }],
      })
      expect([taken.status, taken.body]).toEqual([200, { approved: [id], auditRecordId: null }])
      const note = world.server.app.store().get('SELECT * FROM notes WHERE body = @secret', { secret })
      expect(note?.author_user_id).toBe(world.userId.player)
    }),
  )

  test(
    'in an archived campaign is refused with what to do',
    alone(async (world) => {
      await world.as('dm', 'set_campaign_status', { campaignId: world.id('campaign'), status: 'archived' })
      const { content } = await world.callers.propose.tool('set_campaign_status', {
        campaignId: world.id('campaign'),
        status: 'active',
      })
      expect(content.error).toMatchObject({ code: 'invalid_state', message: expect.stringContaining('A person') })
    }),
  )
})
