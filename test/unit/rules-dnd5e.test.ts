import { describe, expect, test } from 'vitest'
import { multiplierFor } from '../../src/rules/dnd5e/difficulty.ts'
import { firstHitPoints, levelAt } from '../../src/rules/dnd5e/growth.ts'
import { concentrationDifficulty } from '../../src/rules/dnd5e/life.ts'
import { armourClassOf, modifierOf, passiveOf, proficiencyFor } from '../../src/rules/dnd5e/statistics.ts'
import { classes } from '../../src/rules/dnd5e/tables.ts'
import type { Condition, Life } from '../../src/rules/life.ts'
import type { Sheet } from '../../src/rules/sheet.ts'
import { systemOf } from '../../src/rules/systems.ts'
import { having, hit, lifeWith, sheetWith } from '../support/sheets.ts'

// Each expectation is worked out from the rule in the line above it.

const older = systemOf('D&D 5e (2014)')
const newer = systemOf('D&D 5e (2024)')
const someone = sheetWith({ hpMax: 30 })
const checkOf = (system: typeof older, sheet: Sheet, id: string, conditions: readonly Condition[] = []) => {
  const found = system.checks(sheet, conditions).find((each) => each.id === id)
  if (found === undefined) throw new Error(`no check ${id}`)
  return found
}

test('campaigns name their game in their own words', () => {
  expect([older.id, newer.id]).toEqual(['dnd5e-2014', 'dnd5e-2024'])
  expect(systemOf('dnd5e').id).toBe('dnd5e-2024')
  expect(systemOf('SRD 5.1').id).toBe('dnd5e-2014')
  expect(systemOf('Blades in the Dark').id).toBe('generic')
  expect(systemOf(null).id).toBe('generic')
})

describe('numbers of a sheet', () => {
  test('an ability modifier is floor((score - 10) / 2)', () => {
    expect([7, 10, 15, 30].map(modifierOf)).toEqual([-2, 0, 2, 10])
  })

  test('proficiency is +2 up to 4, and one more for every four levels', () => {
    expect([1, 4, 5, 9, 17].map(proficiencyFor)).toEqual([2, 2, 3, 4, 6])
  })

  test("a foe's proficiency goes by its challenge: 1/4 has +2", () => {
    expect(newer.proficiencyBonus(sheetWith({ isCharacter: false, level: 1, rating: 0.25 }))).toBe(2)
    expect(newer.proficiencyBonus(sheetWith({ isCharacter: false, level: 1, rating: 17 }))).toBe(6)
  })

  test('a passive value is 10 and the bonus, 5 more or less by advantage: WIS 15 proficient at level 1 gives 14, 19, 9', () => {
    const sheet = sheetWith({ abilities: { wis: 15 }, skills: { perception: 'proficient' } })
    const { modifier } = checkOf(newer, sheet, 'skill.perception')
    expect(newer.passives(sheet, [])[0]?.value).toBe(14)
    expect(passiveOf({ modifier, mode: 'advantage' })).toBe(19)
    expect(passiveOf({ modifier, mode: 'disadvantage' })).toBe(9)
  })

  test('expertise adds proficiency twice: level 5, DEX 18 gives 4 + 2 × 3', () => {
    const sheet = sheetWith({ level: 5, abilities: { dex: 18 }, skills: { stealth: 'expertise' } })
    expect(checkOf(newer, sheet, 'skill.stealth')).toMatchObject({ modifier: 10, expression: '1d20+10' })
  })

  test('half proficiency rounds down: level 5 adds floor(3 / 2)', () => {
    const sheet = sheetWith({ level: 5, skills: { arcana: 'half' } })
    expect(checkOf(newer, sheet, 'skill.arcana').modifier).toBe(1)
  })

  test('any advantage and any disadvantage cancel to one plain die, however many there are', () => {
    expect(newer.combineModes(['advantage', 'advantage', 'disadvantage'])).toBe('plain')
    const check = checkOf(newer, someone, 'ability.str')
    expect(newer.checkThrow(check, 'plain', 0).expression).toBe('1d20')
    expect(newer.checkThrow(check, 'advantage', 2).expression).toBe('2d20kh1+2')
  })

  test('scale mail is 14 and at most 2 of DEX, a shield 2, three-quarters cover 5: 23', () => {
    expect(armourClassOf(3, { base: 14, kind: 'medium' }, 2, 'three-quarters')).toBe(23)
    expect(armourClassOf(3, null)).toBe(13)
    expect(armourClassOf(3, { base: 16, kind: 'heavy' })).toBe(16)
  })

  test('one carries 15 pounds for each point of strength, twice that when large, half when tiny', () => {
    const carry = (size: string) => newer.load(sheetWith({ abilities: { str: 14 }, size }))?.free
    expect([carry('medium'), carry('large'), carry('tiny')]).toEqual([210, 420, 105])
  })

  test('a natural 20 hits and a natural 1 misses whatever the total; checks do not care', () => {
    expect(newer.outcome({ total: 12, natural: 20 }, 25, 'attack').degree).toBe('critical-success')
    expect(newer.outcome({ total: 25, natural: 1 }, 10, 'attack').passed).toBe(false)
    expect(newer.outcome({ total: 22, natural: 20 }, 25, 'skill').passed).toBe(false)
    expect(newer.outcome({ total: 15, natural: 15 }, 15, 'save').passed).toBe(true)
  })
})

