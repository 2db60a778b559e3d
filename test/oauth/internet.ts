import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, connect as connectTcp } from 'node:net'
import type { Network, Target } from '../../src/oauth/guarded-fetch.ts'
import { callback } from './support.ts'

export const clientId = 'https://inkwell.example.org/oauth/client.json'
export const publicAddress = '93.184.216.34'
/** What the document of the client says that these tests know. */
export const goodDocument = {
  client_id: clientId,
  client_name: 'Inkwell',
  client_uri: 'https://inkwell.example.org',
  redirect_uris: [callback, 'https://inkwell.example.org/back'],
  token_endpoint_auth_method: 'none',
}

/** As much internet as a test needs: every host resolves to `addresses`, and every connection ends at one server of ours. */
export interface Internet extends Network {
  readonly resolved: string[]
  readonly targets: Target[]
  readonly requests: { readonly method: string; readonly url: string; readonly headers: object }[]
  addresses: readonly string[] | (() => Promise<readonly string[]>)
  serve: RequestListener
  /** Forgets what happened, and serves the good document from a public address again. */
  reset(): void
  close(): void
}

export async function openInternet(): Promise<Internet> {
  const server = createServer((request, response) => {
    const { method = '', url = '', headers } = request
    internet.requests.push({ method, url, headers })
    internet.serve(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const connect = (target: Target) => {
    internet.targets.push(target)
    return connectTcp((server.address() as AddressInfo).port, '127.0.0.1')
  }
  const internet: Internet = {
    resolved: [],
    targets: [],
    requests: [],
    addresses: [publicAddress],
    serve: json(goodDocument),
    async resolve(host) {
      internet.resolved.push(host)
      return typeof internet.addresses === 'function' ? internet.addresses() : internet.addresses
    },
    connect,
    reset() {
      for (const kept of [internet.resolved, internet.targets, internet.requests]) kept.length = 0
      Object.assign(internet, { addresses: [publicAddress], serve: json(goodDocument), connect })
    },
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
  return internet
}

/** Serves this as JSON. */
export function json(content: unknown, headers: Readonly<Record<string, string>> = {}): RequestListener {
  const body = typeof content === 'string' || Buffer.isBuffer(content) ? content : JSON.stringify(content)
  return (_, response) => response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(body)
}
