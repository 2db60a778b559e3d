import { beforeEach, describe, expect, test } from 'vitest'
import { type Answer, makeTable, type Person, type Table } from './support.ts'

// What falls, who sees it, and what players are asked to roll.

let table: Table
let wren: number
beforeEach(async () => {
  table = await makeTable()
  await table.call('ellen', 'update_campaign', { ruleSystem: 'D&D 5e (2014)' })
  wren = (await table.call('wren', 'create_character', { name: 'Wren', level: 3, abilities: { wis: 14 }, hpMax: 20 }))
    .id
})

const call = (person: Person, name: string, input: object): Promise<Answer> => table.call(person, name, { ...input })
const roll = (person: Person, input: object = {}) => call(person, 'roll_dice', { expression: '1d20+5', ...input })
const seen = async (person: Person): Promise<string[]> =>
  (await call(person, 'list_dice_rolls', {})).items.map(({ label }: Answer) => label)

describe('a roll', () => {
  test('is kept with all that fell', async () => {
    const { roll: fell } = await roll('wren', { expression: '4d6kh3 [luck] + 1', characterId: wren })
    expect(fell.terms[0].dice).toHaveLength(4)
    expect(fell.terms[0].dice.filter(({ out }: Answer) => out === 'dropped')).toHaveLength(1)
    expect(fell.total).toBe(fell.terms[0].total + 1)
    expect(fell).toMatchObject({ userId: table.userId('wren'), characterId: wren, visibility: 'party' })
  })

  test('that cannot be read is refused at its place, and nothing is kept', async () => {
    const refusal = await table.refusal('wren', 'roll_dice', { expression: '1d20 + bananas' })
    expect(refusal).toMatchObject({ code: 'validation_failed', message: expect.stringContaining('character 8') })
    expect(await seen('ellen')).toEqual([])
    expect((await table.refusal('gast', 'roll_dice', { expression: '1d6' })).code).toBe('forbidden')
    expect((await table.refusal('pell', 'roll_dice', { expression: '1d6', characterId: wren })).message).toContain(
      'Wren',
    )
  })

  test('is seen by the table, by two, or by the Dungeon Master alone', async () => {
    await roll('wren', { label: 'open' })
    await roll('wren', { label: 'between us', visibility: 'dm' })
    const secret = await roll('wren', { label: 'sealed', visibility: 'secret' })
    await roll('ellen', { label: 'the DM’s', visibility: 'secret' })
    expect(secret).toEqual({ roll: null, says: expect.stringContaining('Only the Dungeon Master') })
    expect(await seen('ellen')).toEqual(['the DM’s', 'sealed', 'between us', 'open'])
    expect(await seen('wren')).toEqual(['between us', 'open'])
    expect([await seen('pell'), await seen('gast')]).toEqual([['open'], ['open']])
    const changes = await call('pell', 'list_recent_changes', { since: '2026-01-01T00:00:00Z' })
    expect(JSON.stringify(changes)).not.toContain('sealed')
  })

  test('is shown by whoever rolled it or a Dungeon Master, once', async () => {
    const { roll: fell } = await roll('wren', { label: 'between us', visibility: 'dm' })
    expect((await table.refusal('pell', 'reveal_dice_roll', { rollId: fell.id })).code).toBe('not_found')
    await call('wren', 'reveal_dice_roll', { rollId: fell.id })
    expect(await seen('gast')).toEqual(['between us'])
    expect((await table.refusal('ellen', 'reveal_dice_roll', { rollId: fell.id })).code).toBe('invalid_state')
  })

  test('is never taken back', async () => {
    await roll('wren')
    const { items } = await call('ellen', 'list_audit_records', { operation: 'roll_dice' })
    expect(items[0].revertible).toBe(false)
  })
})

describe('a check', () => {
  test('rolls with its modifier and with what conditions do to it', async () => {
    await call('wren', 'set_character_conditions', { characterId: wren, add: [{ key: 'poisoned' }] })
    const check = { characterId: wren, checkId: 'skill.perception', difficulty: 12 }
    const { roll: fell } = await call('wren', 'roll_check', check)
    expect(fell).toMatchObject({ expression: '2d20kl1+2', label: 'Perception' })
    expect(fell.outcome).toBe(fell.total >= 12 ? 'success' : 'failure')
    const both = await call('wren', 'roll_check', { ...check, mode: 'advantage', bonus: 1 })
    expect(both.roll.expression).toBe('1d20+3')
    expect((await table.refusal('pell', 'roll_check', check)).code).toBe('forbidden')
    expect((await table.refusal('wren', 'roll_check', { ...check, checkId: 'skill.dance' })).message).toContain(
      'ability.str',
    )
  })

  test('that fails without a roll says so', async () => {
    await call('wren', 'set_character_conditions', { characterId: wren, add: [{ key: 'stunned' }] })
    const { roll: fell } = await call('wren', 'roll_check', { characterId: wren, checkId: 'save.dex', difficulty: 1 })
    expect(fell).toMatchObject({ outcome: 'failure', outcomeSays: 'Fails: stunned' })
  })
})

describe('what is asked', () => {
  const ask = async (values: object = {}): Promise<number> => {
    const asked = { characterIds: [wren], checkId: 'skill.perception', difficulty: 10, ...values }
    return (await call('ellen', 'request_check', asked)).requests[0].id
  }
  const open = async (person: Person) => (await call(person, 'list_check_requests', {})).items
  const answer = (person: Person, checkRequestId: number) => call(person, 'answer_check_request', { checkRequestId })

  test('is answered from the phone of whose character it is; the number stays with the Dungeon Master', async () => {
    const id = await ask({ reason: 'To hear the song' })
    expect((await open('wren'))[0]).toMatchObject({
      status: 'open',
      checkName: 'Perception',
      reason: 'To hear the song',
    })
    expect((await open('wren'))[0]).not.toHaveProperty('difficulty')
    expect((await table.refusal('pell', 'answer_check_request', { checkRequestId: id })).code).toBe('forbidden')
    const { roll: fell } = await answer('wren', id)
    expect(fell).not.toHaveProperty('difficulty')
    expect((await open('pell'))[0]).toMatchObject({ status: 'answered', roll: { total: fell.total } })
    expect((await table.refusal('wren', 'answer_check_request', { checkRequestId: id })).message).toContain('already')
  })

  test('in secret is between two, and what comes of it is the Dungeon Master’s', async () => {
    const id = await ask({ secret: true, reason: 'Whether Marta lied' })
    expect(await open('pell')).toEqual([])
    expect((await answer('wren', id)).roll).toBeNull()
    expect((await open('wren'))[0]).toMatchObject({ status: 'answered', roll: null })
    expect((await open('ellen'))[0].roll.total).toBeGreaterThan(0)
    expect((await call('wren', 'list_dice_rolls', {})).items).toEqual([])
  })

  test('can be rolled by the Dungeon Master for them, and withdrawn while it waits', async () => {
    expect((await answer('ellen', await ask())).roll.characterId).toBe(wren)
    const id = await ask()
    await call('ellen', 'cancel_check_request', { checkRequestId: id })
    expect((await table.refusal('wren', 'answer_check_request', { checkRequestId: id })).message).toContain('withdrawn')
  })
})
