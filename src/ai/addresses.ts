import { BlockList, isIP } from 'node:net'

// Which addresses a provider may have. Whoever administers the server names it, and a mistake or a name that resolves to
// something else must not turn this server into a way to what stands beside it (SSRF).

/** Where a provider is, as who administers the server says. `local`: on this computer or in its network. */
export type Reach = 'local' | 'internet'

/** Never: no host, link-local (metadata of clouds), documentation, benchmarks, multicast, and IPv4 inside of IPv6 (RFC 6890). */
const neverCalled = blockList(
  ['0.0.0.0/8', '169.254.0.0/16', '100.100.100.200/32', '168.63.129.16/32', '192.0.0.0/24', '192.0.2.0/24'],
  ['192.88.99.0/24', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4'],
  ['::/96', 'fe80::/10', 'fec0::/10', 'ff00::/8', 'fd00:ec2::/32', 'fd20:ce::254/128', '64:ff9b::/96'],
  ['64:ff9b:1::/48', '2001::/32', '2002::/16', '100::/64', '2001:db8::/32'],
)

const loopback = blockList(['127.0.0.0/8', '::1/128'])
/** This computer and private networks (RFC 1918, 6598, 4193). */
const local = blockList(
  ['127.0.0.0/8', '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10'],
  ['::1/128', 'fc00::/7'],
)
const globalIpv6 = blockList(['2000::/3'])

/** Made when it is first asked: most who start this program never ask. */
function blockList(...networks: readonly (readonly string[])[]): () => BlockList {
  let made: BlockList | undefined
  return () => {
    if (made !== undefined) return made
    made = new BlockList()
    for (const network of networks.flat()) {
      const [address = '', bits] = network.split('/')
      made.addSubnet(address, Number(bits), isIP(address) === 6 ? 'ipv6' : 'ipv4')
    }
    return made
  }
}

const isIn = (list: () => BlockList, address: string): boolean =>
  list().check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')

/** This computer itself. */
export function isLoopback(address: string): boolean {
  return isIn(loopback, address)
}

/** This computer, or a network that the internet does not reach. */
export function isLocal(address: string): boolean {
  return isIn(local, address) && !(isIn(neverCalled, address) && !isLoopback(address))
}

/** Why an IP address is not called, as a sentence for people; null where it may be. */
export function whyNotCalled(address: string, reach: Reach, protocol: string): string | null {
  if (isIP(address) === 0) return 'Its name leads to nothing that is an address.'
  if (isLocal(address)) {
    return reach === 'local'
      ? null
      : 'Its address is on this computer or in its network. Choose "On this computer" for such a provider.'
  }
  if (isIn(neverCalled, address)) return 'Its address is one that this server never calls: no provider is there.'
  if (isIP(address) === 6 && !isIn(globalIpv6, address)) return 'Its address is one that this server never calls.'
  return protocol === 'https:' ? null : 'On the internet it has to be https: what is sent could be read on the way.'
}

/**
 * The address under which a provider's API lies, without a slash at the end; null where it is none: http or https, and neither
 * a user, nor a query, nor a fragment.
 */
export function baseUrlOf(text: string): string | null {
  const url = URL.parse(text.trim())
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return null
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '' || url.hostname === '')
    return null
  return url.href.replace(/\/+$/, '')
}
