import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { CallError } from '../../api/call.ts'
import type { GameNight, RsvpAnswer } from '../../api/contract.ts'
import { Button, IconButton } from '../../kit/button.tsx'
import { DateTimeField, type ZonedTime } from '../../kit/date-time-field.tsx'
import { Form, FormError, useSubmit } from '../../kit/form.tsx'
import { Menu } from '../../kit/menu.tsx'
import { Section } from '../../kit/page.tsx'
import { RepeatedRows } from '../../kit/repeated-rows.tsx'
import { ownZone } from '../../kit/zoned-time.ts'
import { useAction, useWrite } from '../../shell/actions.ts'
import { useCampaign } from '../../shell/context.ts'
import { useAnswer, useAnswerer } from './answer.tsx'
import { bestDay, clockOf, longDayOf, marks, saidOf, shortDayOf } from './night-words.ts'
import './styles.ts'

const next: Readonly<Record<RsvpAnswer | 'none', RsvpAnswer>> = { none: 'yes', yes: 'maybe', maybe: 'no', no: 'yes' }

interface Person {
  readonly userId: number | null
  readonly name: string
}

/** Everybody who was asked about any of the days, whoever reads it first. */
function peopleOf(nights: readonly GameNight[], me: number | undefined): readonly Person[] {
  const found = new Map<string, Person>()
  for (const { rsvps, unanswered } of nights) {
    for (const { userId, name } of rsvps) found.set(`${userId ?? name}`, { userId, name })
    for (const { userId, username } of unanswered) found.set(`${userId}`, { userId, name: username })
  }
  return [...found.values()].sort(
    (one, other) => Number(other.userId === me) - Number(one.userId === me) || one.name.localeCompare(other.name),
  )
}

const answerOf = (night: GameNight, { userId, name }: Person): RsvpAnswer | 'none' =>
  night.rsvps.find((each) => each.current && (userId === null ? each.name === name : each.userId === userId))?.answer ??
  'none'

