import { describe, expect, test } from 'vitest'
import { minutesBetween, recapOutline, spanBetween } from '../../src/domain/session/rules.ts'
import { type Answer, bodies, makeTable, type Person, type Table } from './support.ts'

const write = (table: Table, person: Person, body: string, more: Record<string, unknown> = {}): Promise<Answer> =>
  table.call(person, 'create_note', { body, ...more })

describe('notes', () => {
  test('are private unless said otherwise, and each reader sees their own', async () => {
    const table = await makeTable()
    expect((await write(table, 'pell', 'a private')).visibility).toBe('private')
    await write(table, 'pell', 'b dm', { visibility: 'dm' })
    await write(table, 'pell', 'c party', { visibility: 'party' })
    await table.call('pell', 'send_whisper', { recipientUserId: table.userId('wren'), body: 'd whisper' })
    const seen = async (person: Person, input = {}) =>
      bodies((await table.call(person, 'list_notes', { ...input, view: 'full' })).items)
    expect(await seen('pell')).toEqual(['d whisper', 'c party', 'b dm', 'a private'])
    expect(await seen('wren')).toEqual(['d whisper', 'c party'])
    expect(await seen('ellen')).toEqual(['c party', 'b dm'])
    expect(await seen('gast')).toEqual(['c party'])
    expect(await seen('ellen', { visibility: 'private' })).toEqual([])
    expect(await seen('pell', { visibility: 'whisper' })).toEqual(['d whisper'])
    expect(await seen('pell', { authorUserId: table.userId('wren') })).toEqual([])
  })

  test('only the author changes or deletes one, not even the DM', async () => {
    const table = await makeTable()
    const { id } = await write(table, 'pell', 'mine', { visibility: 'party' })
    for (const name of ['update_note', 'delete_note']) {
      const input = name === 'update_note' ? { noteId: id, body: 'theirs' } : { noteId: id }
      expect((await table.refusal('ellen', name, input)).code).toBe('forbidden')
      expect((await table.refusal('wren', name, input)).code).toBe('forbidden')
    }
    expect(await table.call('pell', 'update_note', { noteId: id, visibility: 'private' })).toMatchObject({
      body: 'mine',
      visibility: 'private',
    })
    expect((await table.refusal('wren', 'get_note', { noteId: id })).code).toBe('not_found')
    expect(await table.call('pell', 'delete_note', { noteId: id })).toEqual({
      trashed: { entityType: 'note', entityId: id },
    })
    expect((await table.refusal('pell', 'get_note', { noteId: id })).code).toBe('not_found')
  })

  test('a whisper goes to another member and stays one', async () => {
    const table = await makeTable()
    table.store.run(
      "INSERT INTO users (username, password_hash, created_at, updated_at) VALUES ('stranger', '', @now, @now)",
      { now: table.now() },
    )
    const stranger = table.store.get("SELECT id FROM users WHERE username = 'stranger'")?.id as number
    for (const recipientUserId of [table.userId('pell'), stranger, 9999]) {
      expect((await table.refusal('pell', 'send_whisper', { recipientUserId, body: 'psst' })).code).toBe(
        'validation_failed',
      )
    }
    const { id } = await table.call('pell', 'send_whisper', { recipientUserId: table.userId('gast'), body: 'psst' })
    expect((await table.call('gast', 'get_note', { noteId: id })).body).toBe('psst')
    expect((await table.refusal('ellen', 'get_note', { noteId: id })).code).toBe('not_found')
    expect((await table.refusal('pell', 'update_note', { noteId: id, visibility: 'party' })).code).toBe('invalid_state')
    expect((await table.refusal('pell', 'update_note', { noteId: id, visibility: 'whisper' })).code).toBe(
      'validation_failed',
    )
    expect((await table.refusal('pell', 'create_note', { body: 'x', visibility: 'whisper' })).code).toBe(
      'validation_failed',
    )
    expect((await table.call('pell', 'update_note', { noteId: id, body: 'louder' })).visibility).toBe('whisper')
  })

  test('are attached to something the author sees, by kind and id together', async () => {
    const table = await makeTable()
    const { id: ghost } = await table.call('ellen', 'create_npc', { name: 'Ghost', hidden: true })
    const refused = async (input: Record<string, unknown>) =>
      (await table.refusal('pell', 'create_note', { body: 'x', ...input })).message
    expect(await refused({ entityType: 'npc' })).toContain('both')
    expect(await refused({ entityId: ghost })).toContain('both')
    expect(await refused({ entityType: 'ghost', entityId: ghost })).toContain('one of')
    expect(await refused({ entityType: 'npc', entityId: ghost })).toBe(
      await refused({ entityType: 'npc', entityId: 9999 }),
    )
  })

  test('what a note is attached to is not shown, nor to be found, where the thing is hidden', async () => {
    const table = await makeTable()
    const { id: ghost } = await table.call('ellen', 'create_npc', { name: 'Ghost', hidden: true })
    const { id: marta } = await table.call('ellen', 'create_npc', { name: 'Marta' })
    const about = (entityId: number) => ({ visibility: 'party', entityType: 'npc', entityId })
    const { id } = await write(table, 'ellen', 'about the ghost', about(ghost))
    await write(table, 'ellen', 'about Marta', about(marta))
    expect(await table.call('pell', 'get_note', { noteId: id })).toMatchObject({ entityType: null, entityId: null })
    expect(await table.call('ellen', 'get_note', { noteId: id })).toMatchObject(about(ghost))
    const seen = async (person: Person, input: Record<string, unknown>) =>
      bodies((await table.call(person, 'list_notes', { ...input, view: 'full' })).items)
    expect(await seen('pell', { entityType: 'npc' })).toEqual(['about Marta'])
    expect(await seen('pell', { entityType: 'npc', entityId: ghost })).toEqual([])
    expect(await seen('pell', { entityType: 'npc', entityId: marta })).toEqual(['about Marta'])
    expect(await seen('ellen', { entityType: 'npc', entityId: ghost })).toEqual(['about the ghost'])
    expect((await table.refusal('pell', 'list_notes', { entityId: marta })).code).toBe('validation_failed')
    // A thing in the trash reads as nothing, also to the DM.
    await table.call('ellen', 'delete_npc', { npcId: ghost })
    expect(await table.call('ellen', 'get_note', { noteId: id })).toMatchObject({ entityType: null, entityId: null })
  })

  test('a search pages over what passes it and misses none', async () => {
    const table = await makeTable()
    for (let index = 0; index < 230; index += 1) {
      await write(table, 'pell', `note ${index}${index % 50 === 0 ? ' the silver BELL' : ''}`, { visibility: 'party' })
    }
    const found: string[] = []
    let cursor: string | undefined
    do {
      const page: Answer = await table.call('gast', 'list_notes', {
        view: 'full',
        query: 'bell silver',
        limit: 2,
        ...(cursor === undefined ? {} : { cursor }),
      })
      expect(page.items.length).toBeLessThanOrEqual(2)
      found.push(...bodies(page.items))
      cursor = page.nextCursor ?? undefined
    } while (cursor !== undefined)
    expect(found).toEqual([200, 150, 100, 50, 0].map((index) => `note ${index} the silver BELL`))
  })

  test('an AI client finds nothing of what the policy withholds from it', async () => {
    const table = await makeTable()
    await write(table, 'pell', 'the silver bell', { visibility: 'party' })
    await write(table, 'ellen', 'my own bell', { visibility: 'party' })
    await table.call('ellen', 'update_campaign_settings', { aiContentPolicy: 'disabled' })
    const all = await table.call('ellen', 'list_notes', { view: 'full' }, { door: 'mcp' })
    expect([bodies(all.items), all.withheld]).toEqual([['my own bell'], 1])
    const found = await table.call('ellen', 'list_notes', { view: 'full', query: 'bell' }, { door: 'mcp' })
    expect([bodies(found.items), found.withheld]).toEqual([['my own bell'], 1])
    expect(await table.call('ellen', 'list_notes', { query: 'bell' })).not.toHaveProperty('withheld')
  })

  test('belong to the live session unless another is named', async () => {
    const table = await makeTable()
    const { id: old } = await table.call('ellen', 'create_session', { status: 'played' })
    const { id: live } = await table.call('ellen', 'create_session', {})
    expect((await write(table, 'pell', 'before')).sessionId).toBeNull()
    await table.call('ellen', 'start_session', { sessionId: live })
    expect((await write(table, 'pell', 'now')).sessionId).toBe(live)
    expect((await write(table, 'pell', 'then', { sessionId: old })).sessionId).toBe(old)
    expect((await table.refusal('pell', 'create_note', { body: 'x', sessionId: 999 })).code).toBe('validation_failed')
  })
})

