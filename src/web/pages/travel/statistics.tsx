import './styles.ts'
import type { JSX } from 'preact'
import { Link } from 'wouter-preact'
import type { Output } from '../../api/contract.ts'
import { calendarDay, count } from '../../kit/format.ts'
import { questStatuses } from '../../kit/labels.ts'
import { EmptyState, Fact, LoadError, Loading, PageHeader, Section } from '../../kit/page.tsx'
import { useCampaign, usePageTitle, useQuery } from '../../shell/context.ts'
import { entityPath } from '../../shell/links.ts'

type Statistics = Output<'get_campaign_statistics'>

/** What a campaign has come to, in numbers. */
export function StatisticsPage(): JSX.Element {
  const { campaignId, campaign } = useCampaign()
  const { data, error } = useQuery('get_campaign_statistics', { campaignId })
  usePageTitle('Numbers', campaign.name)
  if (error) return <LoadError error={error} />
  if (!data) return <Loading />
  const { sessions, evenings, gaps, attendance, questsByStatus, objectives } = data
  const quests = questsByStatus.filter((each) => each.count > 0)
  const all = quests.reduce((sum, each) => sum + each.count, 0)
  if (sessions.played === 0 && all === 0) {
    return (
      <>
        <PageHeader title="Numbers" />
        <EmptyState drawing="road" title="Nothing to count yet">
          When the first evening has been played, this page says how it went.
        </EmptyState>
      </>
    )
  }
  return (
    <>
      <PageHeader title="Numbers" sub={`${count(sessions.played, 'evening')} played so far`} />
      {evenings.length > 0 && (
        <Section title="Who was there">
          <EveningBars evenings={evenings} campaignId={campaignId} />
          {data.earlierEvenings > 0 && (
            <p class="small soft">{`${count(data.earlierEvenings, 'evening')} before these.`}</p>
          )}
        </Section>
      )}
      {attendance.length > 0 && (
        <Section title="How often">
          <ul class="rows">
            {attendance.map(({ name, present, asked }) => (
              <li key={name} class="row">
                <span class="grow">
                  {name}
                  <span class="share" aria-hidden="true">
                    <i style={{ '--part': `${asked === 0 ? 0 : Math.round((100 * present) / asked)}%` }} />
                  </span>
                </span>
                <span class="nowrap">{`${present} of ${asked}`}</span>
              </li>
            ))}
          </ul>
        </Section>
      )}
      {quests.length > 0 && (
        <Section title="Quests">
          <ul class="rows">
            {quests.map((each) => (
              <li key={each.status} class="row">
                <span class="grow">
                  {questStatuses[each.status]}
                  <span class="share" aria-hidden="true">
                    <i style={{ '--part': `${Math.round((100 * each.count) / all)}%` }} />
                  </span>
                </span>
                <span class="nowrap">{each.count}</span>
              </li>
            ))}
          </ul>
        </Section>
      )}
      <Section title="Between the evenings">
        <dl class="facts">
          <Fact name="Usually">{gaps.median === null ? null : count(gaps.median, 'day')}</Fact>
          <Fact name="The longest">{gaps.longest === null ? null : count(gaps.longest, 'day')}</Fact>
          <Fact name="Still planned">{sessions.planned > 0 ? count(sessions.planned, 'evening') : null}</Fact>
          <Fact name="Steps of quests">
            {objectives.total > 0 ? `${objectives.done} of ${objectives.total} done` : null}
          </Fact>
        </dl>
      </Section>
    </>
  )
}

const [barWidth, gap, height] = [34, 10, 120] as const

/** A bar for each evening: full for who was there, outlined for who was asked. The list below says the same in words. */
function EveningBars({ evenings, campaignId }: { evenings: Statistics['evenings']; campaignId: number }): JSX.Element {
  const most = Math.max(1, ...evenings.map(({ asked }) => asked ?? 0))
  const width = Math.max(320, evenings.length * (barWidth + gap) + gap)
  const tall = (people: number): number => Math.round((people / most) * height)
  const every = Math.ceil(evenings.length / 12)
  const known = evenings.filter(({ present }) => present !== null)
  return (
    <>
      {known.length > 0 && (
        <svg class="evening-bars" viewBox={`0 0 ${width} ${height + 24}`} width={width} aria-hidden="true">
          {evenings.map(({ sessionId, number, present, asked }, index) => {
            const x = gap + index * (barWidth + gap)
            return (
              <g key={sessionId}>
                {asked !== null && (
                  <rect class="asked" x={x} y={height - tall(asked)} width={barWidth} height={tall(asked)} />
                )}
                {present !== null && (
                  <rect class="there" x={x} y={height - tall(present)} width={barWidth} height={tall(present)} />
                )}
                {index % every === 0 && (
                  <text x={x + barWidth / 2} y={height + 18}>
                    {number}
                  </text>
                )}
              </g>
            )
          })}
          <line class="floor" x1="0" x2={width} y1={height} y2={height} />
        </svg>
      )}
      <ol class="rows">
        {evenings.toReversed().map(({ sessionId, number, title, playedAt, present, asked, daysSince }) => (
          <li key={sessionId}>
            <Link href={entityPath(campaignId, 'session', sessionId) ?? ''} class="row">
              <span class="grow">
                <strong class="serif">{`${number}${title === null ? '' : `, ${title}`}`}</strong>
                <span class="secondary">
                  {[
                    playedAt === null ? null : calendarDay(playedAt),
                    daysSince === null ? null : `${count(daysSince, 'day')} after the one before`,
                  ]
                    .filter(Boolean)
                    .join(', ')}
                </span>
              </span>
              <span class="nowrap small soft">{present === null ? 'nobody said' : `${present} of ${asked} there`}</span>
            </Link>
          </li>
        ))}
      </ol>
    </>
  )
}
