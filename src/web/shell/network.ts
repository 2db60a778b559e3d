import { messageOf, useApp } from './context.ts'
import { type Patched, useServer } from './server.ts'

/** An address by which other devices open this server. */
export interface Address {
  readonly url: string
  /** Of the network of this machine; null for an address that was configured. */
  readonly interfaceName: string | null
}

export interface PhoneCheck {
  readonly word: string
  readonly startedAt: string
  readonly knock: { readonly at: string; readonly address: string } | null
}

/** A network of the server's computer from which nobody comes in. */
export interface ClosedNetwork {
  readonly interfaceName: string
  readonly address: string
  readonly kind: 'lan' | 'tunnel' | 'virtual' | 'public' | 'unconfigured'
  readonly problem: string | null
}

/** Who may come in from the network, as administrators see it. */
export interface NetworkState {
  readonly lan: boolean
  readonly source: 'environment' | 'chosen' | 'standard' | 'container'
  readonly variable: string
  readonly localUrl: string | null
  readonly addresses: readonly Address[]
  readonly nameUrl: string | null
  readonly nameProblem: string | null
  readonly closed: readonly ClosedNetwork[]
  readonly check: PhoneCheck | null
  readonly platform: string
  readonly executable: string
}

/** What everybody who has signed in may know. */
export type Addresses = Pick<NetworkState, 'addresses' | 'nameUrl'>

export interface Network extends Patched<NetworkState> {
  /** Shown at once, and taken back when it was refused. */
  setLan(lan: boolean): Promise<void>
}

export function useNetwork(): Network {
  const { client, toasts, confirmations } = useApp()
  const server = useServer<NetworkState>('/network')
  const setLan = async (lan: boolean): Promise<void> => {
    if (!lan && !isThisComputer()) {
      const yes = await confirmations.ask({
        title: 'Shut other devices out?',
        text: 'This one is among them: the page stops working here, and goes on only on the computer that runs Talekeeper.',
        yes: 'Shut them out',
        danger: true,
      })
      if (!yes) return server.refresh()
    }
    server.patch((known) => ({ ...known, lan }))
    try {
      const now = await client.send<NetworkState>({ method: 'PUT', path: '/network', body: { lan } })
      server.patch(() => now)
    } catch (error) {
      toasts.fail(messageOf(error))
      await server.refresh()
    }
  }
  return { ...server, setLan }
}

/** Whether this page is open on the computer that the server runs on, by an address that only works there. */
export function isThisComputer(): boolean {
  return /^(?:localhost|.*\.localhost|127\.[\d.]+|\[::1\])$/.test(location.hostname)
}