describe('damage', () => {
  const struck = (life: Life, amount: number, sheet: Sheet = someone) => older.life.damage(life, hit(amount), sheet)

  test('temporary hit points go first: 5 of them and 20, 7 damage, leaves 0 and 18', () => {
    expect(struck(lifeWith(20, 30, { hpTemp: 5 }), 7)).toMatchObject({
      life: { hpTemp: 0, hp: 18 },
      absorbed: 5,
      lost: 2,
    })
  })

  test('temporary hit points never add up: 10 and 12 are 12', () => {
    expect(older.life.temporary(lifeWith(20, 30, { hpTemp: 10 }), 12).life.hpTemp).toBe(12)
    expect(older.life.temporary(lifeWith(20, 30, { hpTemp: 12 }), 10).life.hpTemp).toBe(12)
  })

  test('reduction, then resistance, then vulnerability: 28 fire - 5 = 23, halved 11, doubled 22', () => {
    const defences = { resistances: [{ type: 'all' }], weaknesses: [{ type: 'fire' }] }
    const blow = { ...hit(28, 'fire'), reduction: 5 }
    expect(older.life.damage(lifeWith(50, 50), blow, sheetWith({ defences })).dealt).toBe(22)
  })

  test('two resistances count once: 25 - 5 = 20, halved 10', () => {
    const defences = { resistances: [{ type: 'all' }, { type: 'bludgeoning' }] }
    const blow = { ...hit(25, 'bludgeoning'), reduction: 5 }
    expect(older.life.damage(lifeWith(50, 50), blow, sheetWith({ defences })).dealt).toBe(10)
  })

  test('immunity leaves nothing of its own type and all of another', () => {
    const defences = { immunities: ['poison'] }
    const blow = { parts: [...hit(9, 'poison').parts, ...hit(4, 'piercing').parts] }
    expect(older.life.damage(lifeWith(50, 50), blow, sheetWith({ defences })).dealt).toBe(4)
  })

  test('massive damage: of 12 at most, 6 left, 18 damage leaves 12 over, which is the maximum: dead', () => {
    expect(struck(lifeWith(6, 12), 18).life.state).toBe('dead')
  })

  test('one less leaves 11 over: at nought, dying, with no marks', () => {
    expect(struck(lifeWith(6, 12), 17).life).toMatchObject({ hp: 0, state: 'dying', marks: {} })
  })

  test('temporary hit points count against massive damage: 20 - 3 = 17, 11 over: dying', () => {
    expect(struck(lifeWith(6, 12, { hpTemp: 3 }), 20).life.state).toBe('dying')
  })

  test('hurt while dying: a failure, two by a critical hit, death by as much as the maximum', () => {
    const dying = lifeWith(0, 30, { state: 'dying' })
    expect(struck(dying, 4).life.marks.failures).toBe(1)
    expect(older.life.damage(dying, { ...hit(4), critical: true }, someone).life.marks.failures).toBe(2)
    expect(struck(dying, 30).life.state).toBe('dead')
  })

  test('a foe dies at nought', () => {
    expect(struck(lifeWith(7, 7), 7, sheetWith({ isCharacter: false })).life.state).toBe('dead')
  })

  test('knocked out: at nought and stable by the older rules, asleep with one by the newer', () => {
    const blow = { ...hit(9), knockOut: true }
    expect(older.life.damage(lifeWith(7, 7), blow, someone).life).toMatchObject({ hp: 0, state: 'stable' })
    const asleep = newer.life.damage(lifeWith(7, 7), blow, someone).life
    expect([asleep.hp, asleep.conditions[0]?.key]).toEqual([1, 'unconscious'])
  })

  test('concentration: the greater of 10 and half the damage; the newer rules end at 30', () => {
    expect([9, 22, 23, 70].map((dealt) => concentrationDifficulty('2014', dealt))).toEqual([10, 11, 11, 35])
    expect(concentrationDifficulty('2024', 70)).toBe(30)
  })

  test('each blow asks by itself: 12 asks for 10, 30 for 15; who falls keeps nothing', () => {
    const casting = lifeWith(60, 60, { concentration: 'Bless' })
    expect(struck(casting, 12).concentration).toEqual({ checkId: 'save.con', difficulty: 10 })
    expect(struck(casting, 30).concentration).toEqual({ checkId: 'save.con', difficulty: 15 })
    expect(struck(casting, 60)).toMatchObject({ concentration: null, life: { concentration: null } })
  })

  test('a critical hit rolls every die twice: 1d4+3 and 2d6 become 2d4+3 and 4d6', () => {
    expect(['1d4+3', '2d6', 'd8+2d6+1'].map(older.criticalDamage)).toEqual(['2d4+3', '4d6', '2d8+4d6+1'])
  })
})

