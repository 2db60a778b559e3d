import { describe, expect, test } from 'vitest'
import type { Life } from '../../src/rules/life.ts'
import { multipleAttackPenalty } from '../../src/rules/pathfinder2e/statistics.ts'
import type { Sheet } from '../../src/rules/sheet.ts'
import { systemOf } from '../../src/rules/systems.ts'
import { hit, lifeWith, sheetWith } from '../support/sheets.ts'

// Each expectation is worked out from the rule in the line above it.

const pf2 = systemOf('Pathfinder 2e')
const strict = systemOf('Pathfinder 2e strict')
const someone = sheetWith({ hpMax: 40 })
const modifier = (sheet: Sheet, id: string, conditions: Life['conditions'] = []) =>
  pf2.checks(sheet, conditions).find((each) => each.id === id)?.modifier
const dying = (marks: Life['marks'], conditions: Life['conditions'] = []) =>
  lifeWith(0, 40, { state: 'dying', marks, conditions })

describe('checks', () => {
  test('an expert of level 5 with DEX +4 has 4 + 5 + 4; untrained is the attribute alone', () => {
    const sheet = sheetWith({ level: 5, abilities: { dex: 4 }, skills: { stealth: 'expert' } })
    expect([modifier(sheet, 'skill.stealth'), modifier(sheet, 'skill.acrobatics')]).toEqual([13, 4])
  })

  test('ten above is critical, ten below too: DC 21 with 31, 21, 20, 11', () => {
    const degrees = [31, 21, 20, 11].map((total) => pf2.outcome({ total, natural: 9 }, 21, 'skill').degree)
    expect(degrees).toEqual(['critical-success', 'success', 'failure', 'critical-failure'])
  })

  test('a twenty is a step better: 30 against 31 succeeds; a one is a step worse: 21 against 10 merely succeeds', () => {
    expect(pf2.outcome({ total: 30, natural: 20 }, 31, 'skill').degree).toBe('success')
    expect(pf2.outcome({ total: 21, natural: 1 }, 10, 'skill').degree).toBe('success')
  })

  test('attacks of a turn get harder by the weapon used then: sword 0, agile −4, sword −10', () => {
    expect([multipleAttackPenalty(1, true), multipleAttackPenalty(2, false), multipleAttackPenalty(4, true)]).toEqual([
      -4, -10, -8,
    ])
    const sword = { key: 'sword', name: 'Sword', attack: 12 }
    expect([0, 1, 2].map((made) => pf2.attackThrow(sword, [], 'plain', made)?.expression)).toEqual([
      '1d20+12',
      '1d20+7',
      '1d20+2',
    ])
  })

  test('of penalties of one type the worst counts: frightened 2 and sickened 1 are −2; a turn later frightened is 1', () => {
    const conditions = [
      { key: 'frightened', level: 2 },
      { key: 'sickened', level: 1 },
    ]
    expect(modifier(someone, 'save.will', conditions)).toBe((modifier(someone, 'save.will') ?? 0) - 2)
    const after = pf2.life.turnEnds(lifeWith(40, 40, { conditions }), someone).life.conditions
    expect(after).toEqual([
      { key: 'frightened', level: 1 },
      { key: 'sickened', level: 1 },
    ])
  })

  test('off guard takes 2 off the armour class, a status penalty comes on top', () => {
    const sheet = sheetWith({ ac: 20 })
    expect(pf2.armourClass(sheet, [{ key: 'prone' }])).toBe(18)
    expect(pf2.armourClass(sheet, [{ key: 'prone' }, { key: 'clumsy', level: 1 }])).toBe(17)
  })

  test('of equal initiatives the foe is first', () => {
    const rolled = (isCharacter: boolean) => ({ total: 20, modifier: 5, isCharacter })
    expect(pf2.compareInitiative(rolled(false), rolled(true))).toBeLessThan(0)
  })
})

