import { beforeEach, describe, expect, test } from 'vitest'
import { modelActor } from '../../src/ai/model-actor.ts'
import { isForSeat, seatOperations, toolOf } from '../../src/ai/seat-tools.ts'
import { operations } from '../../src/catalogue.ts'
import { modelEyes } from '../../src/kernel/model-port.ts'
import { viewerOf } from '../../src/kernel/viewer.ts'
import { calls, outcomes, type SeatTable, seatTable } from './seat-table.ts'
import type { Answer } from './support.ts'

// The seat of the AI beside the Dungeon Master: what it may do by its mode, what it reads, and who stops it.

let table: SeatTable['table']
let model: SeatTable['model']
let dm: SeatTable['dm']
let seat: SeatTable['seat']
let ask: SeatTable['ask']
let sent: SeatTable['sent']

beforeEach(async () => {
  ;({ table, model, dm, seat, ask, sent } = await seatTable())
})

describe('the tools of the seat', () => {
  const all = { driverMay: ['fights', 'dice', 'tale', 'reveal'], maySeeSecrets: true } as const

  test('are a few of the catalogue by mode, and none while it is off', () => {
    expect(seatOperations(operations, { ...all, mode: 'off' }).size).toBe(0)
    const beside = seatOperations(operations, { ...all, mode: 'co_dm' })
    const atHead = seatOperations(operations, { ...all, mode: 'driver' })
    expect([beside.size, atHead.size]).toEqual([22, 27])
    expect(beside.has('damage_combatant')).toBe(false)
    expect(atHead.has('damage_combatant')).toBe(true)
    const calm = seatOperations(operations, { mode: 'driver', driverMay: [], maySeeSecrets: true })
    expect(Array.from(calm.values(), ({ effect }) => effect)).not.toContain('write')
    expect(seatOperations(operations, { ...all, mode: 'driver', maySeeSecrets: false }).has('reveal_entity')).toBe(
      false,
    )
  })

  test('could never be one that destroys, that a person decides, or that is about people, settings, tokens or the seat', () => {
    const possible = Array.from(operations.values()).filter(isForSeat)
    expect(possible.map(({ effect }) => effect)).not.toContain('destroy')
    const toolsets = new Set(possible.filter(({ effect }) => effect === 'write').map(({ toolset }) => toolset))
    expect([...toolsets].sort()).toEqual(['combat', 'dice', 'maps', 'party', 'review', 'story', 'world'])
    const ofReview = possible.filter(({ toolset }) => toolset === 'review')
    expect(ofReview.map(({ name }) => name).sort()).toEqual(['hide_entity', 'reveal_entity'])
    const names = possible.map(({ name }) => name)
    for (const never of [
      ...['approve_proposals', 'create_proposal', 'update_ai_seat', 'resume_ai_seat', 'narrate', 'update_campaign'],
      ...[
        'update_campaign_settings',
        'add_member',
        'set_my_ai_consent',
        'create_invite',
        'revert_change',
        'create_note',
      ],
      ...['purge_entity', 'send_whisper', 'delete_npc', 'create_display_link', 'export_campaign', 'list_members'],
    ])
      expect(names, never).not.toContain(never)
  })

  test('are told to the model without the campaign and without what only a program says', () => {
    const { name, parameters } = toolOf(operations.get('damage_combatant') as never)
    expect(name).toBe('damage_combatant')
    expect(Object.keys(parameters.properties as object)).toEqual(expect.arrayContaining(['combatantId', 'amount']))
    expect(JSON.stringify(parameters)).not.toMatch(/campaignId|idempotencyKey|\$schema/)
  })

  test('are used through the eyes for models and no others', () => {
    const terms = { policy: 'member_consent', agreed: new Set([2]) } as const
    for (const external of [true, false])
      for (const secrets of [true, false]) {
        const scope = secrets ? 'dm' : 'player'
        const acting = { by: 'seat', id: 1, userId: 7, campaignId: 3, scope, writeMode: 'read', external } as const
        const viewer = viewerOf(modelActor(acting), 'seat', { campaignId: 3, role: 'dm', terms: () => terms })
        expect(viewer).toEqual({ ...modelEyes({ campaignId: 3, external, secrets, terms }), door: 'seat' })
      }
  })
})