describe('at nought', () => {
  const rolls = (life: Life, ...faces: readonly number[]): Life =>
    faces.reduce((now, face) => older.life.recover(now, { total: face, natural: face }, someone).life, life)
  const dying = lifeWith(0, 20, { state: 'dying' })

  test('ten or more is a success, less a failure, a one is two: 12, 8, 15, 1 is three failures', () => {
    expect(rolls(dying, 12, 8, 15).marks).toEqual({ successes: 2, failures: 1 })
    expect(rolls(dying, 12, 8, 15, 1).state).toBe('dead')
  })

  test('a twenty stands up with one hit point and clears the marks', () => {
    expect(rolls({ ...dying, marks: { failures: 2 } }, 20)).toMatchObject({ hp: 1, state: 'up', marks: {} })
  })

  test('three successes steady; hurt again they die again, with that failure alone', () => {
    const steady = rolls(dying, 10, 11, 19)
    expect(steady).toMatchObject({ state: 'stable', marks: {} })
    expect(older.life.damage(steady, hit(1), someone).life).toMatchObject({ state: 'dying', marks: { failures: 1 } })
  })

  test('any healing stands up and clears the marks; nothing heals the dead', () => {
    const fallen = older.life.damage(lifeWith(6, 20), hit(6), someone).life
    expect(fallen.conditions.map(({ key }) => key)).toEqual(['unconscious', 'prone'])
    const up = older.life.heal({ ...fallen, marks: { failures: 2 } }, 3, someone).life
    expect(up).toMatchObject({ hp: 3, state: 'up', marks: {}, conditions: [{ key: 'prone' }] })
    expect(older.life.heal({ ...dying, state: 'dead' }, 3, someone).life.hp).toBe(0)
  })

  test('medicine of 10 steadies', () => {
    expect(older.life.steadying(dying)).toEqual({ checkId: 'skill.medicine', difficulty: 10 })
    expect(older.life.steady(dying).life.state).toBe('stable')
  })
})

