import type { RollMode } from '../rules/life.ts'
import { type Act, act } from './acting.ts'
import {
  type Decision,
  type Fight,
  type Fighter,
  fighterOf,
  type Judge,
  lifeOf,
  type Moving,
  movingOf,
  withFighter,
} from './fight.ts'
import { type ConditionChange, changeConditions, type Harm, tellHarm, tellHealing } from './harm.ts'
import { afterActing, inTurn, ordered, placed, placedBehind } from './order.ts'
import { rollLine, type Telling, tellFrom } from './telling.ts'
import { begin, end, nextTurn, reopen, tellFirst, tellInitiative, tellNext } from './turns.ts'

/** What somebody sets of a turn; absent keeps. Numbers are what is left. */
export interface TurnSet {
  readonly action?: number | undefined
  readonly bonusAction?: number | undefined
  readonly reaction?: number | undefined
  readonly movement?: number | undefined
  readonly concentration?: string | null | undefined
  readonly delaying?: boolean | undefined
  readonly readied?: string | null | undefined
}

export type Command =
  | { readonly do: 'begin' }
  | { readonly do: 'next'; readonly expected?: string | undefined }
  | { readonly do: 'end'; readonly outcome?: string | undefined }
  | { readonly do: 'reopen' }
  /** For those named, or all; who has a number keeps it unless `reroll`. */
  | { readonly do: 'roll-initiative'; readonly ids: readonly number[] | null; readonly reroll: boolean }
  | { readonly do: 'set-initiative'; readonly id: number; readonly total: number }
  | { readonly do: 'move'; readonly id: number; readonly afterId: number | null }
  | ({ readonly do: 'damage' } & Harm)
  | { readonly do: 'heal'; readonly id: number; readonly amount: number; readonly temporary: boolean }
  | ({ readonly do: 'conditions'; readonly id: number } & ConditionChange)
  | { readonly do: 'death-save'; readonly id: number }
  | { readonly do: 'resource'; readonly id: number; readonly key: string; readonly delta: number }
  | ({ readonly do: 'turn'; readonly id: number } & TurnSet)
  | ({ readonly do: 'act' } & Omit<Act, 'mode' | 'far'> & { readonly mode?: RollMode; readonly far?: boolean })
  | { readonly do: 'remove'; readonly id: number }
  /** Those who came into a fight after it was written down get a place in its order. */
  | { readonly do: 'join'; readonly ids: readonly number[] }

const done = ({ fight, events }: Telling): Decision => ({ refused: null, fight, events })

/** What only happens while a fight runs. */
const needRunning = new Set<Command['do']>(['next', 'damage', 'heal', 'death-save', 'turn', 'act'])

/**
 * What becomes of a command: the events that follow from it and the fight after them, or a sentence why nothing does. Nothing
 * is thrown and nothing changed; all chance comes from `judge.roll`.
 */
export function decide(judge: Judge, fight: Fight, command: Command): Decision {
  if (fight.status === 'ended' && command.do !== 'reopen')
    return { refused: 'This fight has ended. reopen_encounter takes it up again.' }
  if (fight.status !== 'running' && needRunning.has(command.do))
    return { refused: 'This fight has not begun. begin_encounter does that.' }
  switch (command.do) {
    case 'begin':
      return begin(judge, fight)
    case 'next':
      return nextTurn(judge, fight, command.expected)
    case 'end':
      return end(fight, command.outcome)
    case 'reopen':
      return reopen(judge, fight)
    case 'roll-initiative':
      return rollInitiative(judge, fight, command.ids, command.reroll)
    case 'join':
      return join(judge, fight, command.ids)
    default:
      return ofSomebody(judge, fight, command)
  }
}

type OfSomebody = Extract<Command, { readonly id: number }>

