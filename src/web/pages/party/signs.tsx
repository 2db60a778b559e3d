import type { JSX } from 'preact'
import type { Output } from '../../api/contract.ts'
import { HpBar } from '../../kit/hp-bar.tsx'

type One = Output<'get_party'>['characters'][number]
export type Character = Output<'get_character'>
export type Band = One['computed']['band']

export const bandWords: Readonly<Record<Band, string>> = {
  unhurt: 'Unhurt',
  hurt: 'Hurt',
  bloodied: 'Bloodied',
  critical: 'Critical',
  down: 'Down',
  dead: 'Dead',
}

const looks: Readonly<Record<Band, string>> = {
  unhurt: '',
  hurt: '',
  bloodied: 'hurt',
  critical: 'dire',
  down: 'dire',
  dead: 'dire',
}

/** How somebody stands, in numbers, a word, and a line that fills. */
export function HitPoints({
  one: { hp, hpTemp, computed },
}: {
  one: Pick<One, 'hp' | 'hpTemp'> & { computed: Pick<One['computed'], 'hpMax' | 'band'> }
}): JSX.Element {
  const look = looks[computed.band]
  return (
    <>
      <p>
        <b>{hp}</b> <small>/ {computed.hpMax}</small>
        {hpTemp > 0 && <small>+{hpTemp}</small>}
        {computed.band !== 'unhurt' && computed.band !== 'hurt' && (
          <span class={`band ${look}`}>{bandWords[computed.band]}</span>
        )}
      </p>
      <HpBar one={{ hp, hpTemp, hpMax: computed.hpMax }} />
    </>
  )
}

/** What is counted, as strokes: a standing one is left. Words beside it say the same. */
export function Strokes({ most, left, small }: { most: number; left: number; small?: boolean }): JSX.Element | null {
  if (most > 12) return null
  return (
    <span class={small ? 'strokes strokes-s' : 'strokes'} aria-hidden="true">
      {Array.from({ length: most }, (_, index) => (
        <i key={index} class={index < left ? 'on' : undefined} />
      ))}
    </span>
  )
}

type Conditions = One['conditions']

export function conditionWords({ key, level, rounds }: Conditions[number]): string {
  const name = key.replaceAll('-', ' ')
  const words = `${name.charAt(0).toUpperCase()}${name.slice(1)}${level === undefined ? '' : ` ${level}`}`
  return rounds === undefined ? words : `${words}, ${rounds} rounds`
}

export function Chips({
  one,
}: {
  one: Pick<One, 'conditions' | 'concentration' | 'lifeState'> & { computed: { levelReady: boolean } }
}): JSX.Element {
  const well = one.conditions.length === 0 && one.concentration === null && one.lifeState === 'up'
  return (
    <div class="chips">
      {one.lifeState !== 'up' && <span class="chip bad">{stateWords[one.lifeState]}</span>}
      {one.concentration && <span class="chip brass">{`Concentrating on ${one.concentration}`}</span>}
      {one.conditions.map((each) => (
        <span key={`${each.key} ${each.source ?? ''}`} class="chip bad">
          {conditionWords(each)}
        </span>
      ))}
      {one.computed.levelReady && <span class="chip brass">A level waits</span>}
      {well && !one.computed.levelReady && <span class="soft small">Well enough</span>}
    </div>
  )
}

export const stateWords = { up: 'Up', dying: 'Dying', stable: 'Steady, asleep', dead: 'Dead' } as const
