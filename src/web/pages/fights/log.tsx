import type { JSX } from 'preact'
import { usePages } from '../../shell/context.ts'
import { eventWords, type Fight } from './words.ts'

/** What happened, the newest first. What was taken back stays, struck out. */
export function Log({ fight }: { fight: Pick<Fight, 'id'> }): JSX.Element {
  const list = usePages('list_encounter_events', { encounterId: fight.id, limit: 50 })
  const shown = list.items.filter(({ kind, says, rolls }) => !(kind === 'turn_end' && says === '' && !rolls?.length))
  return (
    <section class="runner-log" aria-label="What happened">
      <h2 class="h3">What happened</h2>
      <ol reversed>
        {shown.map((event, index) => {
          const { who, what } = eventWords(event)
          const newRound =
            event.kind === 'turn' && shown.slice(index + 1).find(({ kind }) => kind === 'turn')?.round !== event.round
          return (
            <li key={event.id}>
              <span class={event.undone ? 'undone' : undefined}>
                {event.rolls?.[0] && !['damage', 'initiative'].includes(event.kind) && (
                  <b class="r">{event.rolls[0].total}</b>
                )}
                {who && <b>{who}</b>} {what}
                {event.undone && <span class="visually-hidden"> (taken back)</span>}
              </span>
              {newRound && <span class="round">{`Round ${event.round}`}</span>}
            </li>
          )
        })}
      </ol>
      {list.more && (
        <button type="button" class="btn quiet" onClick={list.loadMore}>
          Earlier
        </button>
      )}
    </section>
  )
}
