import { isIP, isIPv4, isIPv6 } from 'node:net'

// Which names this server answers to, and which pages may call it. A page of another site can reach a server on this
// machine or network by pointing its own name at it (DNS rebinding): that needs a name, so any IP literal is accepted
// as a Host and only known names are.

export interface HostRules {
  /** Names of this machine, as `ownHostNames` gives them. */
  readonly ownNames: readonly string[]
  /** The configured BASE_URL. */
  readonly baseUrl: string | null
  /** The configured ALLOWED_HOSTS: names, with or without a port. */
  readonly allowedHosts: readonly string[]
}

/** A machine's own name, and the one by which mDNS finds it. */
export function ownHostNames(hostname: string): readonly string[] {
  const whole = plainName(hostname)
  const label = whole.split('.')[0] ?? ''
  return label === '' ? [] : Array.from(new Set([whole, label, `${label}.local`]))
}

/** Whether the server answers to this Host header. */
export function isAllowedHost(hostHeader: string | undefined, rules: HostRules): boolean {
  const host = parseHost(hostHeader)
  if (host === null) return false
  if (isIP(host.name) !== 0 || isLoopbackName(host.name)) return true
  return knownNames(rules).some((known) => known === host.name)
}

export interface HostCheck {
  allows(hostHeader: string | undefined): boolean
  /** The names by which this server is found in its networks, from now on. */
  setNames(names: readonly string[]): void
}

/** `isAllowedHost`, quicker: the host that was allowed last is nearly always the next one too. */
export function hostCheck(rules: HostRules): HostCheck {
  let last: string | undefined
  let now = rules
  return {
    allows(hostHeader) {
      if (hostHeader !== undefined && hostHeader === last) return true
      const allowed = isAllowedHost(hostHeader, now)
      if (allowed) last = hostHeader
      return allowed
    },
    setNames(names) {
      last = undefined
      now = { ...rules, ownNames: [...rules.ownNames, ...names] }
    },
  }
}

function knownNames({ ownNames, baseUrl, allowedHosts }: HostRules): readonly string[] {
  const base = baseUrl === null ? null : parseOrigin(baseUrl)
  const allowed = allowedHosts.map((entry) => parseHost(entry.trim())?.name)
  return [...ownNames.map(plainName), base?.name, ...allowed].filter((name) => name !== undefined)
}

export interface OriginFacts {
  readonly origin: string | undefined
  readonly secFetchSite: string | undefined
  readonly host: string | undefined
  readonly baseUrl: string | null
  /** Whether the request came over TLS, as far as this server knows. */
  readonly tls: boolean
}

/**
 * Whether a write that a cookie vouches for comes from one of our own pages. The browser says so in Sec-Fetch-Site where
 * it sends it (https and localhost), else in Origin; without either it is refused.
 */
export function isSameOrigin({ origin, secFetchSite, host, baseUrl, tls }: OriginFacts): boolean {
  if (secFetchSite !== undefined) return secFetchSite === 'same-origin'
  return origin !== undefined && isOwnOrigin(origin, host, baseUrl, tls)
}

/**
 * Whether a page of another site calls: to be refused on /mcp and on live events. Absent passes, since programs send
 * none; pages on this machine pass on any port, so that local tools work.
 */
export function isForeignOrigin(
  facts: Omit<OriginFacts, 'secFetchSite'> & { readonly allowedHosts: readonly string[] },
): boolean {
  const { origin, host, baseUrl, tls, allowedHosts } = facts
  if (origin === undefined) return false
  const parsed = parseOrigin(origin)
  if (parsed === null) return true
  if (isLoopbackName(parsed.name) || isLoopbackAddress(parsed.name)) return false
  if (allowedHosts.some((entry) => parseHost(entry.trim())?.name === parsed.name)) return false
  return !isOwnOrigin(origin, host, baseUrl, tls)
}

function isOwnOrigin(origin: string, host: string | undefined, baseUrl: string | null, tls: boolean): boolean {
  const from = parseOrigin(origin)
  if (from === null) return false
  const base = baseUrl === null ? null : parseOrigin(baseUrl)
  if (base !== null && same(base, from)) return true
  const here = parseHost(host)
  if (here === null) return false
  const scheme = tls ? 'https:' : 'http:'
  return same({ scheme, name: here.name, port: here.port ?? standardPort(scheme) }, from)
}

interface Origin {
  readonly scheme: string
  readonly name: string
  readonly port: number
}

function same(one: Origin, other: Origin): boolean {
  return one.scheme === other.scheme && one.name === other.name && one.port === other.port
}

function standardPort(scheme: string): number {
  return scheme === 'https:' ? 443 : 80
}

/** An http or https address without regard to its path; null for anything else, such as the opaque origin `null`. */
function parseOrigin(text: string): Origin | null {
  const url = URL.parse(text)
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return null
  const port = url.port === '' ? standardPort(url.protocol) : Number(url.port)
  return { scheme: url.protocol, name: plainName(url.hostname), port }
}

const hostPattern = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+))(?::(\d{1,5}))?$/i

/** Name and port of a Host header (RFC 9110, section 7.2); null where it is none. IPv6 comes without its brackets. */
function parseHost(header: string | undefined): { readonly name: string; readonly port: number | null } | null {
  const match = hostPattern.exec(header ?? '')
  if (match === null) return null
  const [, address, name, port] = match
  if (address !== undefined && !isIPv6(address)) return null
  return {
    name: plainName(address === undefined ? (name ?? '') : `[${address}]`),
    port: port === undefined ? null : Number(port),
  }
}

/** Lower case, without the dot that ends a full name; IPv6 without brackets, in its one canonical form. */
function plainName(name: string): string {
  const lower = name.toLowerCase().replace(/\.$/, '')
  if (!lower.startsWith('[')) return lower
  return (URL.parse(`http://${lower}`)?.hostname ?? lower).slice(1, -1)
}

/** Names that never leave the machine (RFC 6761, section 6.3). */
function isLoopbackName(name: string): boolean {
  return name === 'localhost' || name.endsWith('.localhost')
}

/** Whether an IP address is of this machine itself; mapped IPv4 counts. */
export function isLoopbackAddress(address: string): boolean {
  const plain = plainAddress(address)
  return isIPv4(plain) ? plain.startsWith('127.') : plain === '::1'
}

/** An IPv4 address that came as a mapped IPv6 one, as IPv4; anything else as it is. */
function plainAddress(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  return mapped ?? address.toLowerCase()
}

/** What stands for a caller in limits: an IPv4 address, or the /64 network of an IPv6 one, which one household has. */
export function addressGroup(address: string): string {
  const plain = plainAddress(address.replace(/%.*$/, ''))
  // On a link all neighbours share the prefix.
  if (!isIPv6(plain) || plain.startsWith('fe80:')) return plain
  const [head = '', tail] = plain.split('::')
  const groups = head === '' ? [] : head.split(':')
  const missing = tail === undefined ? 0 : 8 - groups.length - (tail === '' ? 0 : tail.split(':').length)
  const whole = [...groups, ...new Array<string>(Math.max(missing, 0)).fill('0'), ...(tail ? tail.split(':') : [])]
  return `${whole
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':')}::/64`
}
