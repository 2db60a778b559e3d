/** A stack of things: how many lie where they were, and how many go. */
export interface Split {
  readonly stays: number
  readonly goes: number
}

/** Some of a stack, or all of it where nobody says how many. Null where there are not as many, or fewer than one is asked for. */
export function split(quantity: number, asked: number | undefined): Split | null {
  const goes = asked ?? quantity
  if (!Number.isInteger(goes) || goes < 1 || goes > quantity) return null
  return { stays: quantity - goes, goes }
}

interface Described {
  readonly name: string
  readonly weight: number | null
  readonly value: string | null
  readonly notes: string | null
  readonly slot: string | null
  readonly hidden: boolean
  readonly equipped: boolean
  readonly attuned: boolean
}

/** Whether two stacks are of the same thing, so that one can lie on the other. What is worn or bound to somebody lies alone. */
export function isSame(one: Described, other: Described): boolean {
  const alone = one.equipped || other.equipped || one.attuned || other.attuned
  return (
    !alone &&
    one.name === other.name &&
    one.weight === other.weight &&
    one.value === other.value &&
    one.notes === other.notes &&
    one.slot === other.slot &&
    one.hidden === other.hidden
  )
}
