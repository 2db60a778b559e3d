import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import { qrPath } from './qr-path.ts'

/** A picture of an address, for cameras: dark on light in every theme. */
export function QrCode({ text, label }: { text: string; label: string }): JSX.Element {
  const { size, path } = useMemo(() => qrPath(text), [text])
  return (
    <div class="qr">
      <svg viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label} shape-rendering="crispEdges">
        <path fill="currentColor" d={path} />
      </svg>
    </div>
  )
}
