import type { Condition, Defences, Life, RollMode } from './life.ts'

// What the rules compute with, the same for a character's sheet and a stat block. Keys are those that the system of the
// campaign declares; what it does not know it leaves alone.

/** Something that somebody can do. */
export interface Action {
  readonly key: string
  readonly name: string
  /** A key of `SystemFace.costs`. */
  readonly cost?: string | undefined
  readonly says?: string | undefined
  /** A number to hit with; absent where it does not attack. */
  readonly attack?: number | undefined
  readonly agile?: boolean | undefined
  readonly save?:
    | { readonly checkId: string; readonly difficulty: number; readonly half?: boolean | undefined }
    | undefined
  readonly damage?: readonly { readonly expression: string; readonly type?: string | undefined }[] | undefined
  readonly heals?: string | undefined
  /** Put on whom it hits, or who fails the save. */
  readonly conditions?: readonly Condition[] | undefined
  /** The counted resource that it costs, and how much of it. */
  readonly uses?: { readonly resource: string; readonly count: number } | undefined
  /** It costs a slot of at least this level. */
  readonly spellLevel?: number | undefined
  /** Comes back on this face or higher at the start of one's turn. */
  readonly rechargeFrom?: number | undefined
  readonly concentration?: boolean | undefined
}

export type Recharge = 'turn' | 'short' | 'long' | 'day' | 'none'

export interface Resource {
  readonly key: string
  readonly name: string
  readonly max: number
  readonly left: number
  readonly recharge: Recharge
}

export interface SlotRow {
  readonly level: number
  readonly max: number
  readonly used: number
  /** Slots of a pool of their own that also a short rest brings back. */
  readonly pact?: boolean | undefined
}

export interface SlotsGiven {
  readonly level: number
  readonly max: number
  /** Of a pool of their own that also a short rest brings back. */
  readonly pact: boolean
}

export interface HitDice {
  /** `d8`. */
  readonly die: string
  readonly max: number
  readonly used: number
}

/** A check that only this sheet has, with dice of its own. */
export interface OwnCheck {
  readonly key: string
  readonly name: string
  readonly expression: string
  /** How it succeeds: a total of at least the difficulty, or of at most it. */
  readonly compare?: 'at-least' | 'at-most' | undefined
}

export interface Sheet {
  readonly level: number
  /** Challenge or level of a foe, where it is one. */
  readonly rating?: number | undefined
  readonly isCharacter: boolean
  readonly classes: readonly { readonly name: string; readonly level: number }[]
  readonly abilities: Readonly<Record<string, number>>
  /** Keys of ranks by keys of skills and saves; what is not named is of the lowest. */
  readonly skills: Readonly<Record<string, string>>
  readonly saves: Readonly<Record<string, string>>
  /** What is added besides, by the id of a check, or to `ac` and `initiative`. */
  readonly bonuses: Readonly<Record<string, number>>
  readonly checks: readonly OwnCheck[]
  readonly size: string | null
  readonly ac: number | null
  /** Feet by the way one moves: `walk`, `fly`, `swim`. */
  readonly speeds: Readonly<Record<string, number>>
  readonly hpMax: number | null
  readonly hitDice: readonly HitDice[]
  readonly experience: number
  readonly defences: Defences
}

export type CheckKind = 'ability' | 'skill' | 'save' | 'initiative' | 'perception' | 'own'

/** One thing to roll. `id` is stable: `save.dex`. */
export interface Check {
  readonly id: string
  readonly kind: CheckKind
  readonly name: string
  readonly ability: string | null
  /** Null where the dice say all. */
  readonly modifier: number | null
  /** What the modifier is made of, for whoever asks why. */
  readonly parts: readonly { readonly name: string; readonly value: number }[]
  readonly rank: string | null
  /** The dice without advantage, as they are written. */
  readonly expression: string
  /** What conditions make of it now. */
  readonly mode: RollMode
  readonly fails: boolean
  readonly reasons: readonly string[]
  readonly compare: 'at-least' | 'at-most'
}

/** How a roll came out. */
export interface Outcome {
  readonly degree: 'critical-success' | 'success' | 'failure' | 'critical-failure'
  readonly passed: boolean
  readonly says: string
}

/** Foes of one kind in an encounter. */
export interface Foe {
  readonly name: string
  /** Challenge or level. */
  readonly rating: number
  readonly count: number
  /** What the stat block itself says it is worth. */
  readonly experience?: number | undefined
}

export interface Difficulty {
  /** A key of `RuleSystem.tiers`, or `beyond` above and `trivial` below all. */
  readonly tier: string
  readonly says: string
  /** Experience of all foes, plain. */
  readonly total: number
  /** What the verdict is judged by; `total` where nothing is weighed. */
  readonly weighed: number
  /** Where each tier begins for this party. */
  readonly bounds: readonly { readonly key: string; readonly name: string; readonly experience: number }[]
  /** The sums behind it, in sentences. */
  readonly sums: readonly string[]
  readonly warnings: readonly string[]
}

/** What a rest works on. `spent`: hit dice with what they showed, of a short rest. */
export interface RestingBody {
  readonly sheet: Sheet
  readonly life: Life
  readonly slots: readonly SlotRow[]
  readonly resources: readonly Resource[]
  readonly spent: readonly { readonly die: string; readonly rolled: number }[]
}

export interface RestResult {
  /** Null: nothing changes, `refused` says why. */
  readonly refused: string | null
  readonly life: Life
  readonly slots: readonly SlotRow[]
  readonly resources: readonly Resource[]
  readonly hitDice: readonly HitDice[]
  readonly says: readonly string[]
}
