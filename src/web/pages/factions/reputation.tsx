import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { FactionDetail } from '../../api/contract.ts'
import { when } from '../../kit/format.ts'
import { Section } from '../../kit/page.tsx'
import { useAction } from '../../shell/actions.ts'
import { useCampaign } from '../../shell/context.ts'
import { signed, standingOf } from './standing.ts'

/** How the party stands with a faction: where it came from as a line, each step with its reason, and the next one. */
export function Reputation({ one }: { one: FactionDetail }): JSX.Element {
  const { isDm, mayWrite } = useCampaign()
  const steps = one.reputationHistory
  const { word, look } = standingOf(one.reputation)
  const left = one.reputationChangeCount - steps.length
  return (
    <Section
      title="How they stand with the party"
      end={<span class={`word ${look}`}>{`${word}, ${signed(one.reputation)}`}</span>}
    >
      {steps.length > 0 ? (
        <StandingChart steps={[...steps].reverse()} />
      ) : (
        <p class="soft small">{isDm ? 'Nothing has moved it yet. Say what does.' : 'Nothing has moved it yet.'}</p>
      )}
      <ol class="rows">
        {steps.map((step) => (
          <li key={step.id} class="standing-step">
            <b class={step.delta < 0 ? 'worse' : 'better'}>{signed(step.delta)}</b>
            <span>{step.reason ?? <span class="soft">No reason was given</span>}</span>
            <span class="small faint">{when(step.createdAt)}</span>
          </li>
        ))}
      </ol>
      {left > 0 && <p class="soft small">And {left} earlier.</p>}
      {isDm && mayWrite && <Change one={one} />}
    </Section>
  )
}

type Step = FactionDetail['reputationHistory'][number]

const height = (reputation: number): number => 50 - reputation / 2

function StandingChart({ steps }: { steps: readonly Step[] }): JSX.Element | null {
  const [first, last] = [steps[0], steps.at(-1)]
  if (first === undefined || last === undefined) return null
  const at = steps.map((step, index) => ({
    step,
    x: 4 + (92 * (index + 1)) / steps.length,
    y: height(step.reputation),
  }))
  const start = height(first.reputation - first.delta)
  const line = at.map(({ x, y }) => `H${x}V${y}`).join('')
  const best = at.reduce((most, point) =>
    Math.abs(point.step.reputation) > Math.abs(most.step.reputation) ? point : most,
  )
  const end = at.at(-1)
  return (
    <div
      class="standing-chart"
      role="img"
      aria-label={`From ${first.reputation - first.delta} to ${last.reputation} in ${steps.length} ${steps.length === 1 ? 'step' : 'steps'}.`}
    >
      <svg viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">
        <path class="grid" d="M0 0H100M0 25H100M0 75H100M0 100H100" />
        <path class="zero" d="M0 50H100" />
        <path d={`M0 ${start}${line}`} />
      </svg>
      <span class="edge" style={{ '--y': '12.5%' }}>
        would hide you
      </span>
      <span class="edge" style={{ '--y': '87.5%' }}>
        would sell you
      </span>
      {at.length <= 40 &&
        at.map((point) => (
          <i
            key={point.step.id}
            class={point === end ? 'last' : undefined}
            style={{ '--x': `${point.x}%`, '--y': `${point.y}%` }}
          />
        ))}
      {best !== end && (
        <span class={best.x < 50 ? 'tag from' : 'tag'} style={{ '--x': `${best.x}%`, '--y': `${best.y}%` }}>
          <b>{signed(best.step.reputation)}</b>
        </span>
      )}
    </div>
  )
}

const changes = [-10, -5, 5, 10] as const

/** Moves the standing by a press, with a because. */
function Change({ one }: { one: FactionDetail }): JSX.Element {
  const act = useAction()
  const [reason, setReason] = useState('')
  const move = async (delta: number) => {
    const because = reason.trim()
    const written = await act(
      'adjust_faction_reputation',
      { factionId: one.id, delta, ...(because ? { reason: because } : {}) },
      {
        message: `${one.name}: ${signed(delta)}.`,
        ahead: {
          what: 'The change',
          show: (cache) => [
            cache.one('get_faction', { factionId: one.id }).overlay((now) => ({
              ...now,
              reputation: Math.max(-100, Math.min(100, now.reputation + delta)),
            })),
          ],
        },
      },
    )
    if (written) setReason('')
  }
  return (
    <div class="standing-change">
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset would be a box of its own */}
      <span class="line" role="group" aria-label="Change by">
        {changes.map((delta) => (
          <button
            key={delta}
            type="button"
            class="btn"
            aria-label={`${Math.abs(delta)} ${delta < 0 ? 'worse' : 'better'}`}
            disabled={delta < 0 ? one.reputation <= -100 : one.reputation >= 100}
            onClick={() => void move(delta)}
          >
            {signed(delta)}
          </button>
        ))}
      </span>
      <label>
        <span class="visually-hidden">Why</span>
        <input
          class="input"
          maxLength={300}
          placeholder="Because… (players read this)"
          value={reason}
          onInput={(event) => setReason(event.currentTarget.value)}
        />
      </label>
    </div>
  )
}
