import type { Condition, Life } from '../../src/rules/life.ts'
import type { Sheet } from '../../src/rules/sheet.ts'

/** A character's sheet with nothing on it but what is given. */
export function sheetWith(given: Partial<Sheet> = {}): Sheet {
  return {
    level: 1,
    isCharacter: true,
    classes: [],
    abilities: {},
    skills: {},
    saves: {},
    bonuses: {},
    checks: [],
    size: null,
    ac: null,
    speeds: {},
    hpMax: null,
    hitDice: [],
    experience: 0,
    defences: {},
    ...given,
  }
}

/** Somebody with so many hit points of so many. */
export function lifeWith(hp: number, hpMax: number, given: Partial<Life> = {}): Life {
  return { hp, hpMax, hpTemp: 0, state: 'up', marks: {}, conditions: [], concentration: null, ...given }
}

export const hit = (amount: number, type: string | null = null) => ({ parts: [{ amount, type }] })
export const having = (...keys: readonly string[]): readonly Condition[] => keys.map((key) => ({ key }))
