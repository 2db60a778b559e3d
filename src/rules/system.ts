import type { ForeignSheet } from './importing.ts'
import type { Blow, Changed, Condition, Hurt, Life, Rolled, RollMode, Throw, TurnAsk, TurnChange } from './life.ts'
import type { Action, Check, Difficulty, Foe, Outcome, RestingBody, RestResult, Sheet, SlotsGiven } from './sheet.ts'

// What a rule system says of play. An adapter, a folder beside this file, is the only place that knows numbers of rules;
// whoever uses one gets sentences, expressions for dice and changed values, and asks no system by its name.

/** Something that every sheet has under a key. */
export interface Named {
  readonly key: string
  readonly name: string
}

export interface Ability extends Named {
  /** As it stands above a number: three letters. */
  readonly short: string
}

/** A skill or save, by the ability that it goes by where nothing else is said. */
export interface Proficiency extends Named {
  readonly ability: string
}

/** How well somebody is at something, the least first. */
export type Rank = Named

export interface ConditionRule extends Named {
  /** Has a value that rises and falls. */
  readonly valued: boolean
  /** The highest value; null where there is none. */
  readonly most: number | null
  /** What it does, in a sentence for the table. */
  readonly says: string
}

export interface Coin extends Named {
  /** What one is worth in the smallest. */
  readonly value: number
}

/** What a creature may spend in its turn, as it begins. */
export interface TurnPart extends Named {
  readonly count: number
  /** `feet` is walked off, the rest is struck out one by one. */
  readonly unit: 'each' | 'feet'
  /** It comes back when its own turn begins and may be spent in others'. */
  readonly outOfTurn: boolean
}

/** One entry of an order of turns. */
export interface Initiative {
  readonly total: number
  readonly modifier: number
  readonly isCharacter: boolean
}

/** What conditions do to a roll of one kind; the reasons are what the table is told. */
export interface RollEffect {
  readonly mode: RollMode
  readonly modifier: number
  /** It fails without a roll. */
  readonly fails: boolean
  readonly reasons: readonly string[]
}

export interface LevelRules {
  readonly most: number
  /** Experience that a level asks for; null where levels come by other means. */
  experienceFor(level: number): number | null
  /** What becomes of the experience of somebody of a level with an award, and whether another level waits. */
  award(level: number, experience: number, award: number): { readonly experience: number; readonly ready: boolean }
  /** Experience that is left when a level was taken. */
  afterLevel(level: number, experience: number): number
}

export interface Grown {
  readonly level: number
  readonly hpMax: number
  readonly hpGain: number
  readonly experience: number
  readonly hitDice: Sheet['hitDice']
  readonly classes: Sheet['classes']
}

export interface Load {
  readonly unit: string
  /** What is carried without trouble, and the most that is; in `unit`. */
  readonly free: number
  readonly most: number
}

/**
 * What becomes of lives. Every function gives a new life and leaves the old one alone. Whoever keeps a log keeps both: the way
 * back is the old one.
 */
