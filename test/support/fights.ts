import type { Fight, Fighter, Judge, Roll } from '../../src/combat/fight.ts'
import { rollDice } from '../../src/kernel/dice.ts'
import type { Sheet } from '../../src/rules/sheet.ts'
import type { RuleSystem } from '../../src/rules/system.ts'
import { seededRandom } from './random.ts'
import { sheetWith } from './sheets.ts'

/** Dice that fall the same in every run. */
export function seededRoll(seed: number): Roll {
  const random = seededRandom(seed)
  return (expression) => rollDice(expression, random.integer)
}

/** Dice that show these totals, one after the other, and then ones. */
export function rolling(...totals: readonly number[]): Roll {
  const left = [...totals]
  return () => {
    const total = left.shift() ?? 1
    return { total, natural: total, text: String(total) }
  }
}

export function judgeOf(rules: RuleSystem, roll: Roll = seededRoll(1), by: Judge['by'] = 'dm'): Judge {
  return { rules, roll, by }
}

/** Somebody in a fight with nothing about them but what is given; unhurt, of the sheet's hit points. */
export function fighterWith(id: number, given: Partial<Fighter> & { readonly of?: Partial<Sheet> } = {}): Fighter {
  const { of = {}, ...rest } = given
  const sheet = sheetWith({ hpMax: 20, ac: 12, ...of })
  return {
    id,
    name: `Fighter ${id}`,
    sheet,
    actions: [],
    group: null,
    hp: sheet.hpMax ?? 0,
    hpTemp: 0,
    lifeState: 'up',
    marks: {},
    conditions: [],
    concentration: null,
    resources: [],
    slots: [],
    initiative: null,
    place: id * 2 ** 30,
    parts: [],
    attacksMade: 0,
    delaying: false,
    readied: null,
    recoveryDue: false,
    spent: [],
    removed: false,
    ...rest,
  }
}

export function fightOf(...fighters: readonly Fighter[]): Fight {
  return { status: 'planning', round: 0, actingId: null, turns: 0, fighters }
}
