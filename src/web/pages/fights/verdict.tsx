import type { JSX } from 'preact'
import { Icon } from '../../kit/icon.tsx'
import { useCampaign, useQuery } from '../../shell/context.ts'
import { type Rated, stretchesOf, whatIf } from './foes.ts'

const counted = ['nobody', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten']
const inWords = (count: number): string => counted[count] ?? String(count)

/** For whom it is measured: "For five at level five", "For four at levels 2 to 4". */
function against(party: readonly number[]): string {
  const [least, most] = [Math.min(...party), Math.max(...party)]
  if (party.length === 0) return 'Nobody is there to measure against'
  return `For ${inWords(party.length)} at ${least === most ? `level ${inWords(least)}` : `levels ${least} to ${most}`}`
}

/** One word for how hard it is, where that lies on a line, the sums behind it, and what one foe more would do. */
export function Verdict({ rated }: { rated: Rated }): JSX.Element {
  const { campaign } = useCampaign()
  const { says, sums, warnings, party, weighed, foeCount } = rated
  const stretches = stretchesOf(campaign.ruleSystem, rated)
  const end = stretches.at(-1)?.to ?? 0
  return (
    <section class="verdict" aria-live="polite" aria-label="How hard it is">
      <p class="small soft">{against(party)}</p>
      <h2>{foeCount === 0 ? 'Nobody stands against them' : says}</h2>
      {stretches.length > 0 && foeCount > 0 && (
        <Scale stretches={stretches} at={Math.min(weighed, end)} word={says} end={end} />
      )}
      <div class="sums">
        {(foeCount === 0 ? [] : sums).map((sum) => (
          <p key={sum}>{`${sum}.`}</p>
        ))}
      </div>
      {foeCount > 0 && (
        <div class="what-if small soft">
          {whatIf(campaign.ruleSystem, rated).map(([what, then]) => (
            <p key={what}>
              <strong>{what}</strong> {then}
            </p>
          ))}
        </div>
      )}
      {warnings.map((warning) => (
        <p key={warning} class="small soft">
          {warning}
        </p>
      ))}
      <Hurt />
    </section>
  )
}

/** The line of tiers. None is so short that its word does not fit; the ribbon stands as far along its own tier as the sum does. */
function Scale({
  stretches,
  at,
  word,
  end,
}: {
  stretches: ReturnType<typeof stretchesOf>
  at: number
  word: string
  end: number
}): JSX.Element {
  const parts = stretches.map(({ word: name, from, to }) => ({
    name,
    width: Math.max(to - from, end * 0.22),
    full: Math.max(0, Math.min(1, (at - from) / (to - from))),
  }))
  const whole = parts.reduce((sum, { width }) => sum + width, 0)
  const reached = parts.reduce((sum, { width, full }) => sum + width * full, 0)
  return (
    <div class="scale" style={{ '--at': `${Math.round((1000 * reached) / whole) / 10}%` }} aria-hidden="true">
      <span class="here" />
      <div class="run">
        {parts.map(({ name, width, full }) => (
          <i key={name} style={{ '--w': String(width), '--to': `${Math.round(100 * full)}%` }} />
        ))}
      </div>
      <div class="words">
        {parts.map(({ name, width }) => (
          <span key={name} style={{ '--w': String(width) }}>
            {name === word ? <b>{name}</b> : name}
          </span>
        ))}
      </div>
    </div>
  )
}

/** Who begins hurt: no sum knows that. */
function Hurt(): JSX.Element | null {
  const { campaignId } = useCampaign()
  const party = useQuery('get_party', { campaignId }).data
  const hurt = (party?.characters ?? []).filter(({ hp, computed }) => computed.hpMax > 0 && hp * 4 < computed.hpMax * 3)
  const [first, ...others] = hurt
  if (first === undefined) return null
  const { name, hp, computed } = first
  return (
    <div class="banner bad">
      <Icon name="warn" />
      <p class="small">
        <strong>
          {name} starts at {hp} of {computed.hpMax}
          {others.length > 0 && `, and ${others.length === 1 ? 'another is' : `${others.length} more are`} hurt`}.
        </strong>{' '}
        The sum does not know that. It will feel harder than it says.
      </p>
    </div>
  )
}
