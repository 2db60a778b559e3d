import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Command, decide } from '../../src/combat/decide.ts'
import { type Fight, type Fighter, type Happening, lifeOf, turnKey } from '../../src/combat/fight.ts'
import { apply, takeBack } from '../../src/combat/patch.ts'
import type { Action } from '../../src/rules/sheet.ts'
import type { RuleSystem } from '../../src/rules/system.ts'
import { systemOf } from '../../src/rules/systems.ts'
import { fighterWith, fightOf, judgeOf, seededRoll } from '../support/fights.ts'
import { long } from '../support/long.ts'

// Whatever is done in a fight, in whatever order: what holds of every state, and of the way from each to the next.

const systems = ['dnd5e 2014', 'dnd5e 2024', 'pathfinder2e', 'generic'].map((words) => systemOf(words))
const runs = long ? 10_000 : 75

const checkId = (rules: RuleSystem): string =>
  rules.checks(fighterWith(1).sheet, []).find(({ kind }) => kind === 'save')?.id ?? 'own.nerve'

const actionsFor = (rules: RuleSystem): readonly Action[] => [
  {
    key: 'blade',
    name: 'Blade',
    cost: rules.face.costs[0]?.key,
    attack: 5,
    damage: [{ expression: '1d8+3', type: 'slashing' }],
  },
  {
    key: 'breath',
    name: 'Breath',
    save: { checkId: checkId(rules), difficulty: 14, half: true },
    damage: [{ expression: '4d6', type: 'fire' }],
    conditions: [{ key: 'prone', rounds: 2 }],
    rechargeFrom: 5,
  },
  { key: 'mend', name: 'Mend', heals: '1d8+3', uses: { resource: 'grace', count: 1 } },
  { key: 'ward', name: 'Ward', concentration: true, spellLevel: 1 },
]

const people = (rules: RuleSystem): fc.Arbitrary<readonly Fighter[]> =>
  fc
    .array(
      fc.record({
        isCharacter: fc.boolean(),
        hpMax: fc.oneof({ weight: 8, arbitrary: fc.integer({ min: 1, max: 60 }) }, fc.constant(null)),
        grouped: fc.boolean(),
        resistances: fc.constantFrom([], [{ type: 'fire', amount: 3 }], [{ type: 'all', amount: 2 }]),
      }),
      { minLength: 1, maxLength: 6 },
    )
    .map((all) =>
      all.map(({ isCharacter, hpMax, grouped, resistances }, index) =>
        fighterWith(index + 1, {
          of: { isCharacter, hpMax, defences: { resistances }, level: 2, rating: 2 },
          group: grouped && !isCharacter ? 'pack' : null,
          actions: actionsFor(rules),
          resources: [{ key: 'grace', name: 'Grace', max: 3, left: 3, recharge: index % 2 === 0 ? 'turn' : 'long' }],
          slots: [{ level: 1, max: 2, used: 0 }],
        }),
      ),
    )

