import type { JSX } from 'preact'
import type { FightActs } from './acts.ts'
import type { Fighter } from './words.ts'

/** A button for each of what is left of a turn; struck out when it is spent. */
export function Spend({ one, acts }: { one: Fighter; acts: FightActs }): JSX.Element | null {
  const parts = (one.parts ?? []).filter(({ max }) => max > 0)
  if (parts.length === 0) return null
  return (
    <fieldset class="spend bare" aria-label="What is left of the turn">
      {parts.map((part) => {
        const word =
          part.unit === 'feet'
            ? `${part.left} of ${part.max} ft`
            : part.max > 1
              ? `${part.name}: ${part.left} of ${part.max}`
              : part.name
        const step = part.unit === 'feet' ? 5 : 1
        const left = part.left <= 0 ? part.max : Math.max(0, part.left - step)
        return (
          <button
            key={part.key}
            type="button"
            aria-pressed={part.left <= 0}
            aria-label={part.left <= 0 ? `${part.name}, used` : word}
            onClick={() => void acts.spend(one, { key: part.key, left })}
          >
            {word}
          </button>
        )
      })}
    </fieldset>
  )
}
