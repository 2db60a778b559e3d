import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { gateByConsent } from '../../src/domain/session/consent.ts'
import { type Answer, bodies, makeTable, type Person, type Table } from './support.ts'

const rows = fc.array(fc.record({ authorUserId: fc.integer({ min: 1, max: 6 }), body: fc.string() }))
const terms = fc.record({
  policy: fc.constantFrom('member_consent' as const, 'disabled' as const),
  agreed: fc.uniqueArray(fc.integer({ min: 1, max: 6 })).map((ids) => new Set(ids)),
})

describe('the gate', () => {
  test('admits exactly the texts of consenting authors, in order, and counts the rest', () => {
    fc.assert(
      fc.property(terms, rows, rows, ({ policy, agreed }, notes, inboxItems) => {
        const { admitted, consent } = gateByConsent({ policy, agreed }, { notes, inboxItems })
        const allowed = (list: typeof notes) =>
          policy === 'disabled' ? [] : list.filter((row) => agreed.has(row.authorUserId))
        expect(admitted).toEqual({ notes: allowed(notes), inboxItems: allowed(inboxItems) })
        expect(consent.included).toBe(admitted.notes.length + admitted.inboxItems.length)
        expect(consent.included + consent.withheld).toBe(notes.length + inboxItems.length)
        expect(consent.withheldByReason).toEqual(
          policy === 'disabled'
            ? { no_consent: 0, policy_disabled: consent.withheld }
            : { no_consent: consent.withheld, policy_disabled: 0 },
        )
      }),
    )
  })

  test('says how many notes wait for their authors', () => {
    const note = { authorUserId: 1 }
    const message = (policy: 'member_consent' | 'disabled', count: number): string =>
      gateByConsent({ policy, agreed: new Set() }, { notes: Array.from({ length: count }, () => note) }).consent.message
    expect(message('member_consent', 0)).toBe('Nothing was withheld.')
    expect(message('member_consent', 1)).toContain('1 note is withheld pending author consent')
    expect(message('member_consent', 3)).toContain('3 notes are withheld pending author consent')
    expect(message('disabled', 2)).toContain('2 notes are withheld')
  })
})

async function consent(table: Table, ...people: readonly Person[]): Promise<void> {
  for (const person of people) await table.call(person, 'set_my_ai_consent', { consent: true })
}

/** Two members' inbox items and party notes, the DM's own, and texts that are never a source. */
async function tableWithTexts(): Promise<Table> {
  const table = await makeTable()
  const { id } = await table.call('ellen', 'create_session', { title: 'The ledger', prep: 'PREP', dmSecret: 'SECRET' })
  await table.call('ellen', 'start_session', { sessionId: id })
  for (const person of ['ellen', 'pell', 'wren'] as const) {
    await table.call(person, 'submit_inbox_item', { body: `inbox of ${person}` })
    await table.call(person, 'create_note', { body: `party note of ${person}`, visibility: 'party' })
    await table.call(person, 'create_note', { body: `NEVER private of ${person}`, visibility: 'private' })
    await table.call(person, 'create_note', { body: `NEVER dm note of ${person}`, visibility: 'dm' })
  }
  await table.call('pell', 'send_whisper', { recipientUserId: table.userId('ellen'), body: 'NEVER whisper' })
  return table
}

const sourcesOf = (draft: Answer): string[] => [...bodies(draft.sources.inboxItems), ...bodies(draft.sources.notes)]

test('a person who gathers for a recap gets what members passed on and noted for the party, whoever allows AI', async () => {
  const table = await tableWithTexts()
  const draft = await table.call('ellen', 'draft_session_recap')
  expect(sourcesOf(draft)).toEqual([
    'inbox of ellen',
    'inbox of pell',
    'inbox of wren',
    'party note of ellen',
    'party note of pell',
    'party note of wren',
  ])
  expect(draft.consent).toMatchObject({ included: 6, withheld: 0, message: 'Nothing was withheld.' })
  expect(JSON.stringify(draft)).not.toContain('NEVER')
})

describe.each(['mcp', 'seat'] as const)('draft_session_recap over %s', (door) => {
  test('has nothing of anybody, the DM included, until they opt in', async () => {
    const table = await tableWithTexts()
    const draft = await table.call('ellen', 'draft_session_recap', {}, { door })
    expect(sourcesOf(draft)).toEqual([])
    expect(draft.consent).toMatchObject({
      policy: 'member_consent',
      included: 0,
      withheld: 6,
      withheldByReason: { no_consent: 6, policy_disabled: 0 },
    })
  })

  test('has what consenting members wrote and never private notes, notes to the DM or whispers', async () => {
    const table = await tableWithTexts()
    await consent(table, 'pell', 'ellen')
    const draft = await table.call('ellen', 'draft_session_recap', {}, { door })
    expect(sourcesOf(draft)).toEqual(['inbox of ellen', 'inbox of pell', 'party note of ellen', 'party note of pell'])
    expect(draft.consent).toMatchObject({ included: 4, withheld: 2 })
    const text = JSON.stringify(draft)
    for (const never of ['NEVER', 'wren', 'PREP', 'SECRET']) expect(text).not.toContain(never)
  })

  test('has nothing under the policy disabled, whoever consented', async () => {
    const table = await tableWithTexts()
    await consent(table, 'pell', 'wren', 'ellen')
    await table.call('ellen', 'update_campaign_settings', { aiContentPolicy: 'disabled' })
    const draft = await table.call('ellen', 'draft_session_recap', {}, { door })
    expect(sourcesOf(draft)).toEqual([])
    expect(draft.consent.withheldByReason).toEqual({ no_consent: 0, policy_disabled: 6 })
    expect(JSON.stringify(draft.outline)).not.toContain('of pell')
  })

  test('withholds again when a member leaves or takes consent back', async () => {
    const table = await tableWithTexts()
    await consent(table, 'pell', 'wren')
    await table.call('pell', 'set_my_ai_consent', { consent: false })
    await table.call('wren', 'leave_campaign')
    const draft = await table.call('ellen', 'draft_session_recap', {}, { door })
    expect(sourcesOf(draft)).toEqual([])
    expect(draft.consent.withheld).toBe(6)
  })
})

test('session prep gives a person the whole inbox and an AI client what was consented to', async () => {
  const table = await tableWithTexts()
  await consent(table, 'pell')
  const person = await table.call('ellen', 'get_session_prep')
  expect(bodies(person.inbox)).toEqual(['inbox of ellen', 'inbox of pell', 'inbox of wren'])
  expect(person.consent).toBeNull()
  for (const door of ['mcp', 'seat'] as const) {
    const machine = await table.call('ellen', 'get_session_prep', {}, { door })
    expect(bodies(machine.inbox)).toEqual(['inbox of pell'])
    expect(machine.consent).toMatchObject({ included: 1, withheld: 2 })
  }
})
