/** What is shown of an address to the person who decides: its host, or the scheme of its app. */
export function hostOf(uri: string): string {
  const { protocol, host } = new URL(uri)
  return protocol === 'https:' || protocol === 'http:' ? host : protocol
}

/** Where the answers of an app go. */
export function hostsOf(redirectUris: readonly string[]): string[] {
  return Array.from(new Set(redirectUris.map(hostOf)))
}
