import { describe, expect, test } from 'vitest'
import { shareWorld } from '../support/shared-world.ts'
import type { TestWorld } from '../support/world.ts'

// What was done can be looked up and taken back: audit, undo, versions.

const { alone } = shareWorld()
type Record = { readonly id: number; readonly operation: string; readonly door: string }

async function lastRecord(world: TestWorld, operation: string): Promise<Record> {
  const path = `/api/v1/campaigns/${world.id('campaign')}/audit?operation=${operation}&limit=1`
  return (await world.callers.dm.get(path)).body.items[0]
}
const revert = (world: TestWorld, id: number) => world.callers.dm.post(`/api/v1/audit-records/${id}/revert`)
const npc = async (world: TestWorld) => (await world.callers.dm.get(`/api/v1/npcs/${world.id('npc')}`)).body
const revisions = async (world: TestWorld, entityType: string, entityId: number) =>
  (await world.as('dm', 'list_revisions', { campaignId: world.id('campaign'), entityType, entityId })).items

describe('the audit', () => {
  test(
    'names who, by which credential and door, why, and what changed',
    alone(async (world) => {
      const { oauth } = world.callers
      const params = {
        name: 'update_npc',
        arguments: { npcId: world.id('npc'), voice: 'Loud.' },
        _meta: { 'talekeeper/reason': 'She shouted.' },
      }
      await oauth.mcp('tools/call', params)
      const record = await lastRecord(world, 'update_npc')
      expect(record).toMatchObject({
        actorUserId: world.userId.dm,
        actorUser: { id: world.userId.dm, title: 'dm' },
        credentialKind: 'oauth',
        door: 'mcp',
        effect: 'write',
        reason: 'She shouted.',
        revertible: true,
        entities: [{ entityType: 'npc', entityId: world.id('npc'), kind: 'update' }],
      })
      expect((await world.callers.dm.get(`/api/v1/audit-records/${record.id}`)).body.changes).toEqual([
        expect.objectContaining({ fields: ['voice'], before: { voice: 'Dry and low.' }, after: { voice: 'Loud.' } }),
      ])
    }),
  )

  test(
    'holds no text of notes, and no record of a change that changed nothing',
    alone(async (world) => {
      await world.as('player', 'update_note', { noteId: world.id('note', 'private'), body: 'I trust her even less.' })
      const { body } = await world.callers.dm.get(
        `/api/v1/audit-records/${(await lastRecord(world, 'update_note')).id}`,
      )
      expect(body.changes).toEqual([expect.objectContaining({ fields: ['body'], before: null, after: null })])
      const before = world.server.app.store().get('SELECT count(*) AS n FROM changes')
      await world.as('dm', 'update_npc', { npcId: world.id('npc'), voice: 'Dry and low.' })
      expect(world.server.app.store().get('SELECT count(*) AS n FROM changes')).toEqual(before)
    }),
  )

  test(
    'and versions and trash keep from an AI client what the policy withholds (SPEC 2.2)',
    alone(async (world) => {
      const campaignId = world.id('campaign')
      const { dm } = world.callers
      const inboxItemId = world.id('inbox_item')
      await world.as('dm', 'resolve_inbox_item', { inboxItemId, resolution: 'Later.' })
      await world.as('player', 'delete_note', { noteId: world.id('note', 'own') })
      await world.as('player', 'delete_inbox_item', { inboxItemId: world.id('inbox_item', 'resolved') })
      const created = (await world.callers.dm.get(`/api/v1/campaigns/${campaignId}/audit?operation=submit_inbox_item`))
        .body
      const reads: readonly (readonly [string, object])[] = [
        ...created.items.map(({ id }: Record) => ['get_audit_record', { auditRecordId: id }] as const),
        ...(await revisions(world, 'inbox_item', inboxItemId)).map(
          ({ id }: Record) => ['get_revision', { revisionId: id }] as const,
        ),
        ['list_trash', { campaignId }],
      ]
      const answers = async (): Promise<string> => {
        const texts: string[] = []
        for (const [tool, input] of reads) texts.push(JSON.stringify((await dm.tool(tool, input)).content))
        return texts.join('\n')
      }
      const bodies = /under the ice|rings the bell|gate open|owe the clerk/g
      expect((await answers()).match(bodies)?.length).toBeGreaterThan(5)
      await world.as('dm', 'update_campaign_settings', { campaignId, aiContentPolicy: 'disabled' })
      expect((await answers()).match(bodies)).toBeNull()
      // A person still reads them.
      const { text } = await dm.get(`/api/v1/campaigns/${campaignId}/trash`)
      expect(text).toMatch(/owe the clerk/)
    }),
  )
})

