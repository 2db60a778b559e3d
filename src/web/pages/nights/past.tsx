import type { JSX } from 'preact'
import { Link } from 'wouter-preact'
import type { GameNight, Session } from '../../api/contract.ts'
import { kinds } from '../../kinds.ts'
import { calendarDay, count, joinNames, localDay } from '../../kit/format.ts'
import { Section } from '../../kit/page.tsx'
import { useCampaign, usePages } from '../../shell/context.ts'
import { sectionPath } from '../../shell/links.ts'
import { useAnswerer } from './answer.tsx'
import { cancelledInput } from './queries.ts'
import './styles.ts'

const mostColumns = 14
const mostRows = 8

/** What was played and what was called off: who was there, and what is told of it. */
export function PastNights(): JSX.Element | null {
  const { campaignId } = useCampaign()
  const sessions = usePages('list_sessions', { campaignId, status: 'played', limit: 50 })
  const cancelled = usePages('list_game_nights', cancelledInput(campaignId))
  const now = new Date().toISOString()
  const off = cancelled.items.filter(({ startsAt }) => startsAt < now)
  if (sessions.waiting || (sessions.error && sessions.items.length === 0)) return null
  if (sessions.items.length + off.length === 0) return null
  const known = sessions.items.filter(({ attendance }) => attendance.length > 0)
  const without = known.filter(({ attendance }) => attendance.some(({ present }) => !present)).length
  const rows = [
    ...sessions.items.map((session) => ({ at: dayOf(session), session, night: null })),
    ...off.map((night) => ({ at: night.localDate, session: null, night })),
  ].sort((one, other) => other.at.localeCompare(one.at))
  const told = `${sessions.more ? 'More than ' : ''}${count(sessions.items.length, 'session')} so far`
  return (
    <Section
      class="night-part"
      title={told.charAt(0).toUpperCase() + told.slice(1)}
      end={
        known.length > 0 && (
          <span class="small faint">{`${without === 0 ? 'none' : without} of them without somebody`}</span>
        )
      }
    >
      <Attendance sessions={known.slice(0, mostColumns).toReversed()} />
      <div class="rows past-nights">
        {rows
          .slice(0, mostRows)
          .map(({ at, session, night }) =>
            session ? (
              <Played key={`session ${session.id}`} session={session} at={at} />
            ) : (
              <CalledOff key={`night ${night.id}`} night={night} />
            ),
          )}
      </div>
    </Section>
  )
}

const dayOf = ({ playedAt, startedAt, createdAt }: Session): string => playedAt ?? localDay(startedAt ?? createdAt)

function Played({ session, at }: { session: Session; at: string }): JSX.Element {
  const { campaignId } = useCampaign()
  const away = session.attendance.filter(({ present }) => !present).map(({ name }) => name)
  const who = session.attendance.length === 0 ? null : away.length === 0 ? 'everybody' : `without ${joinNames(away)}`
  return (
    <Link class="row" href={sectionPath(campaignId, 'sessions', session.id)}>
      <span class="when">{calendarDay(at)}</span>
      <span class="grow">
        <strong>
          {[session.number, kinds.session.titleOf(session)]
            .filter((part) => part !== `Session ${session.number}`)
            .join(', ')}
        </strong>
        <span class="secondary">{[length(session), who].filter(Boolean).join(', ')}</span>
      </span>
      <span class={session.excerpt ? 'word ok' : 'word brass'}>{session.excerpt ? 'Told' : 'Not told yet'}</span>
    </Link>
  )
}

/** `3 hours 40`, of a session whose times are known. */
function length({ startedAt, endedAt }: Session): string | null {
  if (startedAt === null || endedAt === null) return null
  const minutes = Math.round((Date.parse(endedAt) - Date.parse(startedAt)) / 60_000)
  const hours = Math.floor(minutes / 60)
  if (hours === 0) return count(minutes, 'minute')
  return minutes % 60 === 0 ? count(hours, 'hour') : `${count(hours, 'hour')} ${minutes % 60}`
}

function CalledOff({ night }: { night: GameNight }): JSX.Element {
  return (
    <div class="row off">
      <span class="when">{calendarDay(night.localDate)}</span>
      <span class="grow">
        <strong>Called off</strong>
        {night.cancelReason && <span class="secondary">“{night.cancelReason}”</span>}
      </span>
      <span class="word faint">Not counted</span>
    </div>
  )
}

/** Who was there, a diamond for each evening; on a phone the last seven. */
function Attendance({ sessions }: { sessions: readonly Session[] }): JSX.Element | null {
  const me = useAnswerer()
  if (sessions.length === 0) return null
  const people = new Map<string, string>()
  for (const { attendance } of sessions)
    for (const { userId, name } of attendance) people.set(`${userId ?? name}`, name)
  const sorted = [...people].sort(
    ([one, a], [other, b]) => Number(other === `${me?.userId}`) - Number(one === `${me?.userId}`) || a.localeCompare(b),
  )
  const early = sessions.length - 7
  const css = (index: number) => (index < early ? 'desktop-only-cell' : undefined)
  return (
    <table class="marks attendance">
      <caption class="visually-hidden">Who was there, by session</caption>
      <thead>
        <tr>
          <td />
          {sessions.map(({ id, number }, index) => (
            <th key={id} scope="col" class={css(index)}>
              {number}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {sorted.map(([key, name]) => (
          <tr key={key}>
            <th scope="row">{key === `${me?.userId}` ? 'You' : name}</th>
            {sessions.map(({ id, attendance }, index) => {
              const mark = attendance.find(({ userId, name: called }) => `${userId ?? called}` === key)
              return (
                <td key={id} class={css(index)}>
                  {mark && <span class={mark.present ? 'mark-yes' : 'mark-none'} />}
                  <span class="visually-hidden">{mark ? (mark.present ? 'there' : 'away') : 'not known'}</span>
                </td>
              )
            })}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