describe('beside the Dungeon Master', () => {
  beforeEach(() => seat({ mode: 'co_dm', persona: 'An old ferryman.' }))

  test('it reads, says something, and what it would change waits as a proposal', async () => {
    const { id: npcId } = await dm('create_npc', { name: 'Nettie Crake' })
    model.say(
      calls(['get_npc', { npcId }]),
      calls(['update_npc', { npcId, voice: 'half a line, out of tune' }]),
      'She goes on, half a line.',
    )
    const turn = await ask('What does Nettie do?')
    expect(turn).toMatchObject({ state: 'done', text: 'She goes on, half a line.', steps: 3, changeCount: 1 })
    expect([turn.inputTokens, turn.outputTokens]).toEqual([300, 60])
    expect(outcomes(turn)).toEqual(['get_npc looked', 'update_npc proposed'])
    expect((await dm('get_npc', { npcId })).voice).toBeNull()
    const [proposal] = (await dm('list_proposals')).items
    expect(proposal).toMatchObject({ id: turn.actions[1].proposalId, appName: 'The AI seat', status: 'pending' })
    await dm('approve_proposals', { proposals: [{ proposalId: proposal.id, revision: proposal.revision }] })
    expect((await dm('get_npc', { npcId })).voice).toBe('half a line, out of tune')
  })

  test('the charter, the persona and what was asked before come along as material, the rules alone are the system’s', async () => {
    await dm('update_charter', { lines: 'NO SPIDERS EVER' })
    await ask('First, the smells.')
    await ask('And now the vats.')
    const [system, user] = model.asked.at(-1)?.messages ?? []
    expect(system?.role).toBe('system')
    expect(system?.text).toContain('charter')
    for (const word of ['SPIDERS', 'ferryman', 'smells', 'vats']) {
      expect(system?.text, word).not.toContain(word)
      expect(user?.text, word).toContain(word)
    }
    const fence = /<<<(\w+)/.exec(user?.text ?? '')?.[1] as string
    expect(user?.text.split(`${fence}>>>`)[0]).toContain('SPIDERS')
    expect(user?.text.split(`${fence}>>>`)[1]).toContain('vats')
  })

  test('a wish of a member comes along only where they let an AI use it, not because they told the Dungeon Master', async () => {
    const wish = (person: 'pell' | 'wren', text: string, aiUseAllowed: boolean) =>
      table.call(person, 'set_my_support_preference', { text, sharedWithDm: true, aiUseAllowed })
    await wish('pell', 'PELL WISHES', true)
    await wish('wren', 'WREN WISHES', false)
    for (const external of [true, false]) {
      model.is({ external })
      await ask()
      expect(sent()).toContain('PELL WISHES')
      expect(sent()).not.toContain('WREN WISHES')
    }
  })

  test('players see that it answered and what it used, and neither what it was asked nor what it said to the DM', async () => {
    model.say('The clerk did it.')
    await ask('Who did it?')
    const [turn] = (await table.call('pell', 'list_ai_turns')).items
    expect(turn).toMatchObject({ state: 'done', inputTokens: 100 })
    expect(JSON.stringify(turn)).not.toMatch(/clerk|Who did it/)
  })
})

describe('what it reads', () => {
  beforeEach(async () => {
    await seat({ mode: 'co_dm' })
    await dm('create_npc', { name: 'THE BURIED QUEEN', hidden: true })
    await dm('create_npc', { name: 'Marta', dmSecret: 'SHE SOLD THE YEAR' })
    for (const person of ['ellen', 'pell', 'wren'] as const) {
      await table.call(person, 'create_note', { body: `PARTY ${person}`, visibility: 'party' })
      await table.call(person, 'create_note', { body: `PRIVATE ${person}`, visibility: 'private' })
      await table.call(person, 'create_note', { body: `FOR DM ${person}`, visibility: 'dm' })
    }
    await table.call('pell', 'send_whisper', { recipientUserId: table.userId('ellen'), body: 'WHISPER pell' })
    await table.call('pell', 'set_my_ai_consent', { consent: true })
  })
  const look = async (): Promise<void> => {
    model.asked.length = 0
    model.say(
      calls(
        ['list_notes', { view: 'full' }],
        ['search_campaign', { query: 'queen' }],
        ['search_campaign', { query: 'year' }],
      ),
      calls(['get_npc', { npcId: 1 }], ['get_npc', { npcId: 2 }], ['list_notes', { visibility: 'private' }]),
      'So.',
    )
    expect((await ask()).state).toBe('done')
  }

  // Which words leave, by whose model it is, the policy, the right to secrets. Private notes and whispers never do.
  const table1 = [
    { external: true, policy: 'member_consent', secrets: false, leaves: ['PARTY pell'] },
    { external: true, policy: 'disabled', secrets: false, leaves: [] },
    { external: false, policy: 'member_consent', secrets: false, leaves: ['PARTY ellen', 'PARTY pell', 'PARTY wren'] },
    { external: false, policy: 'disabled', secrets: false, leaves: ['PARTY ellen', 'PARTY pell', 'PARTY wren'] },
    {
      ...{ external: true, policy: 'member_consent', secrets: true },
      leaves: ['PARTY pell', 'FOR DM pell', 'BURIED', 'SOLD'],
    },
    {
      ...{ external: false, policy: 'disabled', secrets: true },
      leaves: [
        'PARTY ellen',
        'PARTY pell',
        'PARTY wren',
        'FOR DM ellen',
        'FOR DM pell',
        'FOR DM wren',
        'BURIED',
        'SOLD',
      ],
    },
  ]
  test.each(table1)('external $external, $policy, secrets $secrets', async ({ external, policy, secrets, leaves }) => {
    model.is({ external })
    if (policy === 'disabled') await dm('update_campaign_settings', { aiContentPolicy: policy })
    await seat({ maySeeSecrets: secrets })
    await look()
    const words = ['PARTY', 'FOR DM', 'PRIVATE', 'WHISPER'].flatMap((kind) =>
      ['ellen', 'pell', 'wren'].map((person) => `${kind} ${person}`),
    )
    const left = [...words, 'BURIED', 'SOLD'].filter((word) => sent().includes(word))
    expect(left.sort()).toEqual([...leaves].sort())
  })

  test('what it said with secrets, or to a model on this server, no later turn without those is told', async () => {
    model.is({ external: false })
    await seat({ maySeeSecrets: true })
    model.say('THE QUEEN IS BURIED HERE')
    await ask()
    model.is({ external: true })
    await seat({ maySeeSecrets: false })
    model.asked.length = 0
    await ask()
    expect(sent()).not.toContain('BURIED HERE')
  })
})