function ofSomebody(judge: Judge, fight: Fight, command: OfSomebody): Decision {
  const fighter = fighterOf(fight, command.id)
  if (fighter === null)
    return { refused: 'There is no such combatant in this fight. list_combatants has those who are.' }
  if (fighter.removed)
    return { refused: `${fighter.name} was taken out of this fight. undo_encounter_event brings them back.` }
  switch (command.do) {
    case 'set-initiative':
      return setInitiative(judge, fight, fighter, command.total)
    case 'move':
      return move(judge, fight, fighter, command.afterId)
    case 'damage': {
      const telling = tellFrom(fight)
      tellHarm(judge, telling, command)
      return done(telling)
    }
    case 'heal': {
      if (fighter.lifeState === 'dead' && !command.temporary)
        return { refused: `${fighter.name} is dead: nothing heals the dead.` }
      const telling = tellFrom(fight)
      tellHealing(judge, telling, fighter.id, command.amount, command.temporary)
      return done(telling)
    }
    case 'conditions':
      return changeConditions(judge, fight, fighter, command)
    case 'death-save':
      return rollAtTheEdge(judge, fight, fighter)
    case 'resource':
      return spendResource(fight, fighter, command.key, command.delta)
    case 'turn':
      return setTurn(judge, fight, fighter, command)
    case 'act': {
      const decided = act(judge, fight, { ...command, mode: command.mode ?? 'plain', far: command.far ?? false })
      return decided.refused === null ? { refused: null, fight: decided.fight, events: decided.events } : decided
    }
    case 'remove':
      return remove(judge, fight, fighter)
  }
}

function rollInitiative(judge: Judge, fight: Fight, ids: readonly number[] | null, reroll: boolean): Decision {
  const present = ordered(fight)
  const stranger = ids?.find((id) => !present.some((each) => each.id === id))
  if (stranger !== undefined)
    return {
      refused: `Combatant ${stranger} is not in this fight. list_combatants has those who are.`,
      path: 'combatantIds',
    }
  const rolling = present.filter(
    ({ id, initiative }) => (ids === null || ids.includes(id)) && (reroll || initiative === null),
  )
  if (rolling.length === 0) return { refused: 'Everybody has rolled already. Say reroll to roll again.' }
  const telling = tellFrom(fight)
  tellInitiative(judge, telling, new Set(rolling.map(({ id }) => id)))
  tellFirst(judge, telling)
  return done(telling)
}

function setInitiative(judge: Judge, fight: Fight, fighter: Fighter, total: number): Decision {
  const telling = tellFrom(fight)
  const set = withFighter(fight, fighter.id, { initiative: total })
  telling.tell(placed(judge.rules, set, new Set([fighter.id])), {
    kind: 'initiative',
    fighterId: fighter.id,
    amount: total,
    says: [`Initiative ${total}.`],
  })
  tellFirst(judge, telling)
  return done(telling)
}

function move(judge: Judge, fight: Fight, fighter: Fighter, afterId: number | null): Decision {
  const after = afterId === null ? null : fighterOf(fight, afterId)
  if (afterId !== null && (after === null || after.removed || afterId === fighter.id))
    return {
      refused: `Combatant ${afterId} is nobody to stand behind. list_combatants has the order.`,
      path: 'afterCombatantId',
    }
  const telling = tellFrom(fight)
  telling.tell(placedBehind(fight, fighter.id, afterId), {
    kind: 'order',
    fighterId: fighter.id,
    says: ['Moved in the order.'],
  })
  tellFirst(judge, telling)
  return done(telling)
}

function rollAtTheEdge(judge: Judge, fight: Fight, fighter: Fighter): Decision {
  const { rules, roll } = judge
  const life = lifeOf(rules, fighter)
  const due = rules.life.recovery(life)
  if (due === null) return { refused: `${fighter.name} is not dying: there is nothing to roll.` }
  if (!fighter.recoveryDue)
    return {
      refused: `${fighter.name} rolls at the start of their own turn${fight.actingId === fighter.id ? ', and has' : ''}.`,
    }
  const rolled = roll(due.expression)
  const { life: after, says } = rules.life.recover(life, rolled, fighter.sheet)
  const telling = tellFrom(fight)
  telling.tell(withFighter(fight, fighter.id, { ...movingOf(after), recoveryDue: false }), {
    kind: 'death_save',
    fighterId: fighter.id,
    amount: rolled.total,
    rolls: [rollLine(due.label, rolled)],
    says,
  })
  return done(telling)
}

