import type { JSX } from 'preact'
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

export function HpBar({ one }: { one: Fighter }): JSX.Element | null {
  const { hp = 0, hpMax, hpTemp = 0, band } = one
  if (hpMax == null || hpMax === 0) return null
  const look = band === 'bloodied' ? ' hurt' : band === 'critical' || band === 'down' ? ' dire' : ''
  const part = (points: number) => `${Math.min(100, Math.round((100 * points) / hpMax))}%`
  return (
    <span class={`hp${look}`} style={{ '--full': part(hp), '--temp': part(hpTemp) }}>
      <i />
    </span>
  )
}