/** Wren first, then a stag: a fight that runs. */
async function fight() {
  const { id: encounterId } = await dm('create_encounter', { name: 'The press-house' })
  const add = async (name: string, hpMax: number, initiative: number): Promise<number> => {
    const { id } = await dm('add_combatant', { encounterId, kind: 'monster', name, hpMax, ac: 12 })
    await dm('set_combatant_initiative', { combatantId: id, initiative })
    return id
  }
  const wren = await add('Wren', 200, 21)
  const stag = await add('Wicker Stag', 200, 18)
  await dm('begin_encounter', { encounterId })
  return { encounterId, wren, stag }
}

describe('at the head of the table', () => {
  beforeEach(() => seat({ mode: 'driver', driverMay: ['fights', 'dice', 'tale'] }))
  const stateOf = async (encounterId: number): Promise<string> => {
    const whole = await dm('get_encounter', { encounterId })
    const timeless = (row: Answer) => ({ ...row, revision: 0, updatedAt: '' })
    return JSON.stringify({ ...timeless(whole), combatants: whole.combatants.map(timeless) })
  }

  test('it plays ten rounds of a fight, and everything that it did is taken back one by one', async () => {
    const { encounterId, wren, stag } = await fight()
    const { id: questId } = await dm('create_quest', { title: 'The bell', status: 'active' })
    const before = await stateOf(encounterId)
    for (let round = 1; round <= 10; round++) {
      model.say(
        calls(['get_turn', { encounterId }], ['damage_combatant', { combatantId: stag, amount: 3 + round }]),
        calls(['next_turn', { encounterId }], ['damage_combatant', { combatantId: wren, amount: 2 }]),
        calls(['next_turn', { encounterId }]),
        `Round ${round} is over.`,
      )
      const turn = await ask('Play one round.')
      expect([turn.state, turn.text, turn.changeCount]).toEqual(['done', `Round ${round} is over.`, 4])
    }
    model.say(
      calls(['set_quest_status', { questId, status: 'completed' }], ['create_npc', { name: 'The bell-ringer' }]),
      'So it ends.',
    )
    await ask('End it.')
    expect((await dm('get_encounter', { encounterId })).round).toBe(11)
    expect((await dm('list_npcs')).items).toHaveLength(1)

    const turns = (await dm('list_ai_turns', { limit: 50 })).items
    const done = turns
      .flatMap((turn: Answer) => turn.actions.toReversed())
      .filter((each: Answer) => each.outcome === 'done')
    expect(done).toHaveLength(42)
    for (const { auditRecordId, encounterEventIds, operation, revertible } of done) {
      const record = await dm('get_audit_record', { auditRecordId })
      expect([record.operation, record.door, record.clientId]).toEqual([operation, 'seat', 'talekeeper-seat'])
      if (revertible) await dm('revert_change', { auditRecordId })
      else if (operation === 'next_turn') await dm('previous_turn', { encounterId })
      else await dm('undo_encounter_event', { eventId: encounterEventIds[0] })
    }
    expect(await stateOf(encounterId)).toBe(before)
    expect((await dm('get_quest', { questId })).status).toBe('active')
    expect((await dm('list_npcs')).items).toEqual([])
    const [last] = (await dm('list_ai_turns')).items
    expect(last.actions.map(({ reverted }: Answer) => reverted)).toEqual([true, true])
  })

  test('a pause by anybody stops it before the next operation, and a Dungeon Master lets it go on', async () => {
    const { encounterId, stag } = await fight()
    const hit = ['damage_combatant', { combatantId: stag, amount: 5 }] as const
    const pausing = async (): Promise<Answer> => {
      await table.call('gast', 'pause_ai_seat', { reason: 'Too much' })
      return calls(['damage_combatant', { combatantId: stag, amount: 100 }], ['next_turn', { encounterId }])
    }
    model.say(calls(hit), pausing, 'never said')
    const turn = await ask()
    expect([turn.state, turn.text, turn.message]).toEqual(['stopped', null, 'Somebody at the table stopped it.'])
    expect(outcomes(turn)).toEqual(['damage_combatant done'])
    expect((await dm('get_combatant', { combatantId: stag })).hp).toBe(195)
    expect(await table.call('pell', 'get_ai_seat')).toMatchObject({ state: 'paused', pauseReason: 'Too much' })
    expect(await table.refusal('ellen', 'narrate', { prompt: 'Go on.' })).toMatchObject({ code: 'invalid_state' })
    expect(await table.refusal('pell', 'resume_ai_seat', {})).toMatchObject({ code: 'forbidden' })
    expect(await table.refusal('ellen', 'resume_ai_seat', {}, { door: 'mcp' })).toMatchObject({ code: 'human_needed' })
    await dm('resume_ai_seat')
    model.say('Here I am.')
    expect((await ask()).state).toBe('done')
  })

  test('a pause between two calls of one answer stops the second', async () => {
    const { stag } = await fight()
    const { store, announced } = table
    void store
    // What hears of each commit: the first blow.
    const heard = announced.push.bind(announced)
    announced.push = (...changes) => {
      if (changes.some(({ entity }) => entity.name === 'encounter_event')) {
        announced.push = heard
        void table.call('pell', 'pause_ai_seat')
      }
      return heard(...changes)
    }
    const hit = ['damage_combatant', { combatantId: stag, amount: 5 }] as const
    model.say(calls(hit, hit, hit), 'never said')
    const turn = await ask()
    expect(turn.state).toBe('stopped')
    expect((await dm('get_combatant', { combatantId: stag })).hp).toBe(195)
  })

  test.each([
    ['a pause', 'pause_ai_seat', {}, 'Somebody at the table stopped it.'],
    ['an X-card', 'raise_safety_signal', { kind: 'x_card' }, 'Somebody asked to stop: the table is still.'],
  ] as const)('%s ends a call of the model that is under way', async (_, operation, input, message) => {
    const waits = new Promise<never>(() => {})
    model.say(async () => {
      await table.call('pell', operation, input)
      return waits
    })
    const turn = await ask()
    expect([turn.state, turn.message, turn.text]).toEqual(['stopped', message, null])
    expect(model.asked[0]?.signal.aborted).toBe(true)
    expect(await table.refusal('ellen', 'narrate', { prompt: 'x' })).toMatchObject({ code: 'invalid_state' })
  })

  test('off, another mode, an archived campaign and a lost role stop it too', async () => {
    const waits = new Promise<never>(() => {})
    for (const change of [
      () => seat({ mode: 'off' }),
      () => seat({ mode: 'co_dm' }),
      () => seat({ maySeeSecrets: true }),
    ]) {
      await seat({ mode: 'driver', maySeeSecrets: false })
      model.say(async () => {
        await change()
        return waits
      })
      expect((await ask()).state).toBe('stopped')
    }
    await seat({ mode: 'driver', maySeeSecrets: false })
    model.say(async () => {
      await dm('set_campaign_status', { status: 'archived' })
      return calls(['roll_dice', { expression: '1d20' }])
    })
    const turn = await ask()
    expect([turn.state, turn.actions]).toEqual(['stopped', []])
  })

  test('without the right to secrets it neither touches nor is told of what players do not see', async () => {
    const { encounterId } = await fight()
    const { id: hidden } = await dm('add_combatant', {
      encounterId,
      kind: 'monster',
      name: 'HOLLOW PICKER',
      hpMax: 20,
      hidden: true,
    })
    const { id: npcId } = await dm('create_npc', { name: 'THE BURIED QUEEN', hidden: true })
    model.say(
      calls(
        ['damage_combatant', { combatantId: hidden, amount: 5 }],
        ['set_npc_disposition', { npcId, disposition: 'hostile' }],
      ),
      calls(['get_encounter', { encounterId }], ['next_turn', { encounterId }]),
      'So.',
    )
    const turn = await ask()
    expect(outcomes(turn)).toEqual([
      'damage_combatant refused',
      'set_npc_disposition refused',
      'get_encounter looked',
      'next_turn done',
    ])
    expect(sent()).not.toMatch(/HOLLOW|BURIED/)
    expect((await dm('get_combatant', { combatantId: hidden })).hp).toBe(20)
  })
})
