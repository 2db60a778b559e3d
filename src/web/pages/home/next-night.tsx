import type { JSX } from 'preact'
import { Link } from 'wouter-preact'
import { LinkButton, MoreLink } from '../../kit/button.tsx'
import { useCampaign, useQuery } from '../../shell/context.ts'
import { sectionPath } from '../../shell/links.ts'
import { Answer } from '../nights/answer.tsx'
import { headline, shortDayOf, whoComes } from '../nights/night-words.ts'

/** The night that comes next: when, who comes, and one's own answer in one press. */
export function NextNight(): JSX.Element | null {
  const { campaignId, isDm, mayWrite } = useCampaign()
  const { data } = useQuery('get_next_game_night', { campaignId })
  if (data === undefined) return null
  const { gameNight: night, tentativeCount } = data
  const nights = sectionPath(campaignId, 'nights')
  if (night) {
    const [weekday, ...rest] = shortDayOf(night.startsAt).split(' ')
    return (
      <section class="next-night">
        <h2 class="visually-hidden">The next night</h2>
        <Link href={nights} class="next-night-link">
          <span class="day-badge">
            <span class="small soft">{weekday}</span>
            <b>{rest.find((part) => /^\d+$/.test(part))}</b>
            <span class="small soft">{rest.find((part) => !/^\d+$/.test(part))}</span>
          </span>
          <span>
            <strong>{headline(night, new Date())}</strong>
            <span class="secondary">{whoComes(night)}</span>
          </span>
        </Link>
        <Answer night={night} quiet />
      </section>
    )
  }
  if (tentativeCount > 0) {
    return (
      <section class="next-night">
        <h2>When do we meet next?</h2>
        <p class="soft small">
          {tentativeCount === 1 ? 'You are asked about one day.' : `You are asked about ${tentativeCount} days.`}
        </p>
        <MoreLink to={nights}>Say which you can</MoreLink>
      </section>
    )
  }
  if (!isDm || !mayWrite) return null
  return (
    <section class="next-night">
      <h2>The next night</h2>
      <p class="soft small">None is planned.</p>
      <LinkButton variant="quiet" class="outdent" icon="night" to={nights}>
        Ask when they can
      </LinkButton>
    </section>
  )
}
