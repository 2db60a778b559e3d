import type { JSX } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import { chanceOf, type Odds, oddsOf, summaryOf } from '../../../kernel/dice-odds.ts'
import { DiceError } from '../../../kernel/dice-parse.ts'
import { Stepper } from '../../kit/number-field.tsx'

const width = 480
const height = 150
/** No more bars than can be told apart. */
const mostBars = 80

function oddsOrNull(text: string): Odds | null {
  try {
    return oddsOf(text)
  } catch (fault) {
    if (fault instanceof DiceError) return null
    throw fault
  }
}

const digits = (value: number): string => (Math.round(value * 10) / 10).toString()

/** How likely each result of what is written is, and how likely one that is enough. */
export function OddsPlot({ text }: { text: string }): JSX.Element | null {
  const odds = useMemo(() => oddsOrNull(text), [text])
  const summary = useMemo(() => (odds === null ? null : summaryOf(odds)), [odds])
  const [wanted, setWanted] = useState<number | null>(null)
  if (odds === null || summary === null || odds.size < 2) return null
  const { least, most, mean, mode } = summary
  const target = wanted === null || wanted < least || wanted > most ? Math.ceil(mean) : wanted
  const said = `${target} or more comes up ${Math.round(chanceOf(odds, target) * 100)} times in 100.`
  const step = Math.ceil((most - least + 1) / mostBars)
  const bars = Array.from({ length: Math.ceil((most - least + 1) / step) }, (_, index) => {
    const from = least + index * step
    let chance = 0
    for (let value = from; value < from + step; value++) chance += odds.get(value) ?? 0
    return { from, chance }
  })
  const highest = Math.max(...bars.map(({ chance }) => chance))
  const each = width / bars.length
  const isFlat = bars.every(({ chance }) => Math.abs(chance - highest) < 1e-9)
  return (
    <section class="odds" aria-label="The chances">
      <div class="line">
        <p class="chance-said">{said}</p>
        <Stepper label="Needed" value={target} onValue={setWanted} min={least} max={most} />
      </div>
      <svg class="plot" viewBox={`0 -6 ${width} ${height + 30}`} role="img" aria-label={said}>
        {bars.map(({ from, chance }, index) => {
          const tall = Math.max(1, (height * chance) / highest)
          return (
            <rect
              key={from}
              class={from >= target ? 'made' : 'not'}
              x={index * each + each * 0.06}
              y={height - tall}
              width={each * 0.88}
              height={tall}
              rx={Math.min(2, each / 4)}
            />
          )
        })}
        <text x="0" y={height + 18}>
          {least}
        </text>
        <text x={width} y={height + 18} text-anchor="end">
          {most}
        </text>
      </svg>
      <p class="small soft">{`From ${least} to ${most}, ${isFlat ? 'each as often' : `most often ${mode}`}, on average ${digits(mean)}.`}</p>
    </section>
  )
}