/** A resource by its key; `slot.3` is a slot of that level. */
function spendResource(fight: Fight, fighter: Fighter, key: string, delta: number): Decision {
  const known = [...fighter.resources.map((each) => each.key), ...fighter.slots.map(({ level }) => `slot.${level}`)]
  const resource = fighter.resources.find((each) => each.key === key)
  const slot = fighter.slots.find(({ level }) => `slot.${level}` === key)
  const has =
    resource ??
    (slot === undefined
      ? undefined
      : { name: `Slots of level ${slot.level}`, left: slot.max - slot.used, max: slot.max })
  if (has === undefined)
    return {
      refused: `${fighter.name} has no ${key}. ${known.length === 0 ? 'Nothing is counted for them.' : `There are ${known.join(', ')}.`}`,
      path: 'key',
    }
  const left = has.left + delta
  if (left < 0) return { refused: `${has.name}: ${has.left} of ${has.max} are left, not ${-delta}.`, path: 'delta' }
  if (left > has.max)
    return {
      refused: `${has.name}: ${has.left} of ${has.max} are left; no more than ${has.max} can be.`,
      path: 'delta',
    }
  const telling = tellFrom(fight)
  const patch: Partial<Moving> =
    resource === undefined
      ? { slots: fighter.slots.map((each) => (each === slot ? { ...each, used: each.max - left } : each)) }
      : { resources: fighter.resources.map((each) => (each === resource ? { ...each, left } : each)) }
  telling.tell(withFighter(fight, fighter.id, patch), {
    kind: 'resource',
    fighterId: fighter.id,
    amount: delta,
    says: [delta < 0 ? `Spends ${has.name}.` : `Regains ${has.name}.`],
    numbers: [`${left} of ${has.max} left.`],
  })
  return done(telling)
}

const memberOfPart = {
  action: ['action', 'turn'],
  bonusAction: ['bonus'],
  reaction: ['reaction'],
  movement: ['movement'],
} as const

function setTurn(judge: Judge, fight: Fight, fighter: Fighter, set: TurnSet): Decision {
  const isActing = fight.actingId === fighter.id
  let { parts } = fighter
  for (const member of ['action', 'bonusAction', 'reaction', 'movement'] as const) {
    const left = set[member]
    if (left === undefined) continue
    const keys: readonly string[] = memberOfPart[member]
    const part = parts.find(({ key }) => keys.includes(key))
    if (part === undefined)
      return { refused: `${judge.rules.title} knows no ${member} here. Leave it away.`, path: member }
    if (!isActing && !part.outOfTurn && judge.by === 'player')
      return { refused: `It is not the turn of ${fighter.name}. Only reactions come out of turn.`, path: member }
    if (left > part.max && judge.by === 'player')
      return { refused: `${fighter.name} has no more than ${part.max} of ${part.name.toLowerCase()}.`, path: member }
    parts = parts.map((each) => (each === part ? { ...each, left } : each))
  }
  const telling = tellFrom(fight)
  const patch: Partial<Moving> = {
    parts,
    ...(set.concentration === undefined ? {} : { concentration: set.concentration }),
    ...(set.readied === undefined ? {} : { readied: set.readied }),
  }
  const says = [
    set.concentration === undefined
      ? ''
      : set.concentration === null
        ? 'Concentrates on nothing.'
        : `Concentrates on ${set.concentration}.`,
    set.readied === undefined ? '' : set.readied === null ? 'Waits for nothing any more.' : `Ready: ${set.readied}.`,
  ]
  if (set.concentration != null && !judge.rules.life.keepsConcentration(lifeOf(judge.rules, fighter)))
    return { refused: `${fighter.name} cannot concentrate now.`, path: 'concentration' }
  telling.tell(withFighter(fight, fighter.id, patch), { kind: 'spend', fighterId: fighter.id, says })
  return set.delaying === undefined ? done(telling) : delayed(judge, telling, fighter, set.delaying)
}

