import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Failure } from '../../src/kernel/errors.ts'
import { long } from '../support/long.ts'
import { type Answer, makeTable, type Table } from './support.ts'

// A phone on a bad network sends what it sent once more, at once or much later. Whatever was done in between, in whatever
// order: the same key answers as it did, and the database is byte for byte what it was.

const runs = long ? 10_000 : 12

/** One change of a fight; `who` is an index of its combatants. */
interface Step {
  readonly name: string
  readonly who?: number
  readonly input: Readonly<Record<string, unknown>>
  /** Which of the steps until then is sent again afterwards, counted from this one. */
  readonly again: number
}

const who = fc.integer({ min: 0, max: 2 })
const again = fc.integer({ min: 0, max: 4 })
const step = (name: string, input: Readonly<Record<string, fc.Arbitrary<unknown>>>, onFight = false) =>
  fc.record({ name: fc.constant(name), ...(onFight ? {} : { who }), input: fc.record(input), again })
const key = fc.constantFrom('prone', 'frightened', 'marked')

const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: step('next_turn', {}, true) },
    { weight: 1, arbitrary: step('previous_turn', {}, true) },
    { weight: 1, arbitrary: step('undo_encounter_event', {}, true) },
    { weight: 1, arbitrary: step('end_encounter', {}, true) },
    { weight: 1, arbitrary: step('reopen_encounter', {}, true) },
    { weight: 4, arbitrary: step('damage_combatant', { amount: fc.integer({ min: 0, max: 30 }) }) },
    {
      weight: 2,
      arbitrary: step('heal_combatant', { amount: fc.integer({ min: 0, max: 9 }), temporary: fc.boolean() }),
    },
    {
      weight: 2,
      arbitrary: step('set_combatant_conditions', {
        add: fc.array(fc.record({ key, rounds: fc.integer({ min: 1, max: 3 }) }), { minLength: 1, maxLength: 2 }),
      }),
    },
    { weight: 2, arbitrary: step('roll_death_save', {}) },
    { weight: 1, arbitrary: step('set_combatant_initiative', { initiative: fc.integer({ min: 1, max: 25 }) }) },
    { weight: 1, arbitrary: step('remove_combatant', {}) },
  ),
  { minLength: 2, maxLength: 6 },
)

async function fightOf(table: Table): Promise<{ encounterId: number; combatantIds: readonly number[] }> {
  const { id: encounterId } = await table.call('ellen', 'create_encounter', { name: 'At the ford' })
  const combatantIds: number[] = []
  for (const [kind, name] of [
    ['character', 'Wren'],
    ['monster', 'Stag'],
    ['monster', 'Picker'],
  ])
    combatantIds.push((await table.call('ellen', 'add_combatant', { encounterId, kind, name, hpMax: 18, ac: 12 })).id)
  await table.call('ellen', 'begin_encounter', { encounterId })
  return { encounterId, combatantIds }
}

/** How many rows were ever written, by whatever statement, in this database's life. */
const rowsWritten = ({ store }: Table): number => Number(store.get('SELECT total_changes() AS count')?.count)

interface Sent {
  readonly name: string
  readonly input: Readonly<Record<string, unknown>>
  readonly idempotencyKey: string
}

/** What a call answers, a refusal included. */
async function outcome(table: Table, { name, input, idempotencyKey }: Sent): Promise<Answer> {
  try {
    return { answer: await table.call('ellen', name, input, { idempotencyKey }) }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return { refused: error.code }
  }
}

test.each(['dnd5e 2014', 'dnd5e 2024', 'pathfinder2e', 'generic'])(
  'in %s what is sent again with its key answers as it did and writes nothing',
  { timeout: 3_600_000 },
  async (ruleSystem) => {
    const table = await makeTable()
    await table.call('ellen', 'update_campaign', { ruleSystem })
    let sent = 0
    const untouched = rowsWritten(table)
    let replayed = 0
    await fc.assert(
      fc.asyncProperty(steps, async (given) => {
        const { encounterId, combatantIds } = await fightOf(table)
        const done: { readonly call: Sent; readonly answer: Answer }[] = []
        for (const { name, who: index, input: values, again: back } of given) {
          const subject = index === undefined ? { encounterId } : { combatantId: combatantIds[index] }
          const call = { name, input: { ...subject, ...values }, idempotencyKey: `tap-${++sent}` }
          const { answer } = await outcome(table, call)
          if (answer !== undefined) done.push({ call, answer })
          const earlier = done.at(-1 - Math.min(back, done.length - 1))
          if (earlier === undefined) continue
          const before = rowsWritten(table)
          expect(await outcome(table, earlier.call)).toEqual({ answer: earlier.answer })
          expect(rowsWritten(table)).toBe(before)
          replayed++
        }
      }),
      { numRuns: runs, seed: 20261123 },
    )
    expect(replayed).toBeGreaterThan(runs)
    expect(rowsWritten(table)).toBeGreaterThan(untouched + sent)
  },
)
