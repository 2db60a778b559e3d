import { hkdfSync, randomBytes } from 'node:crypto'
import { jwtVerify, SignJWT } from 'jose'
import { hashSecret } from '../storage/secrets.ts'

/**
 * Signed values of the sign-in and consent pages, as short JWS (RFC 7515) with HS256. They need no table, and nobody can
 * make one: the key is derived from the installation's own.
 *
 * - The *browser* cookie says which browser began an authorization request. Another browser cannot answer it.
 * - The *form token* is in the form. It ties the form to one request, one browser, one step and, where somebody is signed
 *   in, to their session: a page of another site cannot make a browser send one (CSRF), and a form that was shown to
 *   one user does not count for the next one.
 *
 * Neither opens anything: the request itself is a row, and it is judged again when the form comes.
 */
export interface FormTokens {
  /** The browser of this cookie, and what to set as its cookie; null where it can stay as it is. */
  browser(cookie: string | null): Promise<{ readonly hash: string; readonly cookie: string | null }>
  /** The browser of this cookie; null where it has none of ours. */
  knownBrowser(cookie: string | null): Promise<string | null>
  issue(formToken: FormToken, expiresAt: string): Promise<string>
  /** The form token of an authorization request that there is no row for yet. */
  issueUnresolved(unresolved: UnresolvedRequest, expiresAt: string): Promise<string>
  /** Null as `read`. */
  readUnresolved(value: string | null, browserHash: string | null): Promise<UnresolvedRequest | null>
  /** Null for anything that was not issued, has expired or belongs to another browser. */
  read(value: string | null, browserHash: string | null): Promise<FormToken | null>
}

export interface FormToken {
  readonly requestId: number
  readonly browserHash: string
  readonly step: 'sign-in' | 'consent'
  /** The session that saw the consent page. */
  readonly sessionId: number | null
}

/** An authorization request whose client is not known before somebody is signed in. */
export interface UnresolvedRequest {
  readonly browserHash: string
  /** The query of the request. */
  readonly query: string
}

/** Of a signed value, in characters. That of an unresolved request holds a whole query. */
const mostLength = 10_000

interface Parts {
  /** The installation's secret, at least 32 bytes. */
  key(): Uint8Array
  clock(): Date
}

const browserLifetimeMs = 60 * 60 * 1000
/** A cookie this close to its end is renewed, so that it outlives the request that begins now. */
const renewBeforeMs = 15 * 60 * 1000

export function createFormTokens({ key, clock }: Parts): FormTokens {
  let derived: Uint8Array | undefined
  // At the first page: the key's file is made while the program starts.
  const secret = (): Uint8Array => {
    derived ??= new Uint8Array(hkdfSync('sha256', key(), new Uint8Array(), 'talekeeper oauth pages v1', 32))
    return derived
  }

  const sign = (audience: string, subject: string, claims: Readonly<Record<string, unknown>>, until: Date) =>
    new SignJWT({ ...claims })
      .setProtectedHeader({ alg: 'HS256' })
      .setAudience(audience)
      .setSubject(subject)
      .setExpirationTime(until)
      .sign(secret())

  const verify = async (value: string | null, audience: string | string[]) => {
    if (value === null || value.length > mostLength) return null
    try {
      const options = { algorithms: ['HS256'], audience, requiredClaims: ['exp', 'sub'], currentDate: clock() }
      return (await jwtVerify(value, secret(), options)).payload
    } catch {
      // Every way of being wrong gets the same answer.
      return null
    }
  }

  return {
    async browser(cookie) {
      const known = await verify(cookie, 'browser')
      const now = clock().getTime()
      const subject = known?.sub ?? randomBytes(24).toString('base64url')
      const isFresh = known?.exp !== undefined && known.exp * 1000 - now > renewBeforeMs
      const until = new Date(now + browserLifetimeMs)
      return { hash: hashSecret(subject), cookie: isFresh ? null : await sign('browser', subject, {}, until) }
    },
    async knownBrowser(cookie) {
      const known = await verify(cookie, 'browser')
      return known?.sub === undefined ? null : hashSecret(known.sub)
    },
    issue: ({ requestId, browserHash, step, sessionId }, expiresAt) =>
      sign(step, String(requestId), { browserHash, sessionId }, new Date(expiresAt)),
    issueUnresolved: ({ browserHash, query }, expiresAt) =>
      sign('unresolved', query, { browserHash }, new Date(expiresAt)),
    async readUnresolved(value, browserHash) {
      const claims = await verify(value, 'unresolved')
      if (claims?.sub === undefined || browserHash === null || claims.browserHash !== browserHash) return null
      return { browserHash, query: claims.sub }
    },
    async read(value, browserHash) {
      const claims = await verify(value, ['sign-in', 'consent'])
      if (claims === null || browserHash === null || claims.browserHash !== browserHash) return null
      return {
        requestId: Number(claims.sub),
        browserHash,
        step: claims.aud === 'consent' ? 'consent' : 'sign-in',
        sessionId: typeof claims.sessionId === 'number' ? claims.sessionId : null,
      }
    },
  }
}
