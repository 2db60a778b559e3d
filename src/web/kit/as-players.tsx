import type { ComponentChildren, JSX } from 'preact'
import { useState } from 'preact/hooks'
import { CampaignContext, useCampaign } from '../shell/context.ts'
import { Button } from './button.tsx'
import { Icon } from './icon.tsx'

export interface AsPlayers {
  /** The DM looks at the page as a player would. */
  readonly on: boolean
  /** The button that turns it on; nothing for who is no DM. */
  readonly button: JSX.Element | null
  set(on: boolean): void
}

/** Lets a DM look at a page as players see it. What is hidden the page leaves out itself: `rows.filter(seen)`. */
export function useAsPlayers(): AsPlayers {
  const { isDm } = useCampaign()
  const [on, set] = useState(false)
  const button = isDm ? (
    <Button icon="eye" aria-pressed={on} onClick={() => set(!on)}>
      As players see it
    </Button>
  ) : null
  return { on, button, set }
}

/** What stands in it has the rights of a player while the DM looks at the page as one. */
export function PlayersView({ view, children }: { view: AsPlayers; children: ComponentChildren }): JSX.Element {
  const here = useCampaign()
  if (!view.on) return <>{children}</>
  return (
    <>
      <p class="viewas" role="status">
        <Icon name="eye" />
        You see what players see
        <Button onClick={() => view.set(false)}>Stop</Button>
      </p>
      <CampaignContext.Provider value={{ ...here, role: 'player', isDm: false, mayWrite: false, mayEdit: false }}>
        {children}
      </CampaignContext.Provider>
    </>
  )
}
