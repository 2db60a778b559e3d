import type { JSX } from 'preact'

interface Wounded {
  readonly hp?: number | undefined
  readonly hpMax?: number | null | undefined
  readonly hpTemp?: number | undefined
}

/** Hit points as a bar, temporary ones behind them; red from a quarter, amber from a half. Nothing where none are counted. */
export function HpBar({ one }: { one: Wounded }): JSX.Element | null {
  const { hp = 0, hpMax, hpTemp = 0 } = one
  if (hpMax == null || hpMax === 0) return null
  const look = hp * 4 <= hpMax ? ' dire' : hp * 2 <= hpMax ? ' hurt' : ''
  const part = (points: number) => `${Math.min(100, Math.round((100 * points) / hpMax))}%`
  return (
    <span class={`hp${look}`} style={{ '--full': part(hp), '--temp': part(hpTemp) }}>
      <i />
    </span>
  )
}
