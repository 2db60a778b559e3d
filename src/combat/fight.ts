import type { Condition, Life, LifeState, Rolled } from '../rules/life.ts'
import type { Action, Resource, Sheet, SlotRow } from '../rules/sheet.ts'
import type { RuleSystem } from '../rules/system.ts'

// A fight as values: who is in it, whose turn it is, and what happened. Pure: chance comes in as a function, and what rules
// say comes from an adapter. Whoever keeps fights keeps the state and the events; the way back is in each event.

export type FightStatus = 'planning' | 'running' | 'ended'

/** Part of what a turn has to spend. */
export interface PartLeft {
  readonly key: string
  readonly name: string
  readonly left: number
  readonly max: number
  readonly unit: 'each' | 'feet'
  /** May be spent in the turns of others. */
  readonly outOfTurn: boolean
}

/** What of somebody changes in a fight. Every member is kept, compared and taken back by itself. */
export interface Moving {
  readonly hp: number
  readonly hpTemp: number
  readonly lifeState: LifeState
  readonly marks: Readonly<Record<string, number>>
  readonly conditions: readonly Condition[]
  readonly concentration: string | null
  readonly resources: readonly Resource[]
  readonly slots: readonly SlotRow[]
  readonly initiative: number | null
  /** Where they stand in the order of the round; far from their neighbours, so that one can be put between two. */
  readonly place: number
  readonly parts: readonly PartLeft[]
  /** In the turn that is theirs. */
  readonly attacksMade: number
  readonly delaying: boolean
  /** What they wait to do, and for what. */
  readonly readied: string | null
  /** At nought, and the roll of this turn is still to come. */
  readonly recoveryDue: boolean
  /** Keys of actions that have to come back first. */
  readonly spent: readonly string[]
  /** Taken out of the fight. */
  readonly removed: boolean
}

export interface Fighter extends Moving {
  readonly id: number
  readonly name: string
  readonly sheet: Sheet
  readonly actions: readonly Action[]
  /** Those of one group share a roll of initiative. */
  readonly group: string | null
}

/** What of the fight itself changes. */
export interface FightPart {
  readonly status: FightStatus
  readonly round: number
  /** Whose turn it is; null while nobody fights. */
  readonly actingId: number | null
  /** How many turns have ended. Until the first has, whoever comes first in the order acts. */
  readonly turns: number
}

export interface Fight extends FightPart {
  readonly fighters: readonly Fighter[]
}

export type HappeningKind =
  | 'begin'
  | 'initiative'
  | 'order'
  | 'turn'
  | 'turn_end'
  | 'end'
  | 'reopen'
  | 'damage'
  | 'heal'
  | 'condition'
  | 'death_save'
  | 'resource'
  | 'spend'
  | 'action'
  | 'join'
  | 'removal'

/** A roll that belongs to what happened. */
export interface RollLine {
  readonly label: string
  readonly text: string
  readonly total: number
}

/** Values of some members before and after. */
export interface Change<T> {
  readonly before: Partial<T>
  readonly after: Partial<T>
}

/** What an event changed, and so both its effect and the way back. */
export interface FightPatch {
  readonly fight: Change<FightPart> | null
  readonly fighters: readonly (Change<Moving> & { readonly id: number })[]
}

export interface Happening {
  readonly kind: HappeningKind
  /** Who did it, or whom it is about; null where it is about the fight. */
  readonly fighterId: number | null
  readonly targetId: number | null
  /** For everybody who sees whom it is about; no numbers of a creature. */
  readonly says: string
  /** The same with its numbers, for those who may read them; empty where there are none. */
  readonly numbers: string
  readonly amount: number | null
  readonly rolls: readonly RollLine[]
  readonly patch: FightPatch
}

/** What became of a command: what happened, in order, or why nothing did. */
export type Decision =
  | { readonly refused: string; readonly path?: string }
  | { readonly refused: null; readonly fight: Fight; readonly events: readonly Happening[] }

/** Rolls an expression of dice. */
export type Roll = (expression: string) => Rolled & { readonly text: string }

/** What a command is judged by. */
export interface Judge {
  readonly rules: RuleSystem
  readonly roll: Roll
  /** Who plays somebody keeps to their turn and to what is left of it; a Dungeon Master need not. */
  readonly by: 'dm' | 'player'
}

/** How somebody lives, with the maximum that their conditions leave. */
export function lifeOf(rules: RuleSystem, fighter: Fighter): Life {
  const { hp, hpTemp, lifeState: state, marks, conditions, concentration, sheet } = fighter
  const life = { hp, hpMax: sheet.hpMax ?? 0, hpTemp, state, marks, conditions, concentration }
  return rules.life.resized(life, sheet)
}

/** What a life is kept in. */
export function movingOf({ hp, hpTemp, state, marks, conditions, concentration }: Life) {
  return { hp, hpTemp, lifeState: state, marks, conditions, concentration } satisfies Partial<Moving>
}

export function fighterOf(fight: Fight, id: number): Fighter | null {
  return fight.fighters.find((each) => each.id === id) ?? null
}

export function withFighter(fight: Fight, id: number, patch: Partial<Moving>): Fight {
  return { ...fight, fighters: fight.fighters.map((each) => (each.id === id ? { ...each, ...patch } : each)) }
}

/** What names a turn: `round.fighter`. Somebody who saw another one asks for something else than they think. */
export function turnKey({ status, round, actingId }: FightPart): string | null {
  return status === 'running' && actingId !== null ? `${round}.${actingId}` : null
}