export interface LifeRules {
  /** Somebody unhurt. */
  fresh(sheet: Sheet): Life
  /** Damage, through defences, temporary hit points and what waits at nought. Characters fall, others die at nought. */
  damage(life: Life, blow: Blow, sheet: Sheet): Hurt
  /** Healing, up to the maximum. Nothing heals the dead. */
  heal(life: Life, amount: number, sheet: Sheet): Changed
  /** Temporary hit points never add up: the greater stays. */
  temporary(life: Life, amount: number): Changed
  /** Hit points as somebody sets them by hand, within 0 and the maximum; at nought and above it everything follows. */
  set(life: Life, hp: number, sheet: Sheet): Changed
  /** With the maximum that sheet and conditions give now; hit points come down with it. */
  resized(life: Life, sheet: Sheet): Life
  /** The roll that somebody at nought makes at the start of their turn; null where none does. */
  recovery(life: Life): (Throw & { readonly difficulty: number | null }) | null
  recover(life: Life, rolled: Rolled, sheet: Sheet): Changed
  /** The check by which somebody else steadies them; null where nothing is to be steadied. */
  steadying(life: Life): { readonly checkId: string; readonly difficulty: number } | null
  /** Steadied by a check that passed, or by magic. */
  steady(life: Life): Changed
  /** Back from the dead, by the Dungeon Master's word. */
  revive(life: Life, hp: number): Changed
  /** Adds, raises or replaces by the system's own rule for having one twice. What it brings along comes with it. */
  addCondition(life: Life, condition: Condition, sheet: Sheet): Changed
  /** Takes one off; those of a key, or of a key and source. */
  removeCondition(life: Life, key: string, source?: string): Changed
  /** What there is to be spent in the turn that begins, and what asks to be rolled first. */
  turnBegins(life: Life, sheet: Sheet): TurnChange & { readonly parts: readonly TurnPart[] }
  /** Durations get older, what ends by itself or by a save comes up. */
  turnEnds(life: Life, sheet: Sheet): TurnChange
  /** The result of what a turn asked for. */
  answerTurn(life: Life, ask: TurnAsk, rolled: Rolled, sheet: Sheet): Changed
  /** Whether whoever concentrates still can. */
  keepsConcentration(life: Life): boolean
  /** How it stands, in a word for those who see no numbers: `unhurt`, `hurt`, `bloodied`, `critical`, `down`, `dead`. */
  band(life: Life): Band
}

export type Band = 'unhurt' | 'hurt' | 'bloodied' | 'critical' | 'down' | 'dead'

/** How a sheet of this system is drawn and filled in. */
export interface SystemFace {
  /** Whether an ability is written as a score with a modifier, as a modifier, or as the plain number it is. */
  readonly abilities: 'score' | 'modifier' | 'value'
  readonly abilityBounds: { readonly least: number; readonly most: number; readonly usual: number }
  /** What the number that protects is called; null where there is none. */
  readonly armour: string | null
  /** Words for the tracks of somebody at nought, by the key in `Life.marks`; empty where there are none. */
  readonly marks: readonly (Named & { readonly most: number; readonly good: boolean })[]
  /** What a roll at nought is called; null where nobody rolls. */
  readonly recovery: string | null
  readonly spellSlots: boolean
  readonly hitDice: boolean
  /** Whether an action has three numbers to hit, one for each of a turn. */
  readonly attacksOfTurn: number
  /** Headings for acts by their price, in order. */
  readonly costs: readonly Cost[]
  readonly rests: readonly (Named & { readonly kind: RestKind; readonly says: string })[]
}

/** A price of acts: a heading on a sheet, and what of a turn it takes. */
export interface Cost extends Named {
  readonly spends?: { readonly part: string; readonly count: number }
  /** May be paid in the turns of others. */
  readonly outOfTurn?: boolean
}

export type RestKind = 'short' | 'long'

/** A rule system with its options chosen. Everything in it is pure. */
export interface RuleSystem {
  /** As it is kept with a campaign: `dnd5e-2024`. */
  readonly id: string
  readonly title: string
  readonly face: SystemFace
  readonly abilities: readonly Ability[]
  readonly skills: readonly Proficiency[]
  readonly saves: readonly Proficiency[]
  readonly ranks: readonly Rank[]
  readonly conditions: readonly ConditionRule[]
  readonly damageTypes: readonly string[]
  readonly sizes: readonly (Named & { readonly squares: number })[]
  /** The smallest first; empty where a purse is not counted. */
  readonly coins: readonly Coin[]
  /** How many things one may be attuned to; null where nothing is. */
  readonly attunement: number | null
  /** Feet that a sheet without a speed walks; null where nothing is measured. */
  readonly usualSpeed: number | null
  readonly levels: LevelRules | null