describe('the inbox', () => {
  test('the DM sees all, a player their own, a viewer nothing', async () => {
    const table = await makeTable()
    for (const person of ['pell', 'wren'] as const) await table.call(person, 'submit_inbox_item', { body: person })
    const seen = async (person: Person) =>
      bodies((await table.call(person, 'list_inbox_items', { view: 'full' })).items)
    expect(await seen('ellen')).toEqual(['wren', 'pell'])
    expect(await seen('pell')).toEqual(['pell'])
    expect((await table.refusal('gast', 'list_inbox_items')).code).toBe('forbidden')
    expect((await table.refusal('gast', 'submit_inbox_item', { body: 'x' })).code).toBe('forbidden')
  })

  test('an item is resolved once, reopened once, and deleted by its author', async () => {
    const table = await makeTable()
    const { id } = await table.call('pell', 'submit_inbox_item', { body: 'Who rings the bell?' })
    const { id: questId } = await table.call('ellen', 'create_quest', { title: 'The bell', hidden: true })
    const input = { inboxItemId: id }
    expect((await table.refusal('pell', 'resolve_inbox_item', input)).code).toBe('forbidden')
    expect((await table.refusal('ellen', 'reopen_inbox_item', input)).code).toBe('invalid_state')
    const resolved = await table.call('ellen', 'resolve_inbox_item', {
      ...input,
      resolution: 'A quest now',
      entityType: 'quest',
      entityId: questId,
    })
    expect(resolved).toMatchObject({
      status: 'resolved',
      resolution: 'A quest now',
      entityType: 'quest',
      entityId: questId,
      resolvedAt: table.now(),
      resolvedByUserId: table.userId('ellen'),
    })
    expect(await table.call('pell', 'get_inbox_item', input)).toMatchObject({
      status: 'resolved',
      entityType: null,
      entityId: null,
    })
    expect((await table.refusal('ellen', 'resolve_inbox_item', input)).code).toBe('invalid_state')
    expect((await table.call('ellen', 'list_inbox_items', { status: 'open' })).items).toEqual([])
    const reopened = await table.call('ellen', 'reopen_inbox_item', input)
    expect(reopened).toMatchObject({ status: 'open', resolution: null, resolvedAt: null, resolvedByUserId: null })
    expect((await table.refusal('ellen', 'delete_inbox_item', input)).code).toBe('forbidden')
    expect(await table.call('pell', 'delete_inbox_item', input)).toEqual({
      trashed: { entityType: 'inbox_item', entityId: id },
    })
  })
})