describe('damage', () => {
  const against = (defences: Sheet['defences'], parts: readonly { amount: number; type: string }[]) =>
    pf2.life.damage(lifeWith(40, 40), { parts }, sheetWith({ hpMax: 40, defences })).dealt

  test('weakness before resistance: 12 fire + 5 − 3 of all = 14', () => {
    const defences = { weaknesses: [{ type: 'fire', amount: 5 }], resistances: [{ type: 'all', amount: 3 }] }
    expect(against(defences, [{ amount: 12, type: 'fire' }])).toBe(14)
  })

  test('resistance to all works on each type apart: 7 − 5 and 4 − 5 leave 2', () => {
    const defences = { resistances: [{ type: 'all', amount: 5 }] }
    const parts = [
      { amount: 7, type: 'slashing' },
      { amount: 4, type: 'fire' },
    ]
    expect(against(defences, parts)).toBe(2)
  })

  test('a basic save against 23 leaves 0, 11, 23, 46', () => {
    const dealt = (['critical-success', 'success', 'failure', 'critical-failure'] as const).map((degree) => {
      const share = pf2.shareAfterSave({ degree, passed: degree.includes('success'), says: '' }, true)
      return pf2.life.damage(lifeWith(90, 90), { ...hit(23), share }, someone).dealt
    })
    expect(dealt).toEqual([0, 11, 23, 46])
  })

  test('a critical hit doubles the total', () => {
    expect(pf2.criticalDamage('2d6+4')).toBe('(2d6+4)*2')
  })

  test('one blow of twice the maximum kills', () => {
    expect(pf2.life.damage(lifeWith(40, 40), hit(80), someone).life.state).toBe('dead')
    expect(pf2.life.damage(lifeWith(40, 40), hit(79), someone).life.state).toBe('dying')
  })
})

describe('dying', () => {
  test('felled by a critical hit while wounded 1: dying 2 + 1', () => {
    const life = pf2.life.damage(
      lifeWith(5, 40, { marks: { wounded: 1 } }),
      { ...hit(9), critical: true },
      someone,
    ).life
    expect([life.state, life.marks.dying]).toEqual(['dying', 3])
  })

  test('recovery is a flat check against 10 + dying: at dying 2, 12 → 1, 3 → 3, 2 → dead', () => {
    const recovered = (total: number) => pf2.life.recover(dying({ dying: 2 }), { total, natural: total }, someone).life
    expect(pf2.life.recovery(dying({ dying: 2 }))?.difficulty).toBe(12)
    expect(recovered(12).marks.dying).toBe(1)
    expect(recovered(3).marks.dying).toBe(3)
    expect(recovered(2).state).toBe('dead')
  })

  test('a twenty takes two off: at dying 2 that ends it, steady at nought and wounded', () => {
    const after = pf2.life.recover(dying({ dying: 2 }), { total: 20, natural: 20 }, someone).life
    expect([after.state, after.hp, after.marks]).toEqual(['stable', 0, { wounded: 1 }])
  })

  test('doomed 1 makes dying 3 deadly', () => {
    const after = pf2.life.damage(dying({ dying: 2 }, [{ key: 'doomed', level: 1 }]), hit(1), someone).life
    expect(after.state).toBe('dead')
  })

  test('dying 1, wounded 2, recovery fails: dying 2; by the strict reading 1 + 1 + 2, dead', () => {
    const failed = { total: 5, natural: 5 }
    const hurt = dying({ dying: 1, wounded: 2 })
    expect(pf2.life.recover(hurt, failed, someone).life.marks.dying).toBe(2)
    expect(strict.life.recover(hurt, failed, someone).life.state).toBe('dead')
  })

  test('healed: awake, and wounded a step more', () => {
    const after = pf2.life.heal(dying({ dying: 2, wounded: 1 }), 7, someone).life
    expect([after.state, after.hp, after.marks]).toEqual(['up', 7, { wounded: 2 }])
  })

  test('steadying is DC 15 + dying', () => {
    expect(pf2.life.steadying(dying({ dying: 2 }))?.difficulty).toBe(17)
  })
})

