// Whether and how somebody lives: the same for a character on a sheet and a combatant in a fight. Values, no rules.

/** Something that lasts on a creature. */
export interface Condition {
  /** A key of the system's, or any words. */
  readonly key: string
  /** Of those that have a value. */
  readonly level?: number | undefined
  /** Rounds that are left; absent where it ends otherwise. */
  readonly rounds?: number | undefined
  /** Whose it is, in words. */
  readonly source?: string | undefined
  /** The save that ends it. */
  readonly save?: { readonly checkId: string; readonly difficulty: number } | undefined
  readonly note?: string | undefined
}

/** `dying`: at nought and something decides; `stable`: at nought and nothing does; `dead`. */
export type LifeState = 'up' | 'dying' | 'stable' | 'dead'

export interface Life {
  readonly hp: number
  readonly hpMax: number
  readonly hpTemp: number
  readonly state: LifeState
  /** Counters that a system keeps of somebody, by keys of `SystemFace.marks` and its own. Absent is 0. */
  readonly marks: Readonly<Record<string, number>>
  readonly conditions: readonly Condition[]
  /** What they concentrate on, in words; null for nothing. */
  readonly concentration: string | null
}

/** What is kept of resistances and their like. `all` is every type. An amount, where the system counts one. */
export interface Defences {
  readonly immunities?: readonly string[] | undefined
  readonly resistances?: readonly { readonly type: string; readonly amount?: number | undefined }[] | undefined
  readonly weaknesses?: readonly { readonly type: string; readonly amount?: number | undefined }[] | undefined
  readonly conditionImmunities?: readonly string[] | undefined
  /** Damage below it does nothing. */
  readonly threshold?: number | undefined
}

/** Damage of one effect, as rolled, before anything the target has against it. */
export interface Blow {
  readonly parts: readonly { readonly amount: number; readonly type: string | null }[]
  readonly critical?: boolean | undefined
  /** How its target's save came out, where damage hangs on one: what is left of it then. */
  readonly share?: 'none' | 'half' | 'full' | 'double' | undefined
  /** Taken off by something that shields the target. */
  readonly reduction?: number | undefined
  /** Meant to knock out. */
  readonly knockOut?: boolean | undefined
}

export type RollMode = 'plain' | 'advantage' | 'disadvantage'

/** A roll that an adapter asks for: an expression of dice and what it is for. */
export interface Throw {
  readonly expression: string
  readonly label: string
}

/** What was rolled: the total, and the face of the one die that counts by itself; null where there is none. */
export interface Rolled {
  readonly total: number
  readonly natural: number | null
}

/** A life after something happened to it. Every member is worth a line in the log; `says` are those lines. */
export interface Changed {
  readonly life: Life
  readonly says: readonly string[]
}

export interface Hurt extends Changed {
  /** After immunity, resistance and weakness; what the next two sum up to, or more. */
  readonly dealt: number
  readonly absorbed: number
  readonly lost: number
  /** The save that keeps concentration; null where there is nothing to keep. */
  readonly concentration: { readonly checkId: string; readonly difficulty: number } | null
}

/** What a turn's beginning or end asks of somebody: a roll, whose result goes back to `answerTurn`. */
export interface TurnAsk extends Throw {
  readonly kind: 'recovery' | 'save' | 'persistent' | 'flat'
  /** The condition that it is about; null where it is about none. */
  readonly condition: string | null
  readonly difficulty: number | null
  /** For `save`: which of one's checks. */
  readonly checkId: string | null
}

export interface TurnChange extends Changed {
  readonly asks: readonly TurnAsk[]
}
