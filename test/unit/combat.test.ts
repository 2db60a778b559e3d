import { describe, expect, test } from 'vitest'
import { type Command, decide } from '../../src/combat/decide.ts'
import { type Fight, fighterOf, type Judge, turnKey } from '../../src/combat/fight.ts'
import { ordered } from '../../src/combat/order.ts'
import type { Action } from '../../src/rules/sheet.ts'
import { systemOf } from '../../src/rules/systems.ts'
import { fighterWith, fightOf, judgeOf, rolling } from '../support/fights.ts'

// Turns, waiting, groups, recharges and saves in a fight, each with the dice that fall.

const older = systemOf('dnd5e 2014')
const wand: Action = { key: 'wand', name: 'Wand', cost: 'action', uses: { resource: 'charges', count: 2 } }

function following(judge: Judge, fight: Fight, ...commands: readonly Command[]): Fight {
  return commands.reduce((now, command) => {
    const decision = decide(judge, now, command)
    if (decision.refused !== null) throw new Error(decision.refused)
    return decision.fight
  }, fight)
}

const judge = judgeOf(older, rolling())
const three = fightOf(
  fighterWith(1, { initiative: 21, of: { isCharacter: true } }),
  fighterWith(2, { initiative: 18 }),
  fighterWith(3, { initiative: 9 }),
)
const begun = following(judge, three, { do: 'begin' })
const order = (fight: Fight) => ordered(fight).map(({ id }) => id)

describe('the order', () => {
  test('is by initiative, then by modifier, then as they stood; whoever comes late is put among them', () => {
    const quick = { dex: 16 }
    const fight = fightOf(
      fighterWith(1, { initiative: 12 }),
      fighterWith(2, { initiative: 12, of: { abilities: quick } }),
      fighterWith(3, { initiative: 12 }),
      fighterWith(4, { initiative: 15 }),
    )
    const sorted = following(
      judge,
      fight,
      ...[1, 2, 3, 4].map((id) => ({ do: 'set-initiative', id, total: id === 4 ? 15 : 12 }) as const),
    )
    expect(order(sorted)).toEqual([4, 2, 1, 3])
    const late = { ...sorted, fighters: [...sorted.fighters, fighterWith(5)] }
    expect(order(following(judge, late, { do: 'set-initiative', id: 5, total: 14 }))).toEqual([4, 5, 2, 1, 3])
  })

  test('gives one roll to those of a group, and begins with whoever is first', () => {
    const pack = [1, 2, 3].map((id) => fighterWith(id, { group: 'pack' }))
    const fight = following(judgeOf(older, rolling(14, 20)), fightOf(...pack, fighterWith(4)), { do: 'begin' })
    expect(fight.fighters.map(({ initiative }) => initiative)).toEqual([14, 14, 14, 20])
    expect(turnKey(fight)).toBe('1.4')
  })

  test('changes nobody else by putting one between two', () => {
    const moved = following(judge, begun, { do: 'move', id: 3, afterId: 1 })
    expect(order(moved)).toEqual([1, 3, 2])
    const places = (fight: Fight) => [1, 2].map((id) => fighterOf(fight, id)?.place)
    expect(places(moved)).toEqual(places(begun))
  })
})