const commands = (rules: RuleSystem): fc.Arbitrary<Command> => {
  const id = fc.integer({ min: 1, max: 7 })
  const ids = fc.array(id, { maxLength: 3 })
  const small = fc.integer({ min: 0, max: 40 })
  const key = fc.constantFrom(...rules.conditions.map((each) => each.key), 'marked', 'bewitched')
  const condition = fc.record(
    {
      key,
      rounds: fc.integer({ min: 1, max: 3 }),
      source: fc.constantFrom('a spell', 'another'),
      save: fc.record({ checkId: fc.constant(checkId(rules)), difficulty: fc.integer({ min: 5, max: 20 }) }),
    },
    { requiredKeys: ['key'] },
  )
  const one = <T extends Command['do']>(word: T) => fc.constant(word)
  return fc.oneof(
    { weight: 1, arbitrary: fc.record({ do: one('begin') }) },
    { weight: 8, arbitrary: fc.record({ do: one('next') }) },
    { weight: 1, arbitrary: fc.record({ do: one('end') }) },
    { weight: 1, arbitrary: fc.record({ do: one('reopen') }) },
    {
      weight: 1,
      arbitrary: fc.record({ do: one('roll-initiative'), ids: fc.option(ids, { nil: null }), reroll: fc.boolean() }),
    },
    { weight: 1, arbitrary: fc.record({ do: one('set-initiative'), id, total: small }) },
    { weight: 1, arbitrary: fc.record({ do: one('move'), id, afterId: fc.option(id, { nil: null }) }) },
    {
      weight: 8,
      arbitrary: fc.record({
        do: one('damage'),
        id,
        blow: fc.record({
          parts: fc.tuple(
            fc.record({ amount: fc.integer({ min: 0, max: 90 }), type: fc.constantFrom('fire', 'cold', null) }),
          ),
          critical: fc.boolean(),
          knockOut: fc.boolean(),
          share: fc.constantFrom('none', 'half', 'full', 'double'),
        }),
      }),
    },
    { weight: 5, arbitrary: fc.record({ do: one('heal'), id, amount: small, temporary: fc.boolean() }) },
    {
      weight: 4,
      arbitrary: fc.record({
        do: one('conditions'),
        id,
        add: fc.array(condition, { maxLength: 2 }),
        remove: fc.array(fc.record({ key }), { maxLength: 1 }),
      }),
    },
    { weight: 2, arbitrary: fc.record({ do: one('death-save'), id }) },
    {
      weight: 1,
      arbitrary: fc.record({
        do: one('resource'),
        id,
        key: fc.constantFrom('grace', 'slot.1', 'nothing'),
        delta: fc.integer({ min: -3, max: 3 }),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record(
        {
          do: one('turn'),
          id,
          delaying: fc.boolean(),
          readied: fc.constantFrom('shoot', null),
          concentration: fc.constantFrom('Ward', null),
        },
        { requiredKeys: ['do', 'id'] },
      ),
    },
    {
      weight: 6,
      arbitrary: fc.record({
        do: one('act'),
        id,
        action: fc.constantFrom('Blade', 'breath', 'mend', 'ward', 'flight'),
        targetIds: ids,
      }),
    },
    { weight: 1, arbitrary: fc.record({ do: one('remove'), id }) },
  )
}

function holds(rules: RuleSystem, fight: Fight): void {
  const acting = fight.fighters.filter(({ id }) => id === fight.actingId)
  if (fight.status === 'running') expect(acting.map(({ removed }) => removed)).toEqual([false])
  for (const fighter of fight.fighters) {
    const { hpMax } = lifeOf(rules, fighter)
    expect(fighter.hp).toBeGreaterThanOrEqual(0)
    expect(fighter.hp).toBeLessThanOrEqual(hpMax)
    expect(fighter.hpTemp).toBeGreaterThanOrEqual(0)
    expect(fighter.conditions.filter(({ rounds }) => rounds !== undefined && rounds < 1)).toEqual([])
    for (const { left, max } of fighter.resources) expect(left >= 0 && left <= max).toBe(true)
    for (const { used, max } of fighter.slots) expect(used >= 0 && used <= max).toBe(true)
    if (fighter.concentration !== null) expect(fighter.lifeState).toBe('up')
  }
  const places = fight.fighters.filter(({ removed }) => !removed).map(({ place }) => place)
  expect(new Set(places).size).toBe(places.length)
}

/** What holds of one event: temporary hit points go first, and durations get a round shorter with each turn of theirs. */
function follows(before: Fight, { kind, fighterId, targetId, patch }: Happening): void {
  if (kind === 'damage') {
    for (const { before: was, after: is } of patch.fighters) {
      if (is.hp === undefined || is.hp >= (was.hp ?? 0)) continue
      const left = is.hpTemp ?? before.fighters.find(({ id }) => id === targetId)?.hpTemp
      expect(left).toBe(0)
    }
  }
  if (kind !== 'turn_end') return
  const was = before.fighters.find(({ id }) => id === fighterId)
  const is = apply(before, patch).fighters.find(({ id }) => id === fighterId)
  for (const condition of is?.conditions ?? []) {
    if (condition.rounds === undefined) continue
    const earlier = was?.conditions.filter(({ key, source }) => key === condition.key && source === condition.source)
    expect(earlier?.map(({ rounds }) => rounds)).toContain(condition.rounds + 1)
  }
}

/** A condition that nothing but time ends: it lasts through as many ends of its bearer's turns as it was given, and no more. */
interface Clock {
  readonly bearerId: number
  readonly rounds: number
  /** How many of the commands come before it. */
  readonly after: number
}

const clocked = ({ bearerId, rounds }: Clock): Command => ({
  do: 'conditions',
  id: bearerId,
  add: [{ key: 'counted', rounds, source: 'the clock' }],
  remove: [],
})

const isCounted = ({ key }: { readonly key: string }): boolean => key === 'counted'

/** Counted by hand from the events, beside what the fight itself says is left. */
function lasts({ bearerId, rounds }: Clock, since: readonly Happening[], fight: Fight): void {
  const bearer = fight.fighters.find(({ id }) => id === bearerId)
  if (bearer === undefined || bearer.removed) return
  const ended = since.filter(({ kind, fighterId }) => kind === 'turn_end' && fighterId === bearerId).length
  const left = bearer.conditions.filter(isCounted).map((each) => each.rounds)
  expect(left).toEqual(ended < rounds ? [rounds - ended] : [])
}

test.each(systems.map((rules) => [rules.title, rules] as const))(
  'in %s a fight keeps its rules whatever is done',
  { timeout: 1_200_000 },
  (_, rules) => {
    let decided = 0
    let outlasted = 0
    fc.assert(
      fc.property(
        people(rules),
        fc.array(commands(rules), { minLength: 10, maxLength: 40 }),
        fc.record({
          bearerId: fc.constantFrom(1, 2),
          rounds: fc.integer({ min: 1, max: 4 }),
          after: fc.integer({ min: 0, max: 10 }),
        }),
        fc.integer(),
        (fighters, given, clock, seed) => {
          const roll = seededRoll(seed)
          let fight = fightOf(...fighters)
          let since: Happening[] | null = null
          const all: readonly Command[] = [{ do: 'begin' }, ...given.toSpliced(clock.after, 0, clocked(clock))]
          for (const [index, command] of all.entries()) {
            const decision = decide(judgeOf(rules, roll), fight, command)
            if (fight.status === 'ended' && command.do !== 'reopen') expect(decision.refused).not.toBeNull()
            if (decision.refused !== null) {
              expect(decision.refused).toMatch(/^[A-Z].*[.?]$/s)
              continue
            }
            decided++
            const states = [fight]
            for (const event of decision.events) {
              const before = states.at(-1) as Fight
              follows(before, event)
              states.push(apply(before, event.patch))
            }
            expect(states.at(-1)).toEqual(decision.fight)
            let back: ReturnType<typeof takeBack> = decision.fight
            for (const [index, { patch }] of [...decision.events.entries()].reverse()) {
              back = takeBack(back as Fight, patch)
              expect(back).toEqual(states[index])
            }
            fight = decision.fight
            holds(rules, fight)
            if (index === clock.after + 1) since = []
            else since?.push(...decision.events)
            if (since !== null) lasts(clock, since, fight)
            if (since !== null && !fight.fighters.some(({ conditions }) => conditions.some(isCounted))) outlasted++
            const stale = `${fight.round}.${(fight.actingId ?? 0) + 1}`
            const late = decide(judgeOf(rules, roll), fight, { do: 'next', expected: stale })
            expect(late.refused).not.toBeNull()
            expect(turnKey(fight)).not.toBe(stale)
          }
        },
      ),
      { numRuns: runs, seed: 20261122 },
    )
    expect(decided).toBeGreaterThan(runs)
    expect(outlasted).toBeGreaterThan(runs / 4)
  },
)
