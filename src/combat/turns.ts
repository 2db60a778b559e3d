import type { TurnPart } from '../rules/system.ts'
import {
  type Decision,
  type Fight,
  type Fighter,
  fighterOf,
  type Judge,
  lifeOf,
  movingOf,
  type PartLeft,
  type RollLine,
  turnKey,
  withFighter,
} from './fight.ts'
import { settledConcentration } from './harm.ts'
import { afterActing, inTurn, ordered, placed } from './order.ts'
import { rollLine, type Telling, tellFrom } from './telling.ts'

// How turns begin and end, and how a fight does.

const whole = (parts: readonly TurnPart[]): readonly PartLeft[] =>
  parts.map(({ key, name, count, unit, outOfTurn }) => ({ key, name, left: count, max: count, unit, outOfTurn }))

const done = ({ fight, events }: Telling): Decision => ({ refused: null, fight, events })

/** Somebody's turn begins: what they can spend is there again, and what may come back is rolled for. */
function tellTurn(judge: Judge, telling: Telling, id: number, round: number): void {
  const { rules, roll } = judge
  const fighter = fighterOf(telling.fight, id)
  if (fighter === null) return
  const begun = rules.life.turnBegins(lifeOf(rules, fighter), fighter.sheet)
  const settled = settledConcentration(judge, begun.life)
  const rolls: RollLine[] = []
  const numbers: string[] = []
  const spent = fighter.spent.filter((key) => {
    const action = fighter.actions.find((each) => each.key === key)
    const again = action === undefined ? null : rules.recharge(action)
    if (again === null) return action !== undefined
    const rolled = roll(again.expression)
    rolls.push(rollLine(again.label, rolled))
    const isBack = rolled.total >= again.from
    if (isBack) numbers.push(`${action?.name ?? key} is back.`)
    return !isBack
  })
  const resources = fighter.resources.map((each) => (each.recharge === 'turn' ? { ...each, left: each.max } : each))
  const after = withFighter({ ...telling.fight, actingId: id, round }, id, {
    ...movingOf(settled.life),
    parts: whole(begun.parts),
    resources,
    spent,
    attacksMade: 0,
    delaying: false,
    readied: null,
    recoveryDue: begun.asks.some(({ kind }) => kind === 'recovery'),
  })
  telling.tell(after, { kind: 'turn', fighterId: id, rolls, says: [...begun.says, ...settled.says], numbers })
}

/** The turn of whoever acts ends: durations get older, saves that end something are rolled, and a roll at nought that nobody made. */
function tellTurnEnd(judge: Judge, telling: Telling): void {
  const { rules, roll } = judge
  const fighter = telling.fight.actingId === null ? null : fighterOf(telling.fight, telling.fight.actingId)
  if (fighter === null) return
  const { sheet } = fighter
  const says: string[] = []
  const rolls: RollLine[] = []
  let life = lifeOf(rules, fighter)
  const due = fighter.recoveryDue ? rules.life.recovery(life) : null
  if (due !== null) {
    const rolled = roll(due.expression)
    rolls.push(rollLine(due.label, rolled))
    const recovered = rules.life.recover(life, rolled, sheet)
    says.push(...recovered.says)
    life = recovered.life
  }
  const ended = rules.life.turnEnds(life, sheet)
  says.push(...ended.says)
  life = ended.life
  for (const ask of ended.asks) {
    const rolled = roll(ask.expression)
    rolls.push(rollLine(ask.label, rolled))
    const answered = rules.life.answerTurn(life, ask, rolled, sheet)
    says.push(...answered.says)
    life = answered.life
  }
  const settled = settledConcentration(judge, life)
  const after = withFighter({ ...telling.fight, turns: telling.fight.turns + 1 }, fighter.id, {
    ...movingOf(settled.life),
    recoveryDue: false,
  })
  telling.tell(after, { kind: 'turn_end', fighterId: fighter.id, rolls, says: [...says, ...settled.says] })
}

/** Tells of the next one's turn. */
export function tellNext(judge: Judge, telling: Telling): void {
  const next = afterActing(telling.fight)
  if (next === null) return
  tellTurn(judge, telling, next.id, telling.fight.round + (next.newRound ? 1 : 0))
}

