import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { Button, LinkButton } from '../../kit/button.tsx'
import { EmptyState, Fact, LoadError, Loading, PageHeader, Section } from '../../kit/page.tsx'
import { ownZone } from '../../kit/zoned-time.ts'
import { useAction } from '../../shell/actions.ts'
import { useCampaign, usePages, usePageTitle, useQuery } from '../../shell/context.ts'
import { sectionPath } from '../../shell/links.ts'
import { Comers } from './comers.tsx'
import { CalendarFeed } from './feed.tsx'
import { clockIn, placeOf } from './night-words.ts'
import { PastNights } from './past.tsx'
import { AskForm, Poll } from './poll.tsx'
import { cancelledInput, offeredInput, plannedInput } from './queries.ts'
import { NightRow, NightScene } from './scene.tsx'

/** Are we playing, when next, and who comes. */
export function NightsPage(): JSX.Element {
  const { campaignId, campaign, isDm, mayWrite } = useCampaign()
  usePageTitle('Game nights', campaign.name)
  const next = useQuery('get_next_game_night', { campaignId })
  const offered = usePages('list_game_nights', offeredInput(campaignId))
  const planned = usePages('list_game_nights', plannedInput(campaignId))
  const cancelled = usePages('list_game_nights', cancelledInput(campaignId))
  if (next.data === undefined) return next.error ? <LoadError error={next.error} retry={next.retry} /> : <Loading />
  const night = next.data.gameNight
  const now = new Date().toISOString()
  const days = offered.items.filter(({ startsAt }) => startsAt > now)
  const later = planned.items.filter(({ id, startsAt }) => startsAt > now && id !== night?.id).toReversed()
  const off = cancelled.items.filter(({ startsAt }) => startsAt > now).toReversed()
  const mayPlan = isDm && mayWrite
  return (
    <>
      {night ? (
        <NightScene night={night} />
      ) : (
        <PageHeader title="Game nights">{mayPlan && days.length > 0 && <PlanButton />}</PageHeader>
      )}
      <div class="two-columns">
        <div>
          {night && <Comers night={night} />}
          {off.length > 0 && <CalledOffNights nights={off} />}
          {!night && days.length === 0 && <NoNight />}
          {days.length > 0 && <Poll nights={days} />}
          {later.length > 0 && (
            <Section title="After that">
              <div class="rows">
                {later.map((each) => (
                  <NightRow key={each.id} night={each} />
                ))}
              </div>
            </Section>
          )}
          {mayPlan && night && <MorePlans asking={days.length === 0} />}
          <PastNights />
        </div>
        <aside class="side-column">
          <CalendarFeed />
          <dl class="facts">
            <Fact name="Your clock">
              {placeOf(ownZone())}
              {night && `, ${clockIn(ownZone(), night)}`}
              <br />
              <span class="small soft">Everybody reads their own</span>
            </Fact>
            {night && night.timeZone !== ownZone() && (
              <Fact name="The table’s clock">{`${placeOf(night.timeZone)}, ${clockIn(night.timeZone, night)}`}</Fact>
            )}
          </dl>
        </aside>
      </div>
    </>
  )
}

function PlanButton({ primary }: { primary?: boolean }): JSX.Element {
  const { campaignId } = useCampaign()
  return (
    <LinkButton variant={primary ? 'primary' : 'plain'} icon="night" to={sectionPath(campaignId, 'nights', 'new')}>
      Plan a night
    </LinkButton>
  )
}

function NoNight(): JSX.Element {
  const { isDm, mayWrite } = useCampaign()
  const [asking, setAsking] = useState(false)
  if (asking) return <AskForm onDone={() => setAsking(false)} />
  return (
    <EmptyState
      drawing="road"
      title="No night is planned"
      action={
        isDm &&
        mayWrite && (
          <p class="line">
            <PlanButton primary />
            <Button onClick={() => setAsking(true)}>Ask about several days</Button>
          </p>
        )
      }
    >
      {isDm
        ? 'Plan one, or ask them which evenings they have and take the one most of them can.'
        : 'Your DM has not said when you meet next.'}
    </EmptyState>
  )
}

/** What else can be planned once there is a next night. */
function MorePlans({ asking: mayAsk }: { asking: boolean }): JSX.Element {
  const [asking, setAsking] = useState(false)
  if (asking)
    return (
      <Section title="When do we meet next?">
        <AskForm onDone={() => setAsking(false)} />
      </Section>
    )
  return (
    <p class="line section">
      <PlanButton />
      {mayAsk && <Button onClick={() => setAsking(true)}>Ask about several days</Button>}
    </p>
  )
}

function CalledOffNights({ nights }: { nights: Parameters<typeof NightRow>[0]['night'][] }): JSX.Element {
  const { isDm, mayWrite } = useCampaign()
  const act = useAction()
  return (
    <Section title="Called off">
      <div class="rows">
        {nights.map((night) => (
          <NightRow
            key={night.id}
            night={night}
            end={
              isDm &&
              mayWrite && (
                <Button
                  icon="undo"
                  onClick={() =>
                    void act(
                      'reinstate_game_night',
                      { gameNightId: night.id },
                      { message: 'It is on again, at its old time.' },
                    )
                  }
                >
                  Play after all
                </Button>
              )
            }
          />
        ))}
      </div>
    </Section>
  )
}
