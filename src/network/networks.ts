import type { NetworkInterfaceInfo } from 'node:os'
import ipaddr from 'ipaddr.js'

/** What a network is, as far as its name and its address tell. */
export type NetworkKind =
  /** A home's or an office's own, where phones are. */
  | 'lan'
  /** It leads somewhere else: a VPN. */
  | 'tunnel'
  /** Another program made it on this machine: containers, virtual machines. */
  | 'virtual'
  /** Anybody on the internet may reach this address. */
  | 'public'
  /** A cable without anything that gives addresses. */
  | 'unconfigured'

/** An IPv4 address of this machine on a network. */
export interface Network {
  /** What the system calls the interface: `wlan0`, `Wi-Fi`. */
  readonly interfaceName: string
  readonly address: string
  /** In bits. */
  readonly prefix: number
  readonly kind: NetworkKind
}

export type Interfaces = Readonly<Record<string, readonly NetworkInterfaceInfo[] | undefined>>

const tunnels =
  /^(?:tun|tap|wg|utun|ppp|ipsec|zt|tailscale|nordlynx|proton|mullvad|gpd|vpn)|tailscale|zerotier|wireguard|hamachi|openvpn|\bvpn\b/i
const virtual =
  /^(?:docker|br-[0-9a-f]{12}$|veth|virbr|vmnet|vboxnet|lxc|lxd|podman|cni|flannel|cali|cilium|kube|vnet|bridge\d{3}$|ap\d|awdl|llw|anpi)|vethernet|virtualbox|vmware|hyper-v|\bwsl\b/i

/** IPv4 only: a phone takes such an address from a picture, and each network that players have gives them. */
export function networksOf(interfaces: Interfaces): readonly Network[] {
  return Object.entries(interfaces)
    .flatMap(([interfaceName, infos = []]) =>
      infos
        .filter(({ family, internal }) => family === 'IPv4' && !internal)
        .map(({ address, cidr }) => ({
          interfaceName,
          address,
          prefix: Number(cidr?.split('/')[1] ?? 24),
          kind: kindOf(interfaceName, address),
        })),
    )
    .sort((one, other) => rankOf(one) - rankOf(other) || one.interfaceName.localeCompare(other.interfaceName))
}

function kindOf(name: string, address: string): NetworkKind {
  const range = ipaddr.parse(address).range()
  if (tunnels.test(name) || range === 'carrierGradeNat') return 'tunnel'
  if (virtual.test(name)) return 'virtual'
  if (range === 'linkLocal') return 'unconfigured'
  return range === 'private' ? 'lan' : 'public'
}

/** Home routers give 192.168 addresses; virtual machines that hide behind a plain name seldom do. */
function rankOf({ kind, address }: Network): number {
  const prefixes = ['192.168.', '10.', '172.']
  return (kind === 'lan' ? 0 : 10) + prefixes.findIndex((prefix) => address.startsWith(prefix))
}

/** Whether an address is a neighbour on that network. */
export function isOn({ address, prefix }: Pick<Network, 'address' | 'prefix'>, other: string): boolean {
  if (!ipaddr.IPv4.isValid(other)) return false
  return ipaddr.IPv4.parse(other).match(ipaddr.IPv4.parse(address), prefix)
}
