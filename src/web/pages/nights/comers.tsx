import type { JSX } from 'preact'
import type { GameNight, RsvpAnswer } from '../../api/contract.ts'
import { Avatar } from '../../kit/avatar.tsx'
import { Section } from '../../kit/page.tsx'
import { ownZone } from '../../kit/zoned-time.ts'
import { answerWords, clockIn, clocksDisagree, placeOf, saidOf } from './night-words.ts'

type Rsvp = GameNight['rsvps'][number]

const looks: Readonly<Record<RsvpAnswer, string>> = { yes: 'word ok', maybe: 'word brass', no: 'word faint' }
const order: readonly RsvpAnswer[] = ['yes', 'maybe', 'no']

/** Everybody who was asked: what they said, the word with it, and what their own clock shows. */
export function Comers({ night }: { night: GameNight }): JSX.Element | null {
  const now = new Date()
  const stale = night.rsvps.filter(({ current }) => !current)
  // Whom nobody asks any more has nothing to say.
  const closed = night.status === 'cancelled'
  const waiting = closed || night.endsAt < now.toISOString() ? [] : night.unanswered
  const silent = waiting.filter(({ userId }) => !stale.some((each) => each.userId === userId))
  const said = order.flatMap((answer) => night.rsvps.filter((each) => each.current && each.answer === answer))
  const everybody = [...said, ...stale]
  if (everybody.length + silent.length === 0) return null
  const zones = new Set([night.timeZone, ownZone(), ...everybody.flatMap(({ timeZone }) => timeZone ?? [])])
  const clocks = new Set([...zones].map((zone) => clockIn(zone, night)))
  return (
    <Section
      title={closed ? 'Who would have come' : 'Who comes'}
      class="night-part"
      end={!closed && <span class="small faint">{saidOf(night)}</span>}
    >
      <ul class="comers">
        {everybody.map((each) => (
          <Comer key={`${each.userId} ${each.name}`} night={night} rsvp={each} clock={clocks.size > 1} now={now} />
        ))}
        {silent.map(({ userId, username }) => (
          <li key={userId}>
            <Avatar name={username} />
            <span>
              <strong>{username}</strong>
            </span>
            <span class="word faint">No answer</span>
            <span class="zone" />
          </li>
        ))}
      </ul>
    </Section>
  )
}

function Comer({ night, rsvp, clock, now }: { night: GameNight; rsvp: Rsvp; clock: boolean; now: Date }): JSX.Element {
  const zone = rsvp.timeZone ?? night.timeZone
  const elsewhere = clockIn(zone, night) !== clockIn(night.timeZone, night)
  return (
    <li>
      <Avatar name={rsvp.name} />
      <span>
        <strong>{rsvp.name}</strong>
        {rsvp.note && <span class="secondary">“{rsvp.note}”</span>}
        {elsewhere && <span class="secondary">Plays from {placeOf(zone)}</span>}
        {clocksDisagree(night, zone, now) && (
          <span class="secondary word brass">Their clock and yours change on other days</span>
        )}
      </span>
      {rsvp.current ? (
        <span class={looks[rsvp.answer]}>{answerWords[rsvp.answer]}</span>
      ) : (
        <span class="word faint">
          {answerWords[rsvp.answer]} to {clockIn(night.timeZone, { ...night, startsAt: rsvp.forStartsAt })}, asked again
        </span>
      )}
      <span class="zone">
        {clock && rsvp.timeZone && (
          <>
            <b>{clockIn(zone, night)}</b>
            {elsewhere && ' there'}
          </>
        )}
      </span>
    </li>
  )
}
