import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { Button } from '../kit/button.tsx'
import { Dialog } from '../kit/dialog.tsx'
import { time } from '../kit/format.ts'
import { Icon } from '../kit/icon.tsx'
import { useAction } from './actions.ts'
import type { CurrentCampaign } from './context.ts'

// How anybody at the table stops it, in two taps from every page, and what everybody sees then. Nothing here knows who it was.

type Signal = NonNullable<CurrentCampaign['campaign']['safetySignal']>

/** The card, over everything. It asks nothing and has no field. */
export function XCard({ campaignId, onClose }: { campaignId: number; onClose: () => void }): JSX.Element {
  const act = useAction()
  const [busy, setBusy] = useState(false)
  const raise = async (kind: Signal['kind']) => {
    if (busy) return
    setBusy(true)
    const done = await act('raise_safety_signal', { campaignId, kind })
    setBusy(false)
    if (done) onClose()
  }
  return (
    <Dialog title="X-card" quietTitle class="x-sheet" onClose={onClose}>
      <div class="x-sheet-body">
        <button type="button" class="x-card" onClick={() => void raise('x_card')}>
          <svg viewBox="0 0 100 88" aria-hidden="true">
            <path d="M18 12 82 76M82 12 18 76" />
          </svg>
          <span>Touch the card</span>
        </button>
        <p class="lead">
          The scene ends here, for everybody.
          <br />
          <span class="soft">Nobody learns it was you. Nobody asks.</span>
        </p>
        <Button icon="pause" class="wide" onClick={() => void raise('pause')}>
          Only a pause
        </Button>
        <Button variant="quiet" class="wide" onClick={onClose}>
          Back to the game
        </Button>
      </div>
    </Dialog>
  )
}

/** While a signal stands: every screen says the same, and a Dungeon Master lets the table go on. */
export function TableIsStill({ here, signal }: { here: CurrentCampaign; signal: Signal }): JSX.Element {
  const { campaignId, isDm } = here
  const act = useAction()
  // A card that is touched while the table pauses is something new to everybody.
  const [seen, setSeen] = useState<string | null>(null)
  const which = `${signal.kind} ${signal.since}`
  const asked = signal.kind === 'pause' ? 'Somebody asked for a pause.' : 'Somebody asked to leave this scene.'
  return (
    <>
      <div class="banner still" role="status">
        <Icon name="pause" />
        <span class="grow">
          <strong>{isDm ? asked : 'The table is still.'}</strong>
          <span class="secondary">
            {isDm
              ? `${time(signal.since)}. Not who, not why. Say “thank you, we leave it here”, and do not look round.`
              : 'It goes on when your Dungeon Master says so.'}
          </span>
        </span>
        {isDm && (
          <Button onClick={() => void act('clear_safety_signal', { campaignId }, { message: 'The table goes on.' })}>
            {signal.kind === 'pause' ? 'Go on' : 'Go on, elsewhere'}
          </Button>
        )}
      </div>
      {!isDm && seen !== which && (
        <Dialog title="The table is still" quietTitle class="x-sheet" onClose={() => setSeen(which)}>
          <div class="x-sheet-body at-rest">
            <svg
              viewBox="0 0 64 64"
              class="still-flame"
              fill="none"
              stroke="currentColor"
              stroke-width="2"
              stroke-linecap="round"
              stroke-linejoin="round"
              aria-hidden="true"
            >
              <path d="M32 8c5 8 12 12 12 21a12 12 0 0 1-24 0c0-9 7-13 12-21Z" opacity=".35" />
              <path d="M22 46h20M18 56h28M24 46l-2 10M40 46l2 10" />
            </svg>
            <p class="h2">The table is still</p>
            <p class="lead soft">All screens say the same, yours too. Breathe, get some water, look at your shoes.</p>
            <Button class="wide" onClick={() => setSeen(which)}>
              Alright
            </Button>
          </div>
        </Dialog>
      )}
    </>
  )
}