describe('sessions', () => {
  test('are numbered on, and a number is given once', async () => {
    const table = await makeTable()
    const created = (input = {}) => table.call('ellen', 'create_session', input)
    expect((await created()).number).toBe(1)
    const { id } = await created({ number: 14 })
    expect((await created()).number).toBe(15)
    expect(await table.refusal('ellen', 'create_session', { number: 14 })).toMatchObject({
      code: 'validation_failed',
      message: expect.stringContaining('16'),
    })
    expect((await table.refusal('ellen', 'update_session', { sessionId: id, number: 1 })).code).toBe(
      'validation_failed',
    )
    expect((await table.call('ellen', 'update_session', { sessionId: id, number: 14, title: 'Same' })).title).toBe(
      'Same',
    )
    expect((await table.call('gast', 'list_sessions')).items.map(({ number }: Answer) => number)).toEqual([15, 14, 1])
    await table.call('ellen', 'delete_session', { sessionId: id })
    expect((await created({ number: 14 })).number).toBe(14)
  })

  test('planned, live, played: one is live at a time, and the end says how long it was', async () => {
    const table = await makeTable()
    const [{ id: first }, { id: second }] = [
      await table.call('ellen', 'create_session'),
      await table.call('ellen', 'create_session'),
    ]
    expect((await table.refusal('ellen', 'end_session', { sessionId: first })).code).toBe('invalid_state')
    expect(await table.call('ellen', 'start_session', { sessionId: first })).toMatchObject({
      status: 'live',
      startedAt: table.now(),
    })
    expect((await table.refusal('ellen', 'start_session', { sessionId: first })).code).toBe('invalid_state')
    expect(await table.refusal('ellen', 'start_session', { sessionId: second })).toMatchObject({
      code: 'invalid_state',
      message: expect.stringContaining(`id ${first}`),
    })
    table.pass(185)
    expect(await table.call('ellen', 'end_session', { sessionId: first })).toMatchObject({
      status: 'played',
      endedAt: table.now(),
      minutes: 185,
    })
    expect((await table.refusal('ellen', 'start_session', { sessionId: first })).code).toBe('invalid_state')
    expect((await table.call('ellen', 'start_session', { sessionId: second })).status).toBe('live')
    expect((await table.refusal('ellen', 'create_session', { status: 'live' })).code).toBe('validation_failed')
  })

  test('preparation and secrets are the DM’s; the recap is everybody’s once it is published', async () => {
    const table = await makeTable()
    const { id } = await table.call('ellen', 'create_session', {
      title: 'The ledger',
      prep: 'PREP',
      dmSecret: 'SECRET',
      status: 'played',
    })
    const pell = await table.call('pell', 'get_session', { sessionId: id })
    expect(JSON.stringify(pell)).not.toMatch(/PREP|SECRET/)
    expect((await table.call('pell', 'list_session_recaps')).items).toEqual([])
    await expect(
      table.call('pell', 'publish_session_recap', { sessionId: id, recap: 'We stole it.' }),
    ).resolves.toHaveProperty('proposal')
    expect((await table.call('gast', 'get_session', { sessionId: id })).recap).toBeNull()
    await table.call('ellen', 'publish_session_recap', { sessionId: id, recap: 'We stole it.' })
    expect((await table.call('gast', 'list_session_recaps')).items).toEqual([
      { sessionId: id, number: 1, title: 'The ledger', playedAt: null, recap: 'We stole it.' },
    ])
  })

  test('prep gathers what is open', async () => {
    const table = await makeTable()
    const { id: questId } = await table.call('ellen', 'create_quest', { title: 'The bell', status: 'active' })
    await table.call('ellen', 'create_quest', { title: 'Over', status: 'completed' })
    const objectiveIds: number[] = []
    for (const text of ['Find it', 'Ring it'])
      objectiveIds.push((await table.call('ellen', 'create_objective', { questId, text })).id)
    await table.call('ellen', 'set_objective_done', { objectiveId: objectiveIds[0], done: true })
    const { id: played } = await table.call('ellen', 'create_session', { status: 'played' })
    await table.call('ellen', 'publish_session_recap', { sessionId: played, recap: 'Snow.' })
    const { id: planned } = await table.call('ellen', 'create_session', { prep: 'Dog asleep' })
    const prep = await table.call('ellen', 'get_session_prep')
    expect(prep).toMatchObject({
      nextSession: { id: planned, prep: 'Dog asleep' },
      lastRecap: { sessionId: played, recap: 'Snow.' },
      openQuests: [{ title: 'The bell', openObjectives: [{ text: 'Ring it' }] }],
      truncated: false,
    })
    expect(prep.openQuests[0].openObjectives).toHaveLength(1)
    expect((await table.refusal('pell', 'get_session_prep')).code).toBe('forbidden')
  })
})

