import type { JSX } from 'preact'
import { HpBar } from '../../kit/hp-bar.tsx'
import { bandWords, type Fighter } from './words.ts'

/** Hit points as far as they are told: numbers with a bar, a word, or nothing. */
export function Vitals({ one }: { one: Fighter }): JSX.Element | null {
  const { hp, hpMax, hpTemp = 0, band } = one
  if (one.lifeState === 'dead') return <span class="vit">Dead</span>
  if (hp !== undefined && hpMax != null && hpMax > 0)
    return (
      <span class="vit">
        {hp} / {hpMax}
        {hpTemp > 0 && ` +${hpTemp}`}
        <HpBar one={one} />
      </span>
    )
  return band === undefined ? null : <Band band={band} />
}

export function Band({ band }: { band: NonNullable<Fighter['band']> }): JSX.Element {
  const { word, look } = bandWords[band]
  return <span class={look ? `band ${look}` : 'band'}>{word}</span>
}