describe('conditions', () => {
  const tired = (level: number): readonly Condition[] => [{ key: 'exhaustion', level }]

  test('exhaustion 3 and 30 feet: by the older rules half speed and disadvantage on all, by the newer 15 feet less and −6', () => {
    expect(older.speeds(someone, tired(3)).walk).toBe(15)
    for (const kind of ['ability', 'save', 'attack'] as const)
      expect(older.rollEffect(tired(3), kind, 'str').mode, kind).toBe('disadvantage')
    expect(newer.speeds(someone, tired(3)).walk).toBe(15)
    expect(newer.rollEffect(tired(3), 'save', 'str')).toMatchObject({ mode: 'plain', modifier: -6 })
  })

  test('exhaustion 4 halves the maximum by the older rules: 41 becomes 20', () => {
    const life = older.life.addCondition(
      lifeWith(41, 41),
      { key: 'exhaustion', level: 4 },
      sheetWith({ hpMax: 41 }),
    ).life
    expect([life.hpMax, life.hp]).toEqual([20, 20])
  })

  test('the sixth level kills', () => {
    const fifth = lifeWith(20, 30, { conditions: tired(5) })
    expect(newer.life.addCondition(fifth, { key: 'exhaustion' }, someone).life.state).toBe('dead')
  })

  test('paralyzed fails strength and dexterity saves, is hit at an advantage, and critically from near by', () => {
    const held = having('paralyzed')
    expect(checkOf(newer, someone, 'save.dex', held).fails).toBe(true)
    expect(checkOf(newer, someone, 'save.wis', held).fails).toBe(false)
    expect(newer.targetEffect(held, true)).toMatchObject({ mode: 'advantage', critical: true })
    expect(newer.targetEffect(held, false)).toMatchObject({ mode: 'advantage', critical: false })
  })

  test('prone is attacked at an advantage from near by and at a disadvantage from afar', () => {
    expect(newer.targetEffect(having('prone'), true).mode).toBe('advantage')
    expect(newer.targetEffect(having('prone'), false).mode).toBe('disadvantage')
  })

  test('whoever is stunned keeps no concentration and has nothing to spend', () => {
    const casting = lifeWith(20, 20, { concentration: 'Bless' })
    const stunned = newer.life.addCondition(casting, { key: 'stunned', rounds: 1 }, someone).life
    expect(stunned.concentration).toBeNull()
    expect(newer.life.turnBegins(stunned, someone).parts.find(({ key }) => key === 'action')?.count).toBe(0)
  })

  test('a duration of one round is over at the end of the turn; a save is asked for at the end of it', () => {
    const conditions = [
      { key: 'blinded', rounds: 1 },
      { key: 'frightened', save: { checkId: 'save.wis', difficulty: 13 } },
    ]
    const end = newer.life.turnEnds(lifeWith(20, 20, { conditions }), someone)
    expect(end.life.conditions.map(({ key }) => key)).toEqual(['frightened'])
    expect(end.asks).toMatchObject([{ kind: 'save', expression: '1d20', difficulty: 13, condition: 'frightened' }])
    const [ask] = end.asks
    if (ask === undefined) throw new Error('nothing was asked')
    expect(newer.life.answerTurn(end.life, ask, { total: 12, natural: 12 }, someone).life.conditions).toHaveLength(1)
    expect(newer.life.answerTurn(end.life, ask, { total: 13, natural: 13 }, someone).life.conditions).toEqual([])
  })
})