describe('conditions with a value', () => {
  test('drained 2 at level 6 takes 12 of hit points and maximum: 50 of 80 is 38 of 68; a night later the maximum is 74', () => {
    const sheet = sheetWith({ level: 6, hpMax: 80, abilities: { con: 0 } })
    const life = pf2.life.addCondition(lifeWith(50, 80), { key: 'drained', level: 2 }, sheet).life
    expect([life.hp, life.hpMax]).toEqual([38, 68])
    const body = { sheet, life, slots: [], resources: [], spent: [] }
    expect(pf2.rest('long', body).life.hpMax).toBe(74)
  })

  test('persistent 4 fire hurts at the end of the turn, and a flat 15 puts it out', () => {
    const burning = lifeWith(40, 40, { conditions: [{ key: 'persistent-damage', level: 4, note: 'fire' }] })
    const { life, asks } = pf2.life.turnEnds(burning, someone)
    const [hurts, ends] = asks
    if (hurts === undefined || ends === undefined) throw new Error('nothing was asked')
    expect([hurts.expression, ends.difficulty]).toEqual(['4', 15])
    const hurt = pf2.life.answerTurn(life, hurts, { total: 4, natural: null }, someone).life
    expect(hurt.hp).toBe(36)
    expect(pf2.life.answerTurn(hurt, ends, { total: 14, natural: 14 }, someone).life.conditions).toHaveLength(1)
    expect(pf2.life.answerTurn(hurt, ends, { total: 15, natural: 15 }, someone).life.conditions).toEqual([])
  })

  test('stunned 4 takes three actions and then one', () => {
    const actions = (life: Life) => pf2.life.turnBegins(life, someone).parts.find(({ key }) => key === 'action')?.count
    const stunned = lifeWith(40, 40, { conditions: [{ key: 'stunned', level: 4 }] })
    expect(actions(stunned)).toBe(0)
    const next = pf2.life.turnBegins(stunned, someone).life
    expect(actions(next)).toBe(2)
    expect(pf2.life.turnBegins(next, someone).life.conditions).toEqual([])
  })
})

describe('nights, levels and fights', () => {
  const night = (con: number) => {
    const sheet = sheetWith({ level: 5, hpMax: 60, abilities: { con } })
    return pf2.rest('long', { sheet, life: lifeWith(20, 60), slots: [], resources: [], spent: [] }).life.hp
  }

  test('a night gives CON, at least one, for each level: level 5 with +2 gets 10, with −1 gets 5', () => {
    expect([night(2), night(-1)]).toEqual([30, 25])
  })

  test('a thousand is a level, the rest stays: 960 + 80 leaves 40', () => {
    expect(pf2.levels?.award(4, 960, 80)).toEqual({ experience: 1040, ready: true })
    expect(pf2.levels?.afterLevel(4, 1040)).toBe(40)
  })

  test('five of level 4 against 4, 4 and 2: 40 + 40 + 20 = 100 of a moderate 80 + 20; each gets 100 × 4 / 5', () => {
    const foes = [
      { name: 'a', rating: 4, count: 2 },
      { name: 'b', rating: 2, count: 1 },
    ]
    expect(pf2.difficulty([4, 4, 4, 4, 4], foes)).toMatchObject({ total: 100, tier: 'moderate' })
    expect(pf2.experienceShare(100, 5)).toBe(80)
  })

  test('more than four levels above the party nothing is rated, more than four below it is worth nothing', () => {
    expect(pf2.difficulty([4, 4, 4, 4], [{ name: 'a', rating: 9, count: 1 }])?.tier).toBe('beyond')
    expect(pf2.experienceOf({ name: 'a', rating: -1, count: 1 }, [4])).toBe(0)
  })

  test('a cleric gets rank 2 at level 3 with two slots, three from level 4', () => {
    const slots = (level: number) => pf2.slotsFor([{ name: 'Cleric', level }])?.map(({ max }) => max)
    expect([slots(3), slots(4)]).toEqual([
      [3, 2],
      [3, 3],
    ])
  })
})