describe('an undo', () => {
  test(
    'takes a change back once, as a change of its own',
    alone(async (world) => {
      const record = world.id('audit_record', 'revertible')
      expect((await revert(world, record)).body).toEqual({
        reverted: [{ entityType: 'npc', entityId: world.id('npc') }],
      })
      expect((await npc(world)).voice).toBeNull()
      expect((await revert(world, record)).body.error).toMatchObject({
        code: 'invalid_state',
        message: expect.stringContaining(String((await lastRecord(world, 'revert_change')).id)),
      })
      await revert(world, (await lastRecord(world, 'revert_change')).id)
      expect((await npc(world)).voice).toBe('Dry and low.')
    }),
  )

  test(
    'keeps what others changed in other fields, and is refused where they changed the same',
    alone(async (world) => {
      const npcId = world.id('npc')
      await world.as('coDm', 'update_npc', { npcId, role: 'Clerk' })
      expect((await revert(world, world.id('audit_record', 'revertible'))).status).toBe(200)
      expect(await npc(world)).toMatchObject({ voice: null, role: 'Clerk' })
      await world.as('dm', 'update_npc', { npcId, role: 'Thief' })
      const earlier = (
        await world.as('dm', 'list_audit_records', { campaignId: world.id('campaign'), operation: 'update_npc' })
      ).items[1]
      const { status, body } = await revert(world, earlier.id)
      expect([status, body.error.code]).toEqual([409, 'invalid_state'])
      expect(body.error.message).toContain(String((await lastRecord(world, 'update_npc')).id))
    }),
  )

  test(
    'of a create is refused once something hangs on it, and else moves it to the trash',
    alone(async (world) => {
      const quest = await world.as('dm', 'create_quest', { campaignId: world.id('campaign'), title: 'The bell' })
      const created = await lastRecord(world, 'create_quest')
      await world.as('dm', 'create_objective', { questId: quest.id, text: 'Find it' })
      const refused = await revert(world, created.id)
      expect(refused.body.error.message).toContain(String((await lastRecord(world, 'create_objective')).id))
      await revert(world, (await lastRecord(world, 'create_objective')).id)
      expect((await revert(world, created.id)).status).toBe(200)
      expect((await world.callers.dm.get(`/api/v1/quests/${quest.id}`)).status).toBe(404)
    }),
  )

  test(
    'of a delete brings the thing back with what it owned',
    alone(async (world) => {
      const questId = world.id('quest')
      await world.as('dm', 'delete_quest', { questId })
      await revert(world, (await lastRecord(world, 'delete_quest')).id)
      expect((await world.callers.dm.get(`/api/v1/quests/${questId}`)).body.objectives).toHaveLength(2)
    }),
  )

  test(
    'of a change whose old link was deleted for good leaves that link empty',
    alone(async (world) => {
      const [npcId, locationId] = [world.id('npc'), world.id('location', 'leaf')]
      await world.as('dm', 'update_npc', { npcId, locationId })
      await world.as('dm', 'update_npc', { npcId, locationId: null })
      const thing = { campaignId: world.id('campaign'), entityType: 'location', entityId: locationId }
      await world.as('dm', 'delete_location', { locationId })
      await world.as('dm', 'purge_from_trash', thing)
      const { status, text } = await revert(world, (await lastRecord(world, 'update_npc')).id)
      expect(status, text).toBe(200)
      expect((await npc(world)).locationId).toBeNull()
    }),
  )

  test(
    'is refused for what cannot be taken back',
    alone(async (world) => {
      const campaignId = world.id('campaign')
      await world.as('dm', 'create_invite', { campaignId })
      await world.as('dm', 'purge_from_trash', { campaignId, entityType: 'npc', entityId: world.id('npc', 'trashed') })
      for (const operation of ['create_invite', 'purge_from_trash', 'add_member']) {
        const { id, revertible } = (await lastRecord(world, operation)) as Record & { readonly revertible: boolean }
        expect(revertible, operation).toBe(false)
        expect((await revert(world, id)).body.error.code, operation).toBe('invalid_state')
      }
    }),
  )

  test(
    'of a session’s delete says so where its number was given away meanwhile',
    alone(async (world) => {
      const campaignId = world.id('campaign')
      const sessionId = world.id('session', 'planned')
      await world.as('dm', 'delete_session', { sessionId })
      await world.as('dm', 'create_session', { campaignId, number: 2 })
      const undone = await revert(world, (await lastRecord(world, 'delete_session')).id)
      expect([undone.status, undone.body.error.code]).toEqual([409, 'invalid_state'])
      const restore = { entityType: 'session', entityId: sessionId }
      const restored = await world.callers.dm.post(`/api/v1/campaigns/${campaignId}/trash/restore`, restore)
      expect([restored.status, restored.body.error.code]).toEqual([409, 'invalid_state'])
    }),
  )
})