/** Whoever waits gives up their turn, and comes in again behind any other one, for good. */
function delayed(judge: Judge, telling: Telling, fighter: Fighter, delaying: boolean): Decision {
  const { fight } = telling
  if (delaying === fighter.delaying) return done(telling)
  if (delaying) {
    if (fight.actingId !== fighter.id)
      return { refused: `It is not the turn of ${fighter.name}: only then one can wait.`, path: 'delaying' }
    if (inTurn(fight).length < 2) return { refused: 'There is nobody else to wait for.', path: 'delaying' }
    const decided = nextTurn(judge, fight, undefined)
    if (decided.refused !== null) return decided
    const waits = withFighter(decided.fight, fighter.id, { delaying: true })
    const all = tellFrom(decided.fight)
    all.tell(waits, { kind: 'spend', fighterId: fighter.id, says: ['Waits.'] })
    return { refused: null, fight: waits, events: [...telling.events, ...decided.events, ...all.events] }
  }
  const acting = fight.actingId
  if (acting === null || acting === fighter.id)
    return { refused: `${fighter.name} waits for nothing.`, path: 'delaying' }
  const back = withFighter(placedBehind(fight, fighter.id, acting), fighter.id, {
    delaying: false,
    initiative: fighterOf(fight, acting)?.initiative ?? fighter.initiative,
  })
  telling.tell(back, { kind: 'order', fighterId: fighter.id, says: ['Comes in next.'] })
  return done(telling)
}

function remove(judge: Judge, fight: Fight, fighter: Fighter): Decision {
  if (fight.status === 'running' && ordered(fight).length === 1)
    return { refused: `${fighter.name} is the last one in this fight. end_encounter ends it.` }
  const telling = tellFrom(fight)
  const next = fight.actingId === fighter.id ? afterActing(fight) : null
  const gone = withFighter(fight, fighter.id, { removed: true })
  telling.tell(gone, { kind: 'removal', targetId: fighter.id, fighterId: null, says: ['Leaves the fight.'] })
  if (next !== null) tellNext(judge, telling)
  return done(telling)
}

function join(judge: Judge, fight: Fight, ids: readonly number[]): Decision {
  const telling = tellFrom(fight)
  const places = placed(judge.rules, fight, new Set(ids))
  for (const id of ids) {
    const { place = 0 } = fighterOf(places, id) ?? {}
    const fighter = fighterOf(fight, id)
    if (fighter === null) continue
    const turn = judge.rules.life.turnBegins(lifeOf(judge.rules, fighter), fighter.sheet)
    const parts = turn.parts.map(({ key, name, count, unit, outOfTurn }) => ({
      key,
      name,
      left: count,
      max: count,
      unit,
      outOfTurn,
    }))
    telling.tell(withFighter(telling.fight, id, { place, parts }), {
      kind: 'join',
      fighterId: id,
      says: ['Joins the fight.'],
    })
  }
  const respaced = places.fighters.some((each) => fighterOf(telling.fight, each.id)?.place !== each.place)
  if (respaced) {
    const spaced = telling.fight.fighters.map((each) => ({
      ...each,
      place: fighterOf(places, each.id)?.place ?? each.place,
    }))
    telling.tell({ ...telling.fight, fighters: spaced }, { kind: 'order' })
  }
  if (fight.status === 'running') {
    const missing = ordered(telling.fight).filter(({ id, initiative }) => ids.includes(id) && initiative === null)
    if (missing.length > 0) tellInitiative(judge, telling, new Set(missing.map(({ id }) => id)))
    tellFirst(judge, telling)
  }
  return done(telling)
}