export function nextTurn(judge: Judge, fight: Fight, expected: string | undefined): Decision {
  const acting = fight.actingId === null ? null : fighterOf(fight, fight.actingId)
  if (expected !== undefined && expected !== turnKey(fight))
    return { refused: 'That turn is over already, and nothing was changed. get_turn says whose turn it is now.' }
  if (acting === null) return { refused: 'Nobody is in this fight. Add somebody with add_combatant.' }
  const telling = tellFrom(fight)
  tellTurnEnd(judge, telling)
  tellNext(judge, telling)
  return done(telling)
}

/** Rolls for those that are named, or who have none: those of a group together. */
export function rolledInitiative(judge: Judge, fight: Fight, ids: ReadonlySet<number>) {
  const { rules, roll } = judge
  const groups = new Map<string, number>()
  const rolls = new Map<number, RollLine>()
  let after = fight
  for (const fighter of ordered(fight).filter(({ id }) => ids.has(id))) {
    const shared = fighter.group === null ? undefined : groups.get(fighter.group)
    const { expression } = rules.initiative(fighter.sheet, fighter.conditions)
    const rolled = shared === undefined ? roll(expression) : null
    const total = shared ?? rolled?.total ?? 0
    if (rolled !== null) rolls.set(fighter.id, rollLine('Initiative', rolled))
    if (fighter.group !== null) groups.set(fighter.group, total)
    after = withFighter(after, fighter.id, { initiative: total })
  }
  return { fight: placed(rules, after, ids), rolls }
}

/** Until the first turn has ended, whoever comes first acts: a late roll can still bring somebody to the front. */
export function tellFirst(judge: Judge, telling: Telling): void {
  const { fight } = telling
  const [first] = inTurn(fight)
  if (fight.status !== 'running' || fight.turns > 0 || first === undefined || first.id === fight.actingId) return
  tellTurn(judge, telling, first.id, fight.round)
}

export function tellInitiative(judge: Judge, telling: Telling, ids: ReadonlySet<number>): void {
  const { fight, rolls } = rolledInitiative(judge, telling.fight, ids)
  // One event for each, so that what is told of one is told of nobody else.
  for (const { id, initiative, place } of fight.fighters.filter((each) => ids.has(each.id))) {
    const line = rolls.get(id)
    telling.tell(withFighter(telling.fight, id, { initiative, place }), {
      kind: 'initiative',
      fighterId: id,
      amount: initiative,
      rolls: line === undefined ? [] : [line],
      says: [`Initiative ${initiative}.`],
    })
  }
  const others = fight.fighters.filter((each) => fighterOf(telling.fight, each.id)?.place !== each.place)
  if (others.length > 0) telling.tell({ ...telling.fight, fighters: fight.fighters }, { kind: 'order' })
}

export function begin(judge: Judge, fight: Fight): Decision {
  if (fight.status === 'running') return { refused: 'This fight is running already. next_turn goes on with it.' }
  if (fight.status === 'ended') return { refused: 'This fight has ended. reopen_encounter goes on with it.' }
  if (ordered(fight).length === 0) return { refused: 'Nobody is in this fight. Add somebody with add_combatant first.' }
  const telling = tellFrom(fight)
  const ready = fight.fighters.map((each): Fighter => {
    if (each.removed) return each
    return { ...each, parts: whole(judge.rules.life.turnBegins(lifeOf(judge.rules, each), each.sheet).parts) }
  })
  const started: Fight = { ...fight, status: 'running', round: 1, turns: 0, actingId: null, fighters: ready }
  telling.tell(started, { kind: 'begin', says: ['The fight begins.'] })
  const missing = ordered(started).filter(({ initiative }) => initiative === null)
  if (missing.length > 0) tellInitiative(judge, telling, new Set(missing.map(({ id }) => id)))
  tellNext(judge, telling)
  return done(telling)
}

export function end(fight: Fight, outcome: string | undefined): Decision {
  if (fight.status !== 'running')
    return { refused: `This fight ${fight.status === 'ended' ? 'has ended already' : 'has not begun'}.` }
  const telling = tellFrom(fight)
  telling.tell({ ...fight, status: 'ended' }, { kind: 'end', says: [outcome ?? 'The fight is over.'] })
  return done(telling)
}

export function reopen(judge: Judge, fight: Fight): Decision {
  if (fight.status !== 'ended') return { refused: 'Only a fight that has ended is taken up again.' }
  const telling = tellFrom(fight)
  telling.tell({ ...fight, status: 'running' }, { kind: 'reopen', says: ['The fight goes on.'] })
  const acting = fight.actingId === null ? null : fighterOf(fight, fight.actingId)
  if (acting === null || acting.removed) tellNext(judge, telling)
  return done(telling)
}
