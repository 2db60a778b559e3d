import { type HostRules, hostCheck, isForeignOrigin, isSameOrigin, type OriginFacts, ownHostNames } from './hosts.ts'

export interface SiteConfig extends Pick<HostRules, 'baseUrl' | 'allowedHosts'> {
  readonly hostname: string
  readonly tls: object | null
}

/** What of a request says by which address it came. */
export interface Addressed {
  readonly protocol: string
  readonly headers: { readonly host?: string | undefined }
}

/** Which names this server answers to and which pages may call it (hosts.ts), as it was configured. */
export interface SiteRules {
  /** Whether its effective address is https. */
  readonly secure: boolean
  isAllowedHost(hostHeader: string | undefined): boolean
  isSameOrigin(facts: Pick<OriginFacts, 'origin' | 'secFetchSite' | 'host'>): boolean
  isForeignOrigin(facts: Pick<OriginFacts, 'origin' | 'host'>): boolean
  /** The address as the caller typed it, without a slash at the end. */
  originOf(request: Addressed): string
  /** The names by which it is found in its networks, from now on. */
  setNames(names: readonly string[]): void
}

export function createSiteRules({ baseUrl, allowedHosts, hostname, tls }: SiteConfig): SiteRules {
  const secure = baseUrl === null ? tls !== null : baseUrl.startsWith('https:')
  const hosts = hostCheck({ ownNames: ownHostNames(hostname), baseUrl, allowedHosts })
  return {
    secure,
    isAllowedHost: hosts.allows,
    isSameOrigin: (facts) => isSameOrigin({ ...facts, baseUrl, tls: secure }),
    isForeignOrigin: (facts) => isForeignOrigin({ ...facts, baseUrl, tls: secure, allowedHosts }),
    originOf: ({ protocol, headers }) => baseUrl ?? `${protocol}://${headers.host ?? 'localhost'}`,
    setNames: hosts.setNames,
  }
}
