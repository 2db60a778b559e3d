import type { JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { Cache } from '../../api/cache.ts'
import type { GameNight, RsvpAnswer } from '../../api/contract.ts'
import { useUniqueId } from '../../kit/hooks.ts'
import { Icon } from '../../kit/icon.tsx'
import { useWords } from '../../kit/words.ts'
import { ownZone } from '../../kit/zoned-time.ts'
import { useAction } from '../../shell/actions.ts'
import { useCampaign, useMe } from '../../shell/context.ts'
import { answerWords, type Me, withAnswer } from './night-words.ts'
import { offeredInput, plannedInput } from './queries.ts'

/** Who is at the keyboard, as somebody who answers. */
export function useAnswerer(): Me | null {
  const user = useMe()
  return user ? { userId: user.id, name: user.username, timeZone: ownZone() } : null
}

/** Answers a night, shown at once wherever the night stands and taken back when it did not come through. */
export function useAnswer(): (night: GameNight, answer: RsvpAnswer, note?: string | null) => Promise<unknown> {
  const { campaignId } = useCampaign()
  const act = useAction()
  const me = useAnswerer()
  return async (night, answer, note) => {
    if (me === null) return
    const change = <N extends GameNight>(one: N): N => (one.id === night.id ? withAnswer(one, me, answer, note) : one)
    const show = (cache: Cache) => [
      cache.one('get_game_night', { gameNightId: night.id }).overlay(change),
      cache
        .one('get_next_game_night', { campaignId })
        .overlay((now) => ({ ...now, gameNight: now.gameNight && change(now.gameNight) })),
      ...[offeredInput(campaignId), plannedInput(campaignId)].map((input) =>
        cache.pages('list_game_nights', input).overlay((now) => ({ ...now, items: now.items.map(change) })),
      ),
    ]
    const word = note === undefined ? {} : { note: note || null }
    await act(
      'set_rsvp',
      { gameNightId: night.id, answer, timeZone: me.timeZone, ...word },
      { ahead: { what: 'Your answer', show } },
    )
  }
}

const looks: Readonly<Record<RsvpAnswer, string>> = { yes: 'btn', maybe: 'btn may', no: 'btn no' }

/** Coming, maybe or not, in one press, and a word with it. Nothing for guests, and of a night that is called off. */
export function Answer({ night, quiet }: { night: GameNight; quiet?: boolean }): JSX.Element | null {
  const { mayWrite } = useCampaign()
  const me = useAnswerer()
  const answer = useAnswer()
  const mine = night.rsvps.find(({ userId }) => userId === me?.userId)
  const chosen = mine?.current ? mine.answer : null
  const kept = mine?.note ?? ''
  const words = useWords(`night ${night.id}`, { word: kept })
  const { word } = words.values
  const known = useRef(kept)
  const id = useUniqueId()
  useEffect(() => {
    if (known.current === kept) return
    known.current = kept
    words.set({ word: kept })
  }, [kept])
  if (!mayWrite || night.status === 'cancelled') return null
  const send = () => {
    if (chosen !== null && word.trim() !== kept) void answer(night, chosen, word.trim())
  }
  return (
    <div class="night-answer">
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset would be a box of its own */}
      <div class="answer" role="group" aria-label="Are you coming?">
        {(Object.keys(answerWords) as RsvpAnswer[]).map((each) => (
          <button
            key={each}
            type="button"
            class={looks[each]}
            aria-pressed={chosen === each}
            onClick={() => void answer(night, each, word.trim() === kept ? undefined : word.trim())}
          >
            {chosen === each && each === 'yes' && <Icon name="check" />}
            {answerWords[each]}
          </button>
        ))}
      </div>
      {!quiet && (
        <form
          onSubmit={(event) => {
            event.preventDefault()
            send()
          }}
        >
          <label class="visually-hidden" for={id}>
            A word with it
          </label>
          <input
            id={id}
            class="input"
            maxLength={300}
            enterkeyhint="send"
            placeholder="A word with it: late, soup…"
            value={word}
            onInput={(event) => words.set({ word: event.currentTarget.value })}
            onBlur={send}
          />
        </form>
      )}
      {mine && !mine.current && (
        <p class="small">You had said {answerWords[mine.answer].toLowerCase()} to another time. Say it again.</p>
      )}
    </div>
  )
}