/** The days that the table is asked about: who can on which, the best of them lit, and the one press that takes it. */
export function Poll({ nights }: { nights: readonly GameNight[] }): JSX.Element {
  const { isDm, mayWrite } = useCampaign()
  const me = useAnswerer()
  const answer = useAnswer()
  const [asking, setAsking] = useState(false)
  const best = bestDay(nights)
  const people = peopleOf(nights, me?.userId)
  return (
    <Section title="When do we meet next?" class="night-part">
      <p class="soft">{mayWrite ? 'One tap in a box, and again to change it.' : 'Who can on which day.'}</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region is focusable (WCAG 2.1.1) */}
      <section class="marks-scroll" aria-label="Days and who can" tabIndex={0}>
        <table class="marks">
          <thead>
            <tr>
              <td />
              {nights.map((night) => (
                <th key={night.id} scope="col" class={night === best ? 'best' : undefined}>
                  {shortDayOf(night.startsAt)}
                  <br />
                  {clockOf(night.startsAt)}
                  {night === best && <span class="visually-hidden"> (the best)</span>}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {people.map((person) => {
              const mine = person.userId === me?.userId && mayWrite
              return (
                <tr key={person.userId ?? person.name} class={mine ? 'you' : undefined}>
                  <th scope="row">{person.userId === me?.userId ? 'You' : person.name}</th>
                  {nights.map((night) => {
                    const said = answerOf(night, person)
                    const { look, word } = marks[said]
                    return (
                      <td key={night.id} class={night === best ? 'best' : undefined}>
                        {mine ? (
                          <button
                            type="button"
                            class="cell"
                            aria-label={`${shortDayOf(night.startsAt)}, you: ${word}. Change`}
                            onClick={() => void answer(night, next[said])}
                          >
                            <span class={look} />
                          </button>
                        ) : (
                          <>
                            <span class={look} />
                            <span class="visually-hidden">{word}</span>
                          </>
                        )}
                      </td>
                    )
                  })}
                </tr>
              )
            })}
          </tbody>
        </table>
      </section>
      <ul class="marks-key">
        {(['yes', 'maybe', 'no', 'none'] as const).map((each) => (
          <li key={each}>
            <span class={marks[each].look} />
            {marks[each].word}
          </li>
        ))}
      </ul>
      {isDm && mayWrite && (
        <>
          <Taking nights={nights} best={best} />
          {asking ? (
            <AskForm onDone={() => setAsking(false)} />
          ) : (
            <Button variant="quiet" icon="plus" class="outdent" onClick={() => setAsking(true)}>
              Ask about more days
            </Button>
          )}
        </>
      )}
    </Section>
  )
}

/** Taking one of the days lets the others go, in one step. */
function Taking({ nights, best }: { nights: readonly GameNight[]; best: GameNight | undefined }): JSX.Element {
  const act = useAction()
  const take = (night: GameNight) =>
    act(
      'update_game_night',
      { gameNightId: night.id, tentative: false, callOffOthers: true },
      { message: `${longDayOf(night.startsAt)} it is.` },
    )
  const letGo = (night: GameNight) =>
    act(
      'cancel_game_night',
      { gameNightId: night.id },
      {
        message: `${shortDayOf(night.startsAt)} is let go.`,
        undo: () => act('reinstate_game_night', { gameNightId: night.id }),
      },
    )
  const others = nights.length - 1
  return (
    <p class="line poll-take">
      {best && (
        <Button variant="primary" icon="night" onClick={() => void take(best)}>
          Play on {longDayOf(best.startsAt)}
        </Button>
      )}
      <Menu
        label="Take or drop another day"
        items={nights.flatMap((night) => [
          night !== best && {
            icon: 'night' as const,
            word: `Play on ${shortDayOf(night.startsAt)}`,
            run: () => void take(night),
          },
          { icon: 'x' as const, word: `Let ${shortDayOf(night.startsAt)} go`, run: () => void letGo(night) },
        ])}
      />
      {best && (
        <span class="small soft">
          {saidOf(best)}{' '}
          {others === 1 ? 'The other day is let go.' : others > 1 && `The other ${others} days are let go.`}
        </span>
      )}
    </p>
  )
}

interface AskedDay {
  readonly when: ZonedTime
}

/** Several days at once, each with its time; those that were taken go from the form, a refused one stays in it. */
export function AskForm({ onDone }: { onDone: () => void }): JSX.Element {
  const { campaignId } = useCampaign()
  const write = useWrite()
  const submitting = useSubmit()
  const blank: AskedDay = { when: { at: null, timeZone: ownZone() } }
  const [days, setDays] = useState<readonly AskedDay[]>([blank, blank])
  const save = async () => {
    const went = await submitting.run(async () => {
      for (const [index, { when }] of days.entries()) {
        if (when.at === null) continue
        try {
          const input = { campaignId, startsAt: when.at, timeZone: when.timeZone, tentative: true }
          await write('create_game_night', input)
        } catch (error) {
          setDays(days.slice(index))
          throw error instanceof CallError ? error.within('days.0') : error
        }
      }
    })
    if (went) onDone()
  }
  return (
    <Form
      operation="create_game_night"
      submitting={submitting}
      onSubmit={() => void save()}
      onCancel={onDone}
      class="stack step-form"
    >
      <RepeatedRows name="days" one="Day" addWord="Another day" rows={days} onRows={setDays} blank={blank} max={10}>
        {({ when }, change, index) => (
          <DateTimeField
            label={`Day ${index + 1}`}
            name="startsAt"
            required
            value={when}
            onValue={(value) => change({ when: value })}
          />
        )}
      </RepeatedRows>
      <FormError error={submitting.error} />
      <div class="line">
        <Button type="submit" icon="night" busy={submitting.busy}>
          Ask them
        </Button>
        <IconButton icon="x" label="Close" onClick={onDone} />
      </div>
    </Form>
  )
}