describe('the draft of a recap', () => {
  /** Plays a session with one consented inbox item, party note and quest step in it. */
  async function play(table: Table, word: string): Promise<number> {
    const { id } = await table.call('ellen', 'create_session', { title: word })
    table.pass(10)
    await table.call('pell', 'submit_inbox_item', { body: `${word} inbox` })
    await table.call('ellen', 'start_session', { sessionId: id })
    table.pass(10)
    await write(table, 'pell', `${word} note`, { visibility: 'party' })
    await table.call('ellen', 'create_quest', { title: `${word} quest` })
    await table.call('ellen', 'create_quest', { title: `${word} HIDDEN`, hidden: true })
    table.pass(170)
    await table.call('ellen', 'end_session', { sessionId: id })
    table.pass(1)
    return id
  }
  const summary = ({ session, sources, previousRecap }: Answer) => ({
    number: session?.number,
    inbox: bodies(sources.inboxItems),
    notes: bodies(sources.notes),
    quests: sources.quests.map(({ title }: Answer) => title),
    previous: previousRecap?.recap,
  })

  test('takes what lies between the session before and the session after', async () => {
    const table = await makeTable()
    await table.call('pell', 'set_my_ai_consent', { consent: true })
    const first = await play(table, 'one')
    await table.call('ellen', 'publish_session_recap', { sessionId: first, recap: 'It began.\nMore.' })
    await play(table, 'two')
    await write(table, 'pell', 'two afterthought', { visibility: 'party' })
    const latest = await table.call('ellen', 'draft_session_recap')
    expect(summary(latest)).toEqual({
      number: 2,
      inbox: ['two inbox'],
      notes: ['two note', 'two afterthought'],
      quests: ['two quest'],
      previous: 'It began.\nMore.',
    })
    expect(latest.outline).toContainEqual({ heading: 'Before', points: ['Session 1: It began.'] })
    const earlier = summary(await table.call('ellen', 'draft_session_recap', { sessionId: first }))
    expect(earlier).toMatchObject({ number: 1, notes: ['one note'], quests: ['one quest'], previous: undefined })
    expect(earlier.inbox).toContain('one inbox')
    expect((await table.refusal('ellen', 'draft_session_recap', { sessionId: 999 })).code).toBe('not_found')
    expect((await table.refusal('pell', 'draft_session_recap')).code).toBe('forbidden')
  })

  test('works before anything was played', async () => {
    const table = await makeTable()
    expect(await table.call('ellen', 'draft_session_recap')).toMatchObject({
      session: null,
      previousRecap: null,
      outline: [],
      truncated: false,
    })
  })

  test('a quest counts as moved when one of its steps did, with the steps that players know', async () => {
    const table = await makeTable()
    const { id: questId } = await table.call('ellen', 'create_quest', { title: 'The bell' })
    const steps: number[] = []
    for (const text of ['Find it', 'Ring it'])
      steps.push((await table.call('ellen', 'create_objective', { questId, text })).id)
    await play(table, 'one')
    await play(table, 'two')
    await table.call('ellen', 'create_objective', { questId, text: 'HIDDEN', hidden: true })
    expect(summary(await table.call('ellen', 'draft_session_recap')).quests).toEqual(['two quest'])
    await table.call('ellen', 'set_objective_done', { objectiveId: steps[0], done: true })
    const draft = await table.call('ellen', 'draft_session_recap')
    expect(summary(draft).quests).toEqual(['The bell', 'two quest'])
    expect(draft.outline).toContainEqual({ heading: 'Done', points: ['The bell: Find it'] })
    expect(draft.outline).toContainEqual({ heading: 'Still open', points: ['The bell: Ring it'] })
    expect(JSON.stringify(draft)).not.toContain('HIDDEN')
  })

  test('the span of a session that was entered later is its day', () => {
    const entered = { startedAt: null, endedAt: null, playedAt: '2026-11-13', createdAt: '2026-11-20T00:00:00.000Z' }
    expect(spanBetween(entered, entered)).toEqual({ from: '2026-11-13T23:59:59.999Z', to: '2026-11-13T00:00:00.000Z' })
    expect(spanBetween({ ...entered, playedAt: null }, null)).toEqual({ from: entered.createdAt, to: null })
    expect(spanBetween(null, { ...entered, startedAt: '2026-11-13T19:00:00.000Z' })).toEqual({
      from: null,
      to: '2026-11-13T19:00:00.000Z',
    })
  })

  test('lengths are whole minutes and never negative', () => {
    expect(minutesBetween('2026-11-20T18:00:00.000Z', '2026-11-20T19:00:29.000Z')).toBe(60)
    expect(minutesBetween('2026-11-20T18:00:00.000Z', '2026-11-20T17:00:00.000Z')).toBe(0)
    expect(minutesBetween(null, '2026-11-20T17:00:00.000Z')).toBeNull()
  })

  test('long lines are cut without breaking a character', () => {
    const body = `${'a'.repeat(159)}😀 and on`
    const outline = recapOutline({ session: null, previousRecap: null, quests: [], notes: [{ body }], inboxItems: [] })
    expect(outline).toEqual([{ heading: 'What the table noted', points: [`${'a'.repeat(159)}…`] }])
  })
})
