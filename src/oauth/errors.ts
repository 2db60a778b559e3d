/**
 * What the OAuth endpoints answer when they refuse, with the status of the JSON answer: RFC 6749 (4.1.2.1 and 5.2),
 * RFC 7591 (3.2.2), RFC 8707 (2), RFC 9101 (5.2.2).
 */
export const oauthErrors = {
  invalid_request: 400,
  invalid_client: 401,
  invalid_grant: 400,
  invalid_scope: 400,
  invalid_target: 400,
  unsupported_grant_type: 400,
  unsupported_response_type: 400,
  request_not_supported: 400,
  request_uri_not_supported: 400,
  access_denied: 403,
  invalid_redirect_uri: 400,
  invalid_client_metadata: 400,
  temporarily_unavailable: 503,
  server_error: 500,
} as const

export type OauthErrorCode = keyof typeof oauthErrors

interface Options {
  /** Instead of the one in the table. */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
}

/** A refusal that is told to the client. Its description never holds a token, a code or what somebody typed. */
export class OauthError extends Error {
  readonly code: OauthErrorCode
  readonly description: string
  readonly status: number
  readonly headers: Readonly<Record<string, string>>

  constructor(code: OauthErrorCode, description: string, { status, headers = {} }: Options = {}) {
    super(description)
    this.name = 'OauthError'
    this.code = code
    this.description = describable(description)
    this.status = status ?? oauthErrors[code]
    this.headers = headers
  }
}

/** Makes a refusal; the caller throws it. */
export function refuse(code: OauthErrorCode, description: string, options?: Options): OauthError {
  return new OauthError(code, description, options)
}

/** The characters that an error_description may have: printable ASCII without quotation marks and backslashes (RFC 6749, 5.2). */
function describable(text: string): string {
  return text.replaceAll(/[^\x20\x21\x23-\x5b\x5d-\x7e]/g, '?')
}

/** A refusal that must not leave this server: the page says why, and nobody is sent anywhere (RFC 6749, 4.1.2.1). */
export class PageError extends Error {
  readonly status: number
  readonly title: string
  /** What to do about it. */
  readonly advice: string

  constructor(status: number, title: string, advice: string) {
    super(title)
    this.name = 'PageError'
    this.status = status
    this.title = title
    this.advice = advice
  }
}
