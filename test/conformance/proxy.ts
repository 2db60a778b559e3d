import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface BearerProxy {
  /** Without a slash at the end. */
  readonly base: string
  stop(): Promise<void>
}

/**
 * A loopback proxy that adds a bearer, since the conformance suite cannot send one to a server. All else goes through as
 * it came, foreign Host and Origin headers too, so that the server judges what the suite sent.
 */
export async function openProxy(target: string, bearer: string): Promise<BearerProxy> {
  const { hostname, port } = new URL(target)
  const server = createServer((incoming, outgoing) => {
    const { method = 'GET', url = '/', headers } = incoming
    const onward = request(
      { hostname, port, method, path: url, headers: { ...headers, authorization: `Bearer ${bearer}` } },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(outgoing)
      },
    )
    onward.once('error', () => outgoing.destroy())
    outgoing.once('close', () => onward.destroy())
    incoming.pipe(onward)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
