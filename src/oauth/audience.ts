import { refuse } from './errors.ts'

/** The protected resource of an origin (RFC 8707, 2; RFC 9728, 1.2). */
export function resourceOf(origin: string): string {
  return `${origin}/mcp`
}

/** Names of one and the same machine. What listens on one port of it is one audience, whichever of them a client typed. */
const loopbackNames: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])

/** Whether two addresses are those of one server. */
export function isSameAudience(one: string, other: string): boolean {
  const [first, second] = [audienceOf(one), audienceOf(other)]
  return first !== null && first === second
}

function audienceOf(address: string): string | null {
  const url = URL.parse(address)
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return null
  const name = loopbackNames.has(url.hostname) ? 'loopback' : url.hostname
  return `${url.protocol}//${name}:${url.port}`
}

/** Paths by which a client may name this server's resource: the endpoint, or the server as a whole. */
const ownPaths: ReadonlySet<string> = new Set(['/mcp', '/mcp/', '/'])

/**
 * Checks the `resource` members of a request; there may be several, and none (RFC 8707, 2). A slash at the end does not
 * count, since clients build the address in both ways. Throws `invalid_target`.
 */
export function requireOwnResource(resources: readonly string[], origin: string): void {
  for (const resource of resources.filter((each) => each !== '')) {
    const url = resource.length <= 2048 && !resource.includes('#') ? URL.parse(resource) : null
    const own =
      url !== null &&
      url.search === '' &&
      url.username === '' &&
      url.password === '' &&
      ownPaths.has(url.pathname) &&
      isSameAudience(resource, origin)
    if (!own) throw refuse('invalid_target', `the resource of this server is ${resourceOf(origin)}`)
  }
}