describe('versions', () => {
  test(
    'show their difference to now and come back as a new one',
    alone(async (world) => {
      const revisionId = world.id('revision')
      const { body } = await world.callers.dm.get(`/api/v1/revisions/${revisionId}`)
      expect(body.changes).toEqual([{ field: 'voice', before: null, after: 'Dry and low.' }])
      const { revision } = await npc(world)
      expect((await world.callers.dm.post(`/api/v1/revisions/${revisionId}/restore`)).status).toBe(200)
      expect(await npc(world)).toMatchObject({ voice: null, revision: revision + 1 })
    }),
  )

  test(
    'of memberships, invites and proposals are history only: no consent, role or code comes back with them',
    alone(async (world) => {
      const campaignId = world.id('campaign')
      const memberId = world.id('member', 'player')
      await world.as('player', 'set_my_ai_consent', { campaignId, consent: true })
      await world.as('player', 'set_my_ai_consent', { campaignId, consent: false })
      await world.as('dm', 'revoke_invite', { inviteId: world.id('invite') })
      await world.as('player', 'withdraw_proposal', { proposalId: world.id('proposal', 'own') })
      for (const [entityType, entityId] of [
        ['member', memberId],
        ['invite', world.id('invite')],
        ['proposal', world.id('proposal', 'own')],
      ] as const) {
        for (const { id } of await revisions(world, entityType, entityId)) {
          const { status, body } = await world.callers.dm.post(`/api/v1/revisions/${id}/restore`)
          expect([status, body.error?.code], entityType).toEqual([409, 'invalid_state'])
        }
      }
      expect(world.row('memberships', memberId)?.ai_consent).toBe(0)
    }),
  )

  test(
    'of a trashed thing wait for the thing; of a session, for its number',
    alone(async (world) => {
      const sessionId = world.id('session', 'planned')
      await world.as('dm', 'update_session', { sessionId, number: 9 })
      await world.as('dm', 'create_session', { campaignId: world.id('campaign'), number: 2 })
      const [, first] = await revisions(world, 'session', sessionId)
      const restore = () => world.callers.dm.post(`/api/v1/revisions/${first.id}/restore`)
      expect((await restore()).body.error.code).toBe('invalid_state')
      await world.as('dm', 'delete_session', { sessionId })
      expect((await restore()).body.error.code).toBe('invalid_state')
    }),
  )
})
