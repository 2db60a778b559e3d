import type { Fight, Happening, RollLine } from './fight.ts'
import { patchBetween } from './patch.ts'

/** What a happening is told with, beside what it changed. */
export type Told = Pick<Happening, 'kind'> &
  Partial<Pick<Happening, 'fighterId' | 'targetId' | 'amount' | 'rolls'>> & {
    /** Sentences for everybody, and those with numbers. */
    readonly says?: readonly string[]
    readonly numbers?: readonly string[]
  }

/** Goes from state to state and keeps what happened on the way. */
export interface Telling {
  readonly fight: Fight
  readonly events: readonly Happening[]
  tell(after: Fight, told: Told): void
}

const sentence = (parts: readonly string[]): string => parts.filter((part) => part !== '').join(' ')

export function tellFrom(start: Fight): Telling {
  let fight = start
  const events: Happening[] = []
  return {
    get fight() {
      return fight
    },
    events,
    tell(after, { kind, fighterId = null, targetId = null, amount = null, rolls = [], says = [], numbers = [] }) {
      const patch = patchBetween(fight, after)
      fight = after
      events.push({
        kind,
        fighterId,
        targetId,
        amount,
        rolls,
        says: sentence(says),
        numbers: sentence(numbers),
        patch,
      })
    },
  }
}

export function rollLine(label: string, { text, total }: { readonly text: string; readonly total: number }): RollLine {
  return { label, text, total }
}