describe('a turn', () => {
  test('that was given up comes behind another one, for good', () => {
    const waiting = following(judge, begun, { do: 'turn', id: 1, delaying: true })
    expect([waiting.actingId, fighterOf(waiting, 1)?.delaying]).toEqual([2, true])
    const back = following(judge, waiting, { do: 'turn', id: 1, delaying: false }, { do: 'next' })
    expect([back.actingId, back.round, order(back)]).toEqual([1, 1, [2, 1, 3]])
  })

  test('passes over the dead, and goes on from somebody who was taken out', () => {
    const dead = following(
      judge,
      begun,
      { do: 'damage', id: 2, blow: { parts: [{ amount: 99, type: null }] } },
      { do: 'next' },
    )
    expect(dead.actingId).toBe(3)
    expect(following(judge, begun, { do: 'remove', id: 1 }).actingId).toBe(2)
  })

  test('ends what lasts a round, and rolls the save that ends the rest', () => {
    const save = { checkId: 'save.wis', difficulty: 12 }
    const add = [
      { key: 'prone', rounds: 1 },
      { key: 'frightened', save },
    ]
    const lying = following(judge, begun, { do: 'conditions', id: 1, add, remove: [] })
    const keysAfter = (face: number) =>
      fighterOf(following(judgeOf(older, rolling(face)), lying, { do: 'next' }), 1)?.conditions.map(({ key }) => key)
    expect([keysAfter(11), keysAfter(12)]).toEqual([['frightened'], []])
  })

  test('brings back what comes back on a five: 4 is not enough', () => {
    const breath: Action = { key: 'breath', name: 'Breath', rechargeFrom: 5 }
    const fight = following(
      judge,
      fightOf(fighterWith(1, { initiative: 2, actions: [breath] }), fighterWith(2, { initiative: 1 })),
      { do: 'begin' },
    )
    const spent = following(judge, fight, { do: 'act', id: 1, action: 'Breath', targetIds: [] }, { do: 'next' })
    const again = decide(judge, spent, { do: 'act', id: 1, action: 'breath', targetIds: [] })
    expect(again.refused).toContain('has to come back first')
    const spentWith = (face: number) =>
      fighterOf(following(judgeOf(older, rolling(face)), spent, { do: 'next' }), 1)?.spent
    expect([spentWith(4), spentWith(5)]).toEqual([['breath'], []])
  })

  test('gives legendary actions back when it is one’s own', () => {
    const counted = { key: 'legendary', name: 'Legendary actions', max: 3, left: 1, recharge: 'turn' } as const
    const fight = following(
      judge,
      fightOf(fighterWith(1, { initiative: 2 }), fighterWith(2, { initiative: 1, resources: [counted] })),
      { do: 'begin' },
    )
    expect(decide(judge, fight, { do: 'resource', id: 2, key: 'legendary', delta: -2 }).refused).toContain(
      '1 of 3 are left',
    )
    expect(fighterOf(following(judge, fight, { do: 'next' }), 2)?.resources[0]?.left).toBe(3)
  })
})

describe('what is done', () => {
  test('costs what it says, and is refused where that is gone', () => {
    const charges = { key: 'charges', name: 'Charges', max: 3, left: 3, recharge: 'long' } as const
    const fight = following(judge, fightOf(fighterWith(1, { actions: [wand], resources: [charges] })), { do: 'begin' })
    const once = following(judge, fight, { do: 'act', id: 1, action: 'wand', targetIds: [] })
    expect(fighterOf(once, 1)?.resources[0]?.left).toBe(1)
    expect(decide(judge, once, { do: 'act', id: 1, action: 'wand', targetIds: [] }).refused).toContain('1 are left')
  })

  test('against a save takes half where that is passed: 20 of fire, DC 14', () => {
    const fire: Action = {
      key: 'fire',
      name: 'Fire',
      save: { checkId: 'save.dex', difficulty: 14, half: true },
      damage: [{ expression: '4d6', type: 'fire' }],
    }
    const fight = following(
      judge,
      fightOf(fighterWith(1, { initiative: 9, actions: [fire] }), fighterWith(2, { initiative: 1, of: { hpMax: 60 } })),
      { do: 'begin' },
    )
    const hpAfter = (face: number) =>
      fighterOf(
        following(judgeOf(older, rolling(20, face)), fight, { do: 'act', id: 1, action: 'fire', targetIds: [2] }),
        2,
      )?.hp
    expect([hpAfter(14), hpAfter(13)]).toEqual([50, 40])
  })

  test('asks for concentration: 22 damage is DC 11', () => {
    const holding = fighterWith(1, { initiative: 2, concentration: 'Bless', of: { hpMax: 60, isCharacter: true } })
    const fight = following(judge, fightOf(holding, fighterWith(2, { initiative: 1 })), { do: 'begin' })
    const blow = { parts: [{ amount: 22, type: null }] }
    const kept = (face: number) =>
      fighterOf(following(judgeOf(older, rolling(face)), fight, { do: 'damage', id: 1, blow }), 1)?.concentration
    expect([kept(11), kept(10)]).toEqual(['Bless', null])
  })
})
