import { refuse } from './errors.ts'

/** Where a client wants its answers: another site, a program on this machine, or an app that owns a scheme. */
export type RedirectKind = 'site' | 'loopback' | 'app'

const mostLength = 2048
const loopbackPattern = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(?::(\d{1,5}))?([/?].*)?$/

/** Schemes that belong to no app of a user: they run code, read files or open programs of the operating system. */
const foreignSchemes =
  /^(?:javascript|vbscript|data|file|blob|about|view-source|filesystem|ws|wss|ftp|ftps|mailto|tel|sms|intent|android-app|content|shell|res|jar|chrome|chrome-extension|moz-extension|edge|resource|search|search-ms|ms-.*)$/

/**
 * RFC 8252, 7.1: an app's own scheme is a domain of its maker, reversed, and so has a dot. These well-known apps use short
 * ones; any other could belong to anybody.
 */
const shortSchemes = new Set([
  'cursor',
  'vscode',
  'vscode-insiders',
  'windsurf',
  'claude',
  'zed',
  'raycast',
  'lmstudio',
  'goose',
  'warp',
  'positron',
])

/**
 * Judges an address that a client registers (RFC 7591, 2; RFC 8252, 7; RFC 9700, 4.1). Throws `invalid_redirect_uri`.
 */
export function requireRedirectUri(uri: string): RedirectKind {
  const bad = (reason: string): Error => refuse('invalid_redirect_uri', `a redirect URI ${reason}`)
  if (uri.length > mostLength) throw bad(`has at most ${mostLength} characters`)
  if (!/^[\x21-\x7e]+$/.test(uri)) throw bad('has visible ASCII characters only')
  const url = URL.parse(uri)
  if (url === null) throw bad('is an absolute address')
  if (uri.includes('#')) throw bad('has no fragment')
  if (uri.includes('*')) throw bad('has no wildcard')
  if (uri.includes('\\')) throw bad('has no backslash')
  if (url.username !== '' || url.password !== '') throw bad('holds no user name')
  if (url.protocol === 'https:') {
    if (!/^https:\/\/[^/]/i.test(uri)) throw bad('names a host')
    return 'site'
  }
  if (url.protocol === 'http:') {
    if (loopbackPort(uri) === null) throw bad('uses http only on localhost, 127.0.0.1 and [::1]')
    return 'loopback'
  }
  const scheme = url.protocol.slice(0, -1)
  if (foreignSchemes.test(scheme)) throw bad('cannot use this scheme')
  if (!scheme.includes('.') && !shortSchemes.has(scheme))
    throw bad('of an app uses a scheme with a dot, such as com.example.app (RFC 8252, 7.1)')
  return 'app'
}

/** The port of a loopback address, 0 where none is named; null where it is no loopback address. */
function loopbackPort(uri: string): number | null {
  const match = loopbackPattern.exec(uri)
  if (match === null) return null
  const port = Number(match[2] ?? 0)
  return port <= 65_535 && (match[2] === undefined || port > 0) ? port : null
}

/**
 * Whether an address is one of those that were registered: the same text, but for the port on the loopback interface,
 * which a program gets from the system when it starts (RFC 8252, 7.3; RFC 9700, 4.1.3).
 */
export function isRegistered(uri: string, registered: readonly string[]): boolean {
  if (registered.includes(uri)) return true
  if (loopbackPort(uri) === null) return false
  const [, name, , rest = ''] = loopbackPattern.exec(uri) ?? []
  return registered.some((each) => {
    const [match, itsName, , itsRest = ''] = loopbackPattern.exec(each) ?? []
    return match !== undefined && itsName === name && itsRest === rest
  })
}

export function kindOfRedirect(uri: string): RedirectKind {
  if (loopbackPort(uri) !== null) return 'loopback'
  return new URL(uri).protocol === 'https:' ? 'site' : 'app'
}

/**
 * The source for `form-action` that lets the browser follow the redirect after the form was sent (CSP3, 6.4.1). The
 * grammar has no IPv6 addresses and no hosts for an app's scheme, so there the scheme alone stands.
 */
export function formTarget(uri: string): string {
  const { protocol, origin, hostname } = new URL(uri)
  const named = (protocol === 'https:' || protocol === 'http:') && !hostname.startsWith('[')
  return named ? origin : protocol
}

/** The address with parameters added, and what was there left as it is (RFC 6749, 3.1.2). */
export function withParameters(uri: string, parameters: Readonly<Record<string, string | null>>): string {
  const added = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters)) if (value !== null) added.set(name, value)
  const joint = !uri.includes('?') ? '?' : /[?&]$/.test(uri) ? '' : '&'
  return `${uri}${joint}${added}`
}
