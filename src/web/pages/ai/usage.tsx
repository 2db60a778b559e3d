import type { JSX } from 'preact'
import type { Output } from '../../api/contract.ts'
import { number } from '../../kit/format.ts'
import { Section } from '../../kit/page.tsx'
import { useCampaign, useQuery } from '../../shell/context.ts'

const days = 14
const dayMs = 86_400_000
const page = 1000

type Line = Output<'get_ai_usage'>['days'][number]

const features: readonly { readonly feature: Line['feature']; readonly words: string }[] = [
  { feature: 'seat', words: 'the seat' },
  { feature: 'scribe', words: 'the scribe' },
  { feature: 'drafts', words: 'drafts you asked for' },
]

const tokensOf = ({ inputTokens, outputTokens }: Pick<Line, 'inputTokens' | 'outputTokens'>): number =>
  inputTokens + outputTokens
const pagesOf = (tokens: number): number => Math.ceil(tokens / page)

/** How much the AI was used, day by day, in pages of about a thousand tokens. Days are those of UTC, as they are counted. */
export function Usage(): JSX.Element | null {
  const { campaignId } = useCampaign()
  const usage = useQuery('get_ai_usage', { campaignId })
  if (!usage.data) return null
  const { to } = usage.data
  const dates = Array.from({ length: days }, (_, index) =>
    new Date(Date.parse(to) - (days - 1 - index) * dayMs).toISOString().slice(0, 10),
  )
  const lines = usage.data.days.filter(({ day }) => dates.includes(day))
  const tokens = (day: string, feature: Line['feature']): number =>
    lines.filter((each) => each.day === day && each.feature === feature).reduce((sum, each) => sum + tokensOf(each), 0)
  const highest = Math.max(
    1,
    ...dates.map((day) => features.reduce((sum, { feature }) => sum + tokens(day, feature), 0)),
  )
  const isEstimated = lines.some((each) => each.isEstimated)
  return (
    <Section title="How much, day by day" end={<span class="faint">fourteen days, until today</span>}>
      <ol class="usage-bars" aria-label="Pages for each day">
        {dates.map((day) => {
          const there = features.filter(({ feature }) => tokens(day, feature) > 0)
          const said = there.map(({ feature, words }) => `${pagesOf(tokens(day, feature))} ${words}`).join(', ')
          return (
            <li key={day}>
              <span class="visually-hidden">
                {day}: {said || 'nothing'}
              </span>
              {there.map(({ feature }) => (
                <i key={feature} class={feature} style={{ '--h': `${(tokens(day, feature) / highest) * 95}%` }} />
              ))}
            </li>
          )
        })}
      </ol>
      <ol class="usage-days" aria-hidden="true">
        {dates.map((day) => (
          <li key={day}>{Number(day.slice(8))}</li>
        ))}
      </ol>
      <ul class="usage-key">
        {features.map(({ feature, words }) => {
          const all = dates.reduce((sum, day) => sum + tokens(day, feature), 0)
          return (
            <li key={feature}>
              <i class={feature} />
              {words}, {number(pagesOf(all))} {pagesOf(all) === 1 ? 'page' : 'pages'}
            </li>
          )
        })}
      </ul>
      <p class="small faint">
        A page is about a thousand tokens, read and written together.
        {isEstimated && ' Some of it is reckoned: the provider did not say.'}
      </p>
    </Section>
  )
}
