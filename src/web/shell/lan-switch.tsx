import type { JSX } from 'preact'
import { Switch } from '../kit/field.tsx'
import type { Network, NetworkState } from './network.ts'

/** Whether phones may come in; in force as soon as it is pressed. */
export function LanSwitch({ network }: { network: Network }): JSX.Element | null {
  const state = network.data
  if (!state) return null
  return (
    <Switch
      label={<strong>Phones on this network may come in</strong>}
      hint={saidBy(state) ?? 'Off means this computer only. It takes a second and needs no restart.'}
      checked={state.lan}
      disabled={!mayChoose(state)}
      onValue={(lan) => void network.setLan(lan)}
    />
  )
}

export function mayChoose({ source }: NetworkState): boolean {
  return source !== 'environment' && source !== 'container'
}

/** Why it cannot be chosen here. */
function saidBy({ source, variable }: NetworkState): string | undefined {
  if (source === 'container') return 'Talekeeper runs in a container: its port mapping decides who comes in.'
  if (source === 'environment')
    return `Said by ${variable} in the environment of the program, which wins over this page.`
  return undefined
}
