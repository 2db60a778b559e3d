import type { Changed, Condition, Life, RollMode } from './life.ts'
import type { Check, Sheet } from './sheet.ts'
import type { Band, Named } from './system.ts'

// What every system does alike, because it follows from counting and from no rule of theirs.

export const lowered = (text: string): string => text.trim().toLowerCase()

/** A whole number between bounds. */
export function within(value: number, least: number, most: number): number {
  return Math.max(least, Math.min(most, value))
}

export function signed(value: number): string {
  return value < 0 ? `−${-value}` : `+${value}`
}

/** `1d20` and 5 make `1d20+5`. */
export function plus(dice: string, modifier: number): string {
  if (modifier === 0) return dice
  return modifier < 0 ? `${dice}-${-modifier}` : `${dice}+${modifier}`
}

/** Advantages and disadvantages never add up: any of each is neither. */
export function cancelling(modes: readonly RollMode[]): RollMode {
  const [up, down] = [modes.includes('advantage'), modes.includes('disadvantage')]
  return up === down ? 'plain' : up ? 'advantage' : 'disadvantage'
}

export function has(conditions: readonly Condition[], key: string): boolean {
  return conditions.some((each) => each.key === key)
}

/** The highest value of a condition; 0 where it is absent. */
export function levelOf(conditions: readonly Condition[], key: string): number {
  return conditions.filter((each) => each.key === key).reduce((most, { level }) => Math.max(most, level ?? 1), 0)
}

export function mark(life: Life, key: string): number {
  return life.marks[key] ?? 0
}

/** With some marks changed; those at nought are left away. */
export function marked(life: Life, changes: Readonly<Record<string, number>>): Life {
  const marks = Object.fromEntries(Object.entries({ ...life.marks, ...changes }).filter(([, count]) => count !== 0))
  return { ...life, marks }
}

export function unchanged(life: Life, ...says: readonly string[]): Changed {
  return { life, says }
}

/** Temporary hit points stand in front of the others. */
export function absorbed(
  life: Life,
  amount: number,
): { readonly life: Life; readonly absorbed: number; readonly left: number } {
  const taken = Math.min(life.hpTemp, amount)
  return { life: { ...life, hpTemp: life.hpTemp - taken }, absorbed: taken, left: amount - taken }
}

/** Every condition of the key, or those of one source. */
export function without(conditions: readonly Condition[], key: string, source?: string): readonly Condition[] {
  return conditions.filter((each) => each.key !== key || (source !== undefined && each.source !== source))
}

/** Each source keeps its own duration; the same of the same source is replaced. */
export function withSourced(conditions: readonly Condition[], added: Condition): readonly Condition[] {
  return [...conditions.filter((each) => each.key !== added.key || each.source !== added.source), added]
}

/** One of each: a higher value stays, and what is longer. */
export function withHighest(conditions: readonly Condition[], added: Condition): readonly Condition[] {
  const before = conditions.find(({ key }) => key === added.key)
  if (before === undefined) return [...conditions, added]
  const level = Math.max(before.level ?? 1, added.level ?? 1)
  const rounds =
    before.rounds === undefined || added.rounds === undefined ? undefined : Math.max(before.rounds, added.rounds)
  const kept = { ...before, ...added, level, rounds }
  return conditions.map((each) => (each === before ? kept : each))
}

/** A round less for each that counts them; those that are over fall away. */
export function aged(conditions: readonly Condition[]): {
  readonly kept: readonly Condition[]
  readonly over: readonly Condition[]
} {
  const older = conditions.map((each) => (each.rounds === undefined ? each : { ...each, rounds: each.rounds - 1 }))
  const isOver = ({ rounds }: Condition): boolean => rounds !== undefined && rounds <= 0
  return { kept: older.filter((each) => !isOver(each)), over: older.filter(isOver) }
}

/** How somebody stands in a word, by quarters: nobody learns a number from it. */
export function bandOf(life: Life): Band {
  if (life.state === 'dead') return 'dead'
  if (life.state !== 'up' || (life.hpMax > 0 && life.hp === 0)) return 'down'
  if (life.hpMax === 0 || life.hp >= life.hpMax) return 'unhurt'
  if (life.hp * 4 <= life.hpMax) return 'critical'
  return life.hp * 2 <= life.hpMax ? 'bloodied' : 'hurt'
}

/** Sizes of bodies as both great games have them, with the squares that one fills. */
export const sizes: readonly (Named & { readonly squares: number })[] = [
  { key: 'tiny', name: 'Tiny', squares: 0.5 },
  { key: 'small', name: 'Small', squares: 1 },
  { key: 'medium', name: 'Medium', squares: 1 },
  { key: 'large', name: 'Large', squares: 2 },
  { key: 'huge', name: 'Huge', squares: 3 },
  { key: 'gargantuan', name: 'Gargantuan', squares: 4 },
]

/** The checks that a table wrote onto a sheet itself: nothing but their own expression and bonus is added. */
export function ownChecksOf({ checks, bonuses }: Sheet): readonly Check[] {
  return checks.map(({ key, name, expression, compare }): Check => {
    const bonus = bonuses[`own.${key}`] ?? 0
    return {
      id: `own.${key}`,
      kind: 'own',
      name,
      ability: null,
      modifier: null,
      parts: bonus === 0 ? [] : [{ name: 'Bonus', value: bonus }],
      rank: null,
      expression: plus(expression, bonus),
      mode: 'plain',
      fails: false,
      reasons: [],
      compare: compare ?? 'at-least',
    }
  })
}
