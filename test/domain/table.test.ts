import { beforeEach, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { campaign } from '../../src/domain/campaign/entity.ts'
import { refuseWhileStill } from '../../src/domain/safety-state.ts'
import { type AnyOperation, defineOperation } from '../../src/kernel/operation.ts'
import { type Answer, makeTable, type Person, type Table } from './support.ts'

// What a table promises itself and how it stops: charter, signals, wishes, and what people are told of.

const takeTurn = defineOperation({
  name: 'take_test_turn',
  title: 'Take a turn',
  description: 'For tests.',
  toolset: 'combat',
  access: 'viewer',
  effect: 'write',
  route: 'POST /campaigns/{campaignId}/test-turns',
  input: z.strictObject({ campaignId: campaign.id }),
  output: z.object({ taken: z.boolean() }),
  example: () => ({ campaignId: 1 }),
  handle(context) {
    refuseWhileStill(context)
    return { taken: true }
  },
}) as unknown as AnyOperation

let table: Table
beforeEach(async () => {
  table = await makeTable([], { take_test_turn: takeTurn })
})

const call = (person: Person, name: string, input: object = {}): Promise<Answer> =>
  table.call(person, name, { ...input })
const readers = ({ acknowledgements }: Answer) =>
  acknowledgements.map(({ username, revision, current }: Answer) => [username, revision, current])

describe('the charter', () => {
  test('is empty until somebody writes it, and says who has not read it', async () => {
    const empty = await call('gast', 'get_charter')
    expect(empty).toMatchObject({ charterId: null, revision: 0, tone: null, lines: null, acknowledgements: [] })
    expect(empty.unacknowledged.map(({ username }: Answer) => username)).toEqual(['ellen', 'pell', 'wren', 'gast'])
    expect(await table.refusal('pell', 'acknowledge_charter', { revision: 1 })).toMatchObject({ code: 'invalid_state' })
  })

  test('is asked again when it changes, of everybody', async () => {
    await call('ellen', 'update_charter', { lines: '- Harm to animals' })
    const read = await call('pell', 'acknowledge_charter', { revision: 1 })
    expect(readers(read)).toEqual([['pell', 1, true]])
    await call('ellen', 'update_charter', { veils: '- Torture' })
    const changed = await call('pell', 'get_charter')
    expect([changed.revision, changed.lines, changed.veils]).toEqual([2, '- Harm to animals', '- Torture'])
    expect(readers(changed)).toEqual([['pell', 1, false]])
    expect(await table.refusal('pell', 'acknowledge_charter', { revision: 1 })).toMatchObject({
      code: 'stale_revision',
    })
    expect(readers(await call('pell', 'acknowledge_charter', { revision: 2 }))).toContainEqual(['pell', 2, true])
  })

  test('is not asked again where nothing was changed, and keeps its versions', async () => {
    await call('ellen', 'update_charter', { lines: '- Harm to animals' })
    await call('ellen', 'update_charter', { lines: '- Harm to animals' })
    expect((await call('pell', 'get_charter')).revision).toBe(1)
    const { charterId } = await call('ellen', 'update_charter', { lines: null })
    const { items } = await call('ellen', 'list_revisions', { entityType: 'charter', entityId: charterId })
    expect(items.map(({ revision, fields }: Answer) => [revision, fields])).toEqual([
      [2, ['lines']],
      [1, ['lines']],
    ])
  })

  test('is not overwritten by who read an earlier one', async () => {
    expect(await table.refusal('ellen', 'update_charter', { tone: 'Slow', expectedRevision: 1 })).toMatchObject({
      code: 'stale_revision',
    })
    await call('ellen', 'update_charter', { tone: 'Slow' })
    await call('ellen', 'update_charter', { tone: 'Slow and strange' })
    expect(await table.refusal('ellen', 'update_charter', { tone: 'Quick', expectedRevision: 1 })).toMatchObject({
      code: 'stale_revision',
    })
  })
})

describe('a safety signal', () => {
  const seen = async (person: Person) => (await call(person, 'get_campaign')).safetySignal

  test('is seen by everybody, and only a Dungeon Master lets the table go on', async () => {
    await call('gast', 'raise_safety_signal', { kind: 'pause' })
    for (const person of ['ellen', 'pell', 'wren', 'gast'] as const)
      expect(await seen(person)).toEqual({ kind: 'pause', since: table.now() })
    expect(await table.refusal('pell', 'clear_safety_signal')).toMatchObject({ code: 'forbidden' })
    await call('ellen', 'clear_safety_signal')
    expect(await seen('pell')).toBeNull()
    expect(table.store.get('SELECT count(*) AS n FROM safety_signals')?.n).toBe(0)
  })

  test('a second one tells nobody that there were two, and an X-card stands above a pause', async () => {
    const first = await call('pell', 'raise_safety_signal', { kind: 'pause' })
    table.pass(1)
    expect(await call('wren', 'raise_safety_signal', { kind: 'pause' })).toEqual(first)
    const card = await call('wren', 'raise_safety_signal', { kind: 'x_card' })
    expect(card.safetySignal).toEqual({ kind: 'x_card', since: first.safetySignal.since })
    expect((await call('pell', 'raise_safety_signal', { kind: 'pause' })).safetySignal.kind).toBe('x_card')
  })

  test('holds turns until it is cleared, whoever takes them', async () => {
    expect(await call('pell', 'take_test_turn')).toEqual({ taken: true })
    await call('pell', 'raise_safety_signal', { kind: 'x_card' })
    for (const person of ['ellen', 'pell'] as const)
      expect(await table.refusal(person, 'take_test_turn')).toMatchObject({
        code: 'invalid_state',
        message: expect.stringContaining('clear_safety_signal'),
      })
    await call('ellen', 'clear_safety_signal')
    expect(await call('pell', 'take_test_turn')).toEqual({ taken: true })
  })

  test('works in an archived campaign, and cannot be taken back from the history', async () => {
    await call('ellen', 'set_campaign_status', { status: 'archived' })
    await call('pell', 'raise_safety_signal', { kind: 'x_card' })
    const { items } = await call('ellen', 'list_audit_records', { operation: 'raise_safety_signal' })
    expect(items).toMatchObject([{ actorUserId: null, revertible: false, entities: [], entityCount: 0 }])
    await call('ellen', 'clear_safety_signal')
  })

  test('is told to everybody alike, who raised it as well, and to nobody once it is cleared', async () => {
    await call('pell', 'raise_safety_signal', { kind: 'x_card' })
    for (const person of ['ellen', 'pell', 'wren', 'gast'] as const) {
      const { items } = await call(person, 'list_notifications', { campaignId: table.campaignId })
      expect(items.filter(({ kind }: Answer) => kind === 'safety')).toMatchObject([{ byUserId: null, byUser: null }])
    }
    await call('ellen', 'clear_safety_signal')
    expect(table.store.get("SELECT count(*) AS n FROM notifications WHERE kind = 'safety'")?.n).toBe(0)
  })
})

describe('a wish for the table', () => {
  const wish = { text: 'Tell me before a jump scare.', sharedWithDm: false, aiUseAllowed: false }
  const texts = async (person: Person, door: 'rest' | 'mcp' = 'rest') =>
    (await table.call(person, 'list_support_preferences', {}, { door })).items.map(({ text }: Answer) => text)

  test('is one a person, read by them alone until they share it', async () => {
    await call('pell', 'set_my_support_preference', wish)
    await call('pell', 'set_my_support_preference', { ...wish, text: 'A break at nine.' })
    expect(await texts('pell')).toEqual(['A break at nine.'])
    expect(await texts('ellen')).toEqual([])
    await call('pell', 'set_my_support_preference', { ...wish, sharedWithDm: true })
    expect(await texts('ellen')).toEqual([wish.text])
    expect(await texts('wren')).toEqual([])
  })

  test('reaches an AI by a yes of its own, which a person gives and the policy of the table bounds', async () => {
    const shared = { ...wish, sharedWithDm: true }
    await call('pell', 'set_my_support_preference', shared)
    await call('pell', 'set_my_ai_consent', { consent: true })
    expect(await texts('ellen', 'mcp')).toEqual([])
    const asked = table.call('pell', 'set_my_support_preference', { ...shared, aiUseAllowed: true }, { door: 'mcp' })
    await expect(asked).rejects.toMatchObject({ code: 'human_needed' })
    await call('pell', 'set_my_support_preference', { ...shared, aiUseAllowed: true })
    await call('pell', 'set_my_ai_consent', { consent: false })
    expect(await texts('ellen', 'mcp')).toEqual([wish.text])
    await call('ellen', 'update_campaign_settings', { aiContentPolicy: 'disabled' })
    expect(await texts('ellen', 'mcp')).toEqual([])
    expect(await texts('ellen')).toEqual([wish.text])
  })

  test('is gone for good when it is taken back, and with who leaves', async () => {
    await call('pell', 'set_my_support_preference', { ...wish, sharedWithDm: true })
    expect(await call('pell', 'delete_my_support_preference')).toEqual({ removed: true })
    expect(await texts('pell')).toEqual([])
    expect(await call('pell', 'delete_my_support_preference')).toEqual({ removed: false })
    expect(JSON.stringify(table.store.all('SELECT * FROM changes'))).not.toContain('jump scare')
    await call('wren', 'set_my_support_preference', { ...wish, sharedWithDm: true })
    await call('wren', 'leave_campaign')
    expect(await texts('ellen')).toEqual([])
  })
})

describe('notifications', () => {
  const unread = async (person: Person, input: object = {}): Promise<Answer[]> =>
    (await call(person, 'list_notifications', { unread: true, ...input })).items
  const kinds = async (person: Person) => (await unread(person)).map(({ kind }) => kind)
  const clear = () =>
    Promise.all(
      (['ellen', 'pell', 'wren', 'gast'] as const).map((who) => call(who, 'mark_notifications_read', { all: true })),
    )

  test('tell Dungeon Masters what is asked, and who asked what became of it', async () => {
    const { proposal } = await call('pell', 'create_npc', { name: 'Hob Fennick' })
    expect(await unread('ellen')).toMatchObject([
      { kind: 'proposal_filed', entity: { entityType: 'proposal', entityId: proposal.id }, byUser: { title: 'pell' } },
    ])
    expect([await kinds('pell'), await kinds('wren')]).toEqual([[], []])
    await call('ellen', 'approve_proposals', { proposals: [{ proposalId: proposal.id, revision: 1 }] })
    expect(await unread('pell')).toMatchObject([{ kind: 'proposal_approved', byUser: { title: 'ellen' } }])
  })

  test('tell of a whisper whom it is for, and nobody else', async () => {
    await call('pell', 'send_whisper', { recipientUserId: table.userId('wren'), body: 'I kept the coin.' })
    expect(await unread('wren')).toMatchObject([
      { kind: 'whisper', byUser: { title: 'pell' }, entity: { title: 'I kept the coin.' } },
    ])
    expect([await kinds('ellen'), await kinds('pell'), await kinds('gast')]).toEqual([[], [], []])
    // An outside AI gets no whisper, and no word of one.
    expect((await table.call('wren', 'list_notifications', {}, { door: 'mcp' })).items).toEqual([])
  })

  test('tell of nights: planned, moved, called off and on again; of a poll only its beginning and end', async () => {
    const night = (startsAt: string, more: object = {}) => call('ellen', 'create_game_night', { startsAt, ...more })
    const { id: gameNightId } = await night('2026-11-27T19:00')
    const told: unknown[] = [await kinds('pell')]
    for (const [name, input] of [
      ['update_game_night', { notes: 'The good lamp' }],
      ['update_game_night', { startsAt: '2026-11-28T19:00' }],
      ['cancel_game_night', {}],
      ['reinstate_game_night', {}],
    ] as const) {
      await clear()
      await call('ellen', name, { gameNightId, ...input })
      told.push(await kinds('pell'))
    }
    expect(told).toEqual([['night_planned'], [], ['night_moved'], ['night_cancelled'], ['night_reinstated']])
    expect(await kinds('gast')).toEqual([])
    await clear()
    const one = await night('2026-12-04T19:00', { tentative: true })
    await night('2026-12-05T19:00', { tentative: true })
    expect(await kinds('wren')).toEqual(['night_asked', 'night_asked'])
    await clear()
    await call('ellen', 'update_game_night', { gameNightId: one.id, tentative: false, callOffOthers: true })
    expect(await kinds('wren')).toEqual(['night_planned'])
  })

  test('tell a Dungeon Master who names a part of the world, in texts that they read', async () => {
    const { id } = await call('ellen', 'create_npc', { name: 'Hob Fennick' })
    const body = `[Hob](npc:${id}) asked my name again`
    await call('pell', 'create_note', { body, visibility: 'private' })
    expect(await kinds('ellen')).toEqual([])
    await call('pell', 'create_note', { body, visibility: 'party' })
    expect(await unread('ellen')).toMatchObject([
      { kind: 'mention', entityType: 'note', about: { entityType: 'npc', entityId: id, title: 'Hob Fennick' } },
    ])
    expect(await kinds('wren')).toEqual([])
    await call('ellen', 'create_note', { body, visibility: 'party' })
    expect(await unread('ellen')).toHaveLength(1)
  })

  test('are none of what somebody does not see any more', async () => {
    const { id } = await call('pell', 'create_note', { body: 'Somebody asked my name', visibility: 'party' })
    const npc = await call('ellen', 'create_npc', { name: 'Hob' })
    await call('pell', 'update_note', { noteId: id, body: `[Hob](npc:${npc.id})` })
    expect((await call('ellen', 'list_notifications')).unreadCount).toBe(1)
    await call('pell', 'update_note', { noteId: id, visibility: 'private' })
    expect(await call('ellen', 'list_notifications')).toMatchObject({ items: [], unreadCount: 0 })
    await call('pell', 'update_note', { noteId: id, visibility: 'party' })
    await call('pell', 'delete_note', { noteId: id })
    expect(await kinds('ellen')).toEqual([])
  })

  test('of the same thing take the place of those not read yet', async () => {
    for (const tone of ['Slow', 'Slow and strange', 'Kind']) await call('ellen', 'update_charter', { tone })
    expect(await kinds('pell')).toEqual(['charter_changed'])
    await clear()
    await call('ellen', 'update_charter', { tone: 'Slow' })
    expect((await call('pell', 'list_notifications')).items).toHaveLength(2)
  })

  test('are read by whoever does what they ask for', async () => {
    const { proposal } = await call('pell', 'create_npc', { name: 'Hob Fennick' })
    const night = await call('ellen', 'create_game_night', { startsAt: '2026-11-27T19:00' })
    await call('ellen', 'update_charter', { tone: 'Slow' })
    expect(await kinds('ellen')).toEqual(['proposal_filed'])
    await call('ellen', 'reject_proposals', { proposalIds: [proposal.id] })
    expect(await kinds('ellen')).toEqual([])
    expect(await kinds('pell')).toEqual(['proposal_rejected', 'charter_changed', 'night_planned'])
    await call('pell', 'set_rsvp', { gameNightId: night.id, answer: 'yes' })
    await call('pell', 'acknowledge_charter', { revision: 1 })
    expect(await kinds('pell')).toEqual(['proposal_rejected'])
    expect(await kinds('wren')).toEqual(['charter_changed', 'night_planned'])
    expect(table.announced.filter(({ entity }) => entity.name === 'notification')).toHaveLength(3)
  })

  test('are read one by one or all, over all campaigns, and nobody else’s', async () => {
    const other = await call('ellen', 'create_campaign', { name: 'Lantern Street' })
    await call('ellen', 'add_member', { campaignId: other.id, username: 'pell', role: 'player' })
    await call('pell', 'accept_invitation', { campaignId: other.id })
    await call('ellen', 'update_charter', { campaignId: other.id, tone: 'Quick' })
    await call('ellen', 'update_charter', { tone: 'Slow' })
    const all = await call('pell', 'list_notifications', { campaignId: undefined })
    expect(all.items.map(({ campaignName }: Answer) => campaignName)).toEqual([
      'The Orchard in Winter',
      'Lantern Street',
    ])
    const [first] = all.items
    const theirs = { notificationIds: [first.id] }
    expect(await call('wren', 'mark_notifications_read', theirs)).toMatchObject({ read: 0 })
    expect(await call('pell', 'mark_notifications_read', theirs)).toEqual({ read: 1, unreadCount: 1 })
    expect(await call('pell', 'mark_notifications_read', theirs)).toEqual({ read: 0, unreadCount: 1 })
    expect(await call('pell', 'mark_notifications_read', { all: true })).toEqual({ read: 1, unreadCount: 0 })
    expect(await table.refusal('pell', 'mark_notifications_read')).toMatchObject({ code: 'validation_failed' })
  })

  test('leave no trace in the history, and take none away from it', async () => {
    const { id } = await call('ellen', 'create_game_night', { startsAt: '2026-11-27T19:00' })
    const count = (): unknown => table.store.get('SELECT count(*) AS n FROM change_sets')?.n
    const before = count()
    await call('pell', 'mark_notifications_read', { all: true })
    expect(count()).toBe(before)
    const { items } = await call('ellen', 'list_audit_records', { operation: 'create_game_night' })
    await call('ellen', 'revert_change', { auditRecordId: items[0].id })
    expect(await table.refusal('pell', 'get_game_night', { gameNightId: id })).toMatchObject({ code: 'not_found' })
  })

  test('are kept two hundred of', async () => {
    for (let turn = 0; turn < 205; turn += 1) {
      await call('pell', 'submit_inbox_item', { body: `Word ${turn}` })
    }
    expect(table.store.get('SELECT count(*) AS n FROM notifications')?.n).toBe(200)
  })
})

describe('a shared recap', () => {
  const share = (sessionId: number, values: object = {}) =>
    call('ellen', 'create_session_share', { sessionId, expiresAt: '2026-12-20T18:00:00Z', ...values })

  test('needs a published recap and an end within a year', async () => {
    const { id: sessionId } = await call('ellen', 'create_session', { title: 'The ledger', status: 'played' })
    const asked = { sessionId, expiresAt: '2026-12-20T18:00:00Z' }
    expect(await table.refusal('ellen', 'create_session_share', asked)).toMatchObject({
      code: 'invalid_state',
      message: expect.stringContaining('publish_session_recap'),
    })
    await call('ellen', 'publish_session_recap', { sessionId, recap: 'They met the clerk.' })
    for (const expiresAt of ['2026-11-20T17:59:59Z', '2028-01-01T00:00:00Z'])
      expect(await table.refusal('ellen', 'create_session_share', { sessionId, expiresAt })).toMatchObject({
        code: 'validation_failed',
      })
    const { token, path, ...made } = await share(sessionId, { label: 'For my sister' })
    expect(path).toBe(`/share/${token}`)
    expect(token).toMatch(/^tks_[\w-]{43}$/)
    const { items } = await call('ellen', 'list_session_shares', { sessionId })
    expect(items).toEqual([made])
    expect(JSON.stringify(table.store.all('SELECT * FROM session_shares'))).not.toContain(token)
    expect(await table.refusal('pell', 'list_session_shares', { sessionId })).toMatchObject({ code: 'forbidden' })
    await call('ellen', 'revoke_session_share', { shareId: made.id })
    expect((await call('ellen', 'list_session_shares', { sessionId })).items).toEqual([])
  })

  test('comes back with its session, and no undo opens what was revoked', async () => {
    const { id: sessionId } = await call('ellen', 'create_session', { title: 'The ledger', status: 'played' })
    await call('ellen', 'publish_session_recap', { sessionId, recap: 'They met the clerk.' })
    const { id: shareId } = await share(sessionId)
    await call('ellen', 'delete_session', { sessionId })
    await call('ellen', 'restore_from_trash', { entityType: 'session', entityId: sessionId })
    expect((await call('ellen', 'list_session_shares', { sessionId })).items).toHaveLength(1)
    await call('ellen', 'revoke_session_share', { shareId })
    const { items } = await call('ellen', 'list_audit_records', { operation: 'revoke_session_share' })
    expect(items).toMatchObject([{ revertible: false }])
  })
})