describe('rests and levels', () => {
  const resting = (sheet: Sheet, life: Life, spent: readonly { die: string; rolled: number }[] = []) => ({
    sheet,
    life,
    slots: [{ level: 1, max: 4, used: 3 }],
    resources: [{ key: 'wind', name: 'Second wind', max: 2, left: 0, recharge: 'short' as const }],
    spent,
  })

  test('a hit die heals its face and CON: d10 showing 4 and 7 with +2 is 6 + 9', () => {
    const sheet = sheetWith({ hpMax: 40, abilities: { con: 14 }, hitDice: [{ die: 'd10', max: 4, used: 0 }] })
    const spent = [4, 7].map((rolled) => ({ die: 'd10', rolled }))
    const after = older.rest('short', resting(sheet, lifeWith(10, 40), spent))
    expect([after.life.hp, after.hitDice[0]?.used, after.resources[0]?.left]).toEqual([25, 2, 2])
    expect(after.slots[0]?.used).toBe(3)
  })

  test('a one with CON −2 heals nothing by the older rules and one by the newer', () => {
    const sheet = sheetWith({ abilities: { con: 6 } })
    expect([older.hitDieHeals(sheet, 1), newer.hitDieHeals(sheet, 1)]).toEqual([0, 1])
  })

  test('a long rest gives back half of 8 hit dice by the older rules, all by the newer: 6 spent leaves 2, or 0', () => {
    const sheet = sheetWith({ level: 8, hpMax: 60, hitDice: [{ die: 'd8', max: 8, used: 6 }] })
    const body = resting(sheet, lifeWith(9, 60, { hpTemp: 4, conditions: [{ key: 'exhaustion', level: 2 }] }))
    const after = older.rest('long', body)
    expect([after.hitDice[0]?.used, after.life.hp, after.life.hpTemp, after.slots[0]?.used]).toEqual([2, 60, 0, 0])
    expect(after.life.conditions).toEqual([{ key: 'exhaustion', level: 1 }])
    expect(newer.rest('long', body).hitDice[0]?.used).toBe(0)
  })

  test('nobody at nought rests long', () => {
    expect(older.rest('long', resting(someone, lifeWith(0, 30, { state: 'stable' }))).refused).toContain('hit point')
  })

  test('paladin 5 and sorcerer 2: casters of 2 + 2 or 3 + 2, so 4 3 or 4 3 2', () => {
    const both = [
      { name: 'Paladin', level: 5 },
      { name: 'Sorcerer', level: 2 },
    ]
    expect(older.slotsFor(both)?.map(({ max }) => max)).toEqual([4, 3])
    expect(newer.slotsFor(both)?.map(({ max }) => max)).toEqual([4, 3, 2])
  })

  test('slots of one class: a first paladin has none by the older rules, two by the newer; a warlock a pool of its own', () => {
    expect(older.slotsFor([{ name: 'Paladin', level: 1 }])).toEqual([])
    expect(newer.slotsFor([{ name: 'Paladin', level: 1 }])).toEqual([{ level: 1, max: 2, pact: false }])
    expect(older.slotsFor([{ name: 'Warlock', level: 5 }])).toEqual([{ level: 3, max: 2, pact: true }])
    expect(older.slotsFor([{ name: 'Baker', level: 5 }])).toBeNull()
  })

  test('6,500 experience is the fifth level, one less the fourth', () => {
    expect([levelAt(6499), levelAt(6500)]).toEqual([4, 5])
    expect(newer.levels?.award(4, 6400, 100)).toEqual({ experience: 6500, ready: true })
  })

  test('the first level of a wizard is 6 and CON; each further one 4 and CON', () => {
    const rule = classes.get('wizard')
    if (rule === undefined) throw new Error('no wizard')
    expect(firstHitPoints(rule, 2)).toBe(8)
    const sheet = sheetWith({ classes: [{ name: 'Wizard', level: 1 }], abilities: { con: 14 }, hpMax: 8 })
    expect(newer.usualGain(sheet, null)).toBe(6)
    expect(newer.levelUp(sheet, 6, null)).toMatchObject({ level: 2, hpMax: 14, hitDice: [{ die: 'd6', max: 1 }] })
  })

  test('initiative: the higher total, and of equal ones the higher modifier', () => {
    const rolled = (total: number, modifier: number) => ({ total, modifier, isCharacter: true })
    expect(newer.compareInitiative(rolled(15, 1), rolled(12, 5))).toBeLessThan(0)
    expect(newer.compareInitiative(rolled(15, 1), rolled(15, 5))).toBeGreaterThan(0)
    expect(newer.compareInitiative(rolled(15, 1), rolled(15, 1))).toBe(0)
  })

  test('breath that comes back on 5 or 6 asks for one die', () => {
    expect(newer.recharge({ key: 'breath', name: 'Breath', rechargeFrom: 5 })).toMatchObject({
      expression: '1d6',
      from: 5,
    })
  })
})

describe('how hard a fight is', () => {
  const foe = (rating: number, count: number) => ({ name: 'foe', rating, count })

  test('2014: levels 3, 3, 3, 2 against 200 + 3 × 100 = 500, × 2 for four, is hard of 275/550/825/1400', () => {
    const verdict = older.difficulty([3, 3, 3, 2], [foe(1, 1), foe(0.5, 3)])
    expect(verdict).toMatchObject({ total: 500, weighed: 1000, tier: 'hard' })
    expect(verdict?.bounds.map(({ experience }) => experience)).toEqual([275, 550, 825, 1400])
    expect(older.experienceShare(500, 4)).toBe(125)
  })

  test('2014: two of level 5 against 1,800 take a step up, × 1.5 = 2700: deadly from 2200; six take one down, × 0.5 = 900: trivial', () => {
    expect(older.difficulty([5, 5], [foe(5, 1)])).toMatchObject({ weighed: 2700, tier: 'deadly' })
    expect(older.difficulty([5, 5, 5, 5, 5, 5], [foe(5, 1)])).toMatchObject({ weighed: 900, tier: 'trivial' })
    expect([multiplierFor(15, 4), multiplierFor(15, 2), multiplierFor(15, 6)]).toEqual([4, 5, 3])
  })

  test('2024: five of level 3 against 2 × 450 + 9 × 25 = 1125 = 5 × 225: moderate, with a word about their number', () => {
    const verdict = newer.difficulty([3, 3, 3, 3, 3], [foe(2, 2), foe(0.125, 9)])
    expect(verdict).toMatchObject({ total: 1125, tier: 'moderate' })
    expect(verdict?.warnings).toHaveLength(1)
  })

  test('beyond the highest budget it says so, and without a party it is not rated', () => {
    expect(newer.difficulty([1], [foe(10, 1)])?.tier).toBe('beyond')
    expect(newer.difficulty([], [foe(10, 1)])?.tier).toBe('none')
  })
})
