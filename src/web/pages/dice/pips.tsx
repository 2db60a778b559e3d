import type { JSX } from 'preact'
import type { Item } from '../../api/contract.ts'

type Terms = Item<'list_dice_rolls'>['terms']

const outlines: Readonly<Record<number, string>> = {
  4: 'M12 2.500 22 20H2Z',
  6: 'M4 4h16v16H4Z',
  8: 'M12 1.500 21.500 12 12 22.500 2.500 12Z',
  10: 'M12 2 22 10v4L12 22 2 14v-4Z',
  12: 'M12 2 22 9.500 18 21H6L2 9.500Z',
  20: 'M12 1.500 21.500 6.800v10.400L12 22.500 2.500 17.200V6.800Z',
}
const round = 'M2 12a10 10 0 1 0 20 0a10 10 0 1 0 -20 0'

export const outlineOf = (sides: number): string => outlines[sides] ?? round

/** Dice as they fell: the highest face filled, a one in red, what does not count struck. Words say the same. */
export function Pips({ terms }: { terms: Terms }): JSX.Element {
  return (
    <>
      {terms.map((term, at) => (
        <span class="parts" key={`${at} ${term.text}`}>
          {term.dice.slice(0, 24).map((die, index) => {
            const look =
              die.out !== null
                ? ' off'
                : die.face === term.sides
                  ? ' top'
                  : die.face === 1 && term.sides > 2
                    ? ' low'
                    : ''
            const words = die.out === null ? '' : die.out === 'dropped' ? ', not counted' : ', rolled again'
            return (
              <span key={index} class={`pip${look}`} role="img" aria-label={`${die.value}${words}`}>
                <svg viewBox="0 0 24 24" aria-hidden="true">
                  <path d={outlineOf(term.sides)} />
                </svg>
                <span aria-hidden="true">{die.value}</span>
              </span>
            )
          })}
          {term.dice.length > 24 && <span class="txt">and {term.dice.length - 24} more</span>}
          {term.label && <span class="txt">{term.label}</span>}
        </span>
      ))}
    </>
  )
}
