import type { ComponentChildren, JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { GameNight, GameNightDetail } from '../../api/contract.ts'
import { Button, LinkButton } from '../../kit/button.tsx'
import { Dialog } from '../../kit/dialog.tsx'
import { TextField } from '../../kit/field.tsx'
import { Form, FormError, useSubmit } from '../../kit/form.tsx'
import { locale } from '../../kit/format.ts'
import { ownZone } from '../../kit/zoned-time.ts'
import { useAction, useWrite } from '../../shell/actions.ts'
import { useApp, useCampaign } from '../../shell/context.ts'
import { coverImage, sectionPath } from '../../shell/links.ts'
import { Answer } from './answer.tsx'
import { clockIn, clockOf, clocksDisagree, headline, lasting, placeOf, weekdayOf } from './night-words.ts'
import './styles.ts'

const monthName = new Intl.DateTimeFormat(locale, { month: 'long' })

/** A night as a scene: when, where, what to bring, and one's own answer. `title` is the page's where the night is the page. */
export function NightScene({ night }: { night: GameNightDetail }): JSX.Element {
  const { campaign, isDm, mayWrite } = useCampaign()
  const off = night.status === 'cancelled'
  const then = new Date(night.startsAt)
  const now = new Date()
  return (
    <section class="night-scene" aria-label={off ? 'A night that is called off' : 'The night'}>
      <img {...coverImage(campaign, 'window')} alt="" />
      <p class="night-day">
        {weekdayOf(night.startsAt)}
        <b>{then.getDate()}</b>
        {monthName.format(then)}
      </p>
      <div class="night-text">
        <h1>{off ? <s>{headline(night, now)}</s> : headline(night, now)}</h1>
        <p class="sub">
          {off && <strong>Called off. </strong>}
          {off && night.cancelReason && `“${night.cancelReason}” `}
          {night.tentative && !off && <strong>One of the days you are asked about. </strong>}
          {night.title && `${night.title}. `}
          {lasting(night.durationMinutes)}
          {night.location && night.location.length > 40 && `, ${night.location}`}. {night.notes}
        </p>
        <Clocks night={night} now={now} />
      </div>
      {isDm && mayWrite && <Changes night={night} />}
      <Answer night={night} />
    </section>
  )
}

/** What the table's own clock shows, where it is not the reader's. */
function Clocks({ night, now }: { night: GameNight; now: Date }): JSX.Element | null {
  const own = ownZone()
  if (clockIn(own, night) === clockIn(night.timeZone, night) && !clocksDisagree(night, own, now)) return null
  return (
    <p class="sub small">
      That is {clockIn(night.timeZone, night)} in {placeOf(night.timeZone)}, and {clockOf(night.startsAt)} where you
      are.
      {clocksDisagree(night, own, now) && ' One of these clocks changes before then: count anew.'}
    </p>
  )
}

function Changes({ night }: { night: GameNight }): JSX.Element {
  const { campaignId } = useCampaign()
  const act = useAction()
  const [calling, setCalling] = useState(false)
  const own = (...rest: (string | number)[]) => sectionPath(campaignId, 'nights', night.id, ...rest)
  return (
    <p class="line night-changes">
      <LinkButton icon="pen" to={own('edit')}>
        Change it
      </LinkButton>
      {night.status === 'cancelled' ? (
        night.endsAt > new Date().toISOString() && (
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
      ) : (
        <Button onClick={() => setCalling(true)}>Call it off</Button>
      )}
      {calling && <CallOffDialog night={night} onClose={() => setCalling(false)} />}
    </p>
  )
}

function CallOffDialog({ night, onClose }: { night: GameNight; onClose: () => void }): JSX.Element {
  const { toasts } = useApp()
  const write = useWrite()
  const submitting = useSubmit()
  const [reason, setReason] = useState('')
  const run = async () => {
    const because = reason.trim()
    const input = { gameNightId: night.id, ...(because ? { reason: because } : {}) }
    const went = await submitting.run(() => write('cancel_game_night', input))
    if (!went) return
    toasts.say('Called off. Calendars are told.', {
      word: 'Undo',
      run: () => write('reinstate_game_night', { gameNightId: night.id }),
    })
    onClose()
  }
  return (
    <Dialog title="Call the night off" onClose={onClose}>
      <Form operation="cancel_game_night" submitting={submitting} onSubmit={() => void run()}>
        <TextField
          label="Why"
          name="reason"
          maxLength={300}
          hint="Everybody reads it. You may leave it empty."
          placeholder="Half of us are coughing"
          value={reason}
          onValue={setReason}
        />
        <FormError error={submitting.error} />
        <div class="actions">
          <Button onClick={onClose}>Not now</Button>
          <Button type="submit" variant="danger" busy={submitting.busy}>
            Call it off
          </Button>
        </div>
      </Form>
    </Dialog>
  )
}

/** A line about another night, with the way to it. */
export function NightRow({ night, end }: { night: GameNight; end?: ComponentChildren }): JSX.Element {
  const { campaignId } = useCampaign()
  return (
    <div class="row night-row">
      <a class="grow" href={sectionPath(campaignId, 'nights', night.id)}>
        <strong>{headline(night, new Date())}</strong>
        <span class="secondary">
          {night.status === 'cancelled'
            ? night.cancelReason
              ? `Called off: “${night.cancelReason}”`
              : 'Called off'
            : night.excerpt}
        </span>
      </a>
      {end}
    </div>
  )
}
