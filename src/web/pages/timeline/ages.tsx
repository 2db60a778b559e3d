import type { JSX } from 'preact'
import { parseWorldDate, yearWords } from '../../../kernel/world-calendar.ts'
import type { WorldCalendar } from '../../api/contract.ts'
import { capitalize } from '../../kit/format.ts'
import { Section } from '../../kit/page.tsx'
import { useCampaign, usePages } from '../../shell/context.ts'
import { numberWord } from './words.ts'

interface Mark {
  readonly year: number
  readonly title: string
  readonly hidden: boolean
}

/** How far apart two marks stand at least, of the whole line. */
const APART = 0.14

/** The years from the first that something is told of until now, on one line: as many of them as have room. */
export function Ages({ calendar }: { calendar: WorldCalendar }): JSX.Element | null {
  const { campaignId } = useCampaign()
  const now = parseWorldDate(calendar.currentDate ?? '')?.year ?? null
  const list = usePages(
    'list_timeline_events',
    now === null ? null : { campaignId, from: '-999999', to: String(now - 1), limit: 200 },
  )
  const marks = list.items.flatMap((event): Mark[] => {
    const year = parseWorldDate(event.worldDate ?? '')?.year
    return year === undefined ? [] : [{ year, title: event.title, hidden: event.hidden }]
  })
  const [first] = marks
  if (now === null || first === undefined) return null
  const span = now - first.year
  const at = (year: number): number => (year - first.year) / span
  const shown: Mark[] = []
  for (const mark of marks) {
    const last = shown.at(-1)
    if (last === undefined || (at(mark.year) - at(last.year) >= APART && 1 - at(mark.year) >= APART)) shown.push(mark)
  }
  return (
    <Section
      class="desktop-only"
      title={`${capitalize(numberWord(span))} ${span === 1 ? 'year' : 'years'}`}
      end={
        <span class="faint">
          {yearWords(calendar, first.year)} to {yearWords(calendar, now)}
        </span>
      }
    >
      <ol class="ages">
        {shown.map((mark, index) => (
          <li
            key={mark.year}
            class={[index === 0 && 'first', index % 2 === 1 && 'below', mark.hidden && 'dm'].filter(Boolean).join(' ')}
            style={{ '--x': `${at(mark.year) * 100}%` }}
          >
            <span>
              <small>
                {yearWords(calendar, mark.year)}
                {mark.hidden && ', only you'}
              </small>
              {mark.title}
            </span>
          </li>
        ))}
        <li class="last now" style={{ '--x': '100%' }}>
          <span>
            <small>{yearWords(calendar, now)}</small>
            Now
          </span>
        </li>
      </ol>
    </Section>
  )
}