  abilityModifier(sheet: Sheet, ability: string): number
  proficiencyBonus(sheet: Sheet): number | null
  /** All that somebody can roll, in the order of a sheet, with its modifier and where that comes from. */
  checks(sheet: Sheet, conditions: readonly Condition[]): readonly Check[]
  /** Passive values, as they stand on the party's page. */
  passives(sheet: Sheet, conditions: readonly Condition[]): readonly (Named & { readonly value: number })[]
  /** The dice of a check. `bonus` is what the moment adds. */
  checkThrow(check: Check, mode: RollMode, bonus: number): Throw
  /** How a roll came out against a difficulty. */
  outcome(rolled: Rolled, difficulty: number, kind: Check['kind'] | 'attack'): Outcome
  /** What one's conditions do to one's own roll. `kind` is that of a check, or an attack. */
  rollEffect(conditions: readonly Condition[], kind: Check['kind'] | 'attack', ability: string | null): RollEffect
  /** What the conditions of a target do to attacks against it. `near`: from within five feet or what the system has for it. */
  targetEffect(target: readonly Condition[], near: boolean): RollEffect & { readonly critical: boolean }
  /** Several modes at once. */
  combineModes(modes: readonly RollMode[]): RollMode

  armourClass(sheet: Sheet, conditions: readonly Condition[]): number | null
  /** Feet by the way one moves, after conditions. */
  speeds(sheet: Sheet, conditions: readonly Condition[]): Readonly<Record<string, number>>
  load(sheet: Sheet): Load | null

  initiative(sheet: Sheet, conditions: readonly Condition[]): Throw & { readonly modifier: number }
  /** Negative where the first acts before the second; 0 leaves the order in which they stand. */
  compareInitiative(first: Initiative, second: Initiative): number
  /** Whether it can act at all in its turn. */
  canAct(life: Life): boolean
  /** Seconds of a round; null where nobody counts them. */
  readonly secondsOfRound: number | null

  /** The dice that an attack of an action is rolled with. `attacksMade`: in this turn, before it. */
  attackThrow(action: Action, conditions: readonly Condition[], mode: RollMode, attacksMade: number): Throw | null
  /** The dice of damage when it is a critical hit. */
  criticalDamage(expression: string): string
  /** What of the damage is left by how the save against it came out. `half`: a save that passed leaves some. */
  shareAfterSave(outcome: Outcome, half: boolean): NonNullable<Blow['share']>
  /** The roll by which an action that was spent comes back at the start of one's own turn; null where it comes otherwise. */
  recharge(action: Action): (Throw & { readonly from: number }) | null

  readonly life: LifeRules

  /** The expression of a hit die, and what it heals; null where none are spent. */
  hitDieThrow(die: string): Throw | null
  hitDieHeals(sheet: Sheet, rolled: number): number
  rest(kind: RestKind, body: RestingBody): RestResult
  /** Hit points that a level of a class gives without a roll; null where the system cannot tell. */
  usualGain(sheet: Sheet, className: string | null): number | null
  /** One level more, of one of its classes: the first where none is named. */
  levelUp(sheet: Sheet, hpGain: number, className: string | null): Grown
  /** Spell slots that classes give; null where the system does not know one of them. */
  slotsFor(classes: Sheet['classes']): readonly SlotsGiven[] | null
  /** What a class of that name begins with; null where the system does not know it. */
  classOf(className: string): { readonly hitDie: string | null; readonly saves: readonly string[] } | null

  /** How hard a fight is for a party; null where the system does not say. Throws nothing: what cannot be rated says so. */
  difficulty(party: readonly number[], foes: readonly Foe[]): Difficulty | null
  /** The tiers that an encounter can be made for, the easiest first. */
  readonly tiers: readonly Named[]
  /** What one is worth in experience to a party; null where nothing is. */
  experienceOf(foe: Foe, party: readonly number[]): number | null
  /** What each of a party gets of what was defeated. */
  experienceShare(total: number, party: number): number
}

/** A family of systems: a game, and the ways in which a table can play it. */
export interface SystemFamily {
  readonly id: string
  readonly title: string
  /** The first is what a campaign gets that names the game and no more. */
  readonly variants: readonly RuleSystem[]
  /** Sheets of other programs that can be taken over; importers.ts has what reads them, which the web app does without. */
  readonly foreignSheets: readonly ForeignSheet[]
  /** The variant that words of a campaign mean; null where they mean another game. */
  recognises(words: string): RuleSystem | null
}
