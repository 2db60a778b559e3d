import { BridgeFailure, type BridgeServer } from './bridge-post.ts'

/** What a bridge is told by its environment: TALEKEEPER_URL and TALEKEEPER_TOKEN. */
export interface BridgeSettings {
  readonly url: string | null
  readonly token: string | null
  /** Both together. Throws a BridgeFailure that names what is missing or wrong. */
  server(): BridgeServer
}

export function bridgeSettings(env: Readonly<Record<string, string | undefined>>): BridgeSettings {
  const [url, token] = [given(env.TALEKEEPER_URL), given(env.TALEKEEPER_TOKEN)]
  return {
    url,
    token,
    server() {
      if (url === null)
        throw new BridgeFailure('TALEKEEPER_URL is missing: the address of Talekeeper, such as http://127.0.0.1:8020.')
      if (token === null) throw new BridgeFailure(noKey)
      return { url: endpointOf(url), token }
    },
  }
}

export const noKey =
  'There is no key for Talekeeper yet. Make one on its page "Connect an AI", and give it as TALEKEEPER_TOKEN.'

/** The address of `/mcp`, whatever of it was given. Throws a BridgeFailure for what is no http address. */
export function endpointOf(address: string): string {
  const url = URL.canParse(address) ? new URL(address) : null
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new BridgeFailure(`"${address}" is no address of a server. It looks like http://127.0.0.1:8020.`)
  return `${url.origin}/mcp`
}

function given(value: string | undefined): string | null {
  const text = value?.trim() ?? ''
  return text === '' ? null : text
}
