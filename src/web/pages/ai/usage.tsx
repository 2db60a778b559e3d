import type { JSX } from 'preact'
import type { Output } from '../../api/contract.ts'
import { calendarDay, number } from '../../kit/format.ts'
import { LoadError, Loading, Section } from '../../kit/page.tsx'
import { useCampaign, useQuery } from '../../shell/context.ts'
import '../admin/ai-styles.ts'

type Usage = Output<'get_ai_usage'>
type Feature = Usage['features'][number]['feature']

const words: Readonly<Record<Feature, string>> = { scribe: 'The scribe', seat: 'The seat', drafts: 'Drafts' }

/** What the AI was asked in the last thirty days, in tokens: a plot by day, and the same as numbers. */
export function UsageSection(): JSX.Element {
  const { campaignId } = useCampaign()
  const { data: usage, error, retry } = useQuery('get_ai_usage', { campaignId })
  return (
    <Section title="What it was asked">
      {!usage ? (
        error ? (
          <LoadError error={error} retry={retry} />
        ) : (
          <Loading />
        )
      ) : usage.totals.calls === 0 ? (
        <p class="soft">Nothing in the last thirty days.</p>
      ) : (
        <>
          <Plot usage={usage} />
          <Numbers usage={usage} />
          <p class="small soft">
            In tokens, a page of a book is some 500. What stands behind a ~ was reckoned: the provider did not say.
          </p>
        </>
      )}
    </Section>
  )
}

const wide = 640
const high = 112
const ground = 110

/** A bar for each day, made of what each feature used. */
function Plot({ usage }: { usage: Usage }): JSX.Element {
  const days = daysOf(usage.from, usage.to)
  const step = wide / days.length
  const byDay = Map.groupBy(usage.days, ({ day }) => day)
  const tokens = (line: Usage['days'][number]): number => line.inputTokens + line.outputTokens
  const most = Math.max(1, ...Array.from(byDay.values(), (lines) => lines.reduce((sum, line) => sum + tokens(line), 0)))
  return (
    <div class="ai-plot">
      <svg
        viewBox={`0 0 ${wide} ${high}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`Tokens by day, at most ${number(most)} on one day`}
      >
        <line class="axis" x1="0" x2={wide} y1={ground} y2={ground} />
        {days.flatMap((day, index) => {
          let top = ground
          return (byDay.get(day) ?? []).map((line) => {
            const height = Math.max(1, (tokens(line) / most) * (ground - 8))
            top -= height
            return (
              <rect
                key={`${day} ${line.feature}`}
                class={line.feature}
                x={index * step + 1}
                y={top}
                width={Math.max(1, step - 2)}
                height={height}
              >
                <title>{`${calendarDay(day)}: ${words[line.feature]}, ${number(tokens(line))}`}</title>
              </rect>
            )
          })
        })}
      </svg>
      <p class="small soft">
        <span>{calendarDay(usage.from)}</span>
        <span>{calendarDay(usage.to)}</span>
      </p>
    </div>
  )
}

function Numbers({ usage }: { usage: Usage }): JSX.Element {
  const isReckoned = (feature: Feature): boolean =>
    usage.days.some((line) => line.feature === feature && line.isEstimated)
  return (
    <table class="ai-usage">
      <thead>
        <tr>
          <th scope="col">Who</th>
          <th scope="col">Times</th>
          <th scope="col">Read</th>
          <th scope="col">Written</th>
        </tr>
      </thead>
      <tbody>
        {usage.features
          .filter(({ calls }) => calls > 0)
          .map(({ feature, runs, inputTokens, outputTokens }) => (
            <tr key={feature}>
              <th scope="row">
                <i class={feature} aria-hidden="true" />
                {words[feature]}
              </th>
              <td>{number(runs)}</td>
              <td>{`${isReckoned(feature) ? '~' : ''}${number(inputTokens)}`}</td>
              <td>{`${isReckoned(feature) ? '~' : ''}${number(outputTokens)}`}</td>
            </tr>
          ))}
      </tbody>
    </table>
  )
}

function daysOf(from: string, to: string): readonly string[] {
  const days: string[] = []
  for (let at = Date.parse(from); at <= Date.parse(to); at += 86_400_000)
    days.push(new Date(at).toISOString().slice(0, 10))
  return days
}
