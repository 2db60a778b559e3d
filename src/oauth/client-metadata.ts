import * as z from 'zod'
import { refuse } from './errors.ts'
import { requireRedirectUri } from './redirects.ts'

const mostRedirectUris = 10
const mostNameLength = 100

/** The members that count; others are ignored (RFC 7591, 2). Null counts as left away: some clients write all members out. */
const metadata = z.object({
  redirect_uris: z.array(z.string()).nullish(),
  client_name: z.string().nullish(),
  token_endpoint_auth_method: z.string().nullish(),
  grant_types: z.array(z.string()).nullish(),
  response_types: z.array(z.string()).nullish(),
})
/** What a client says of itself, in a registration or in its document. */
export type ClientMetadata = z.output<typeof metadata>

/** Throws `invalid_client_metadata`. */
export function readMetadata(body: unknown): ClientMetadata {
  const result = metadata.safeParse(body)
  if (result.success) return result.data
  const [issue] = result.error.issues
  throw refuse('invalid_client_metadata', `${issue?.path.join('.') || 'the body'}: ${issue?.message ?? 'not valid'}`)
}

/** RFC 7591, 2: clients of a flow with redirects register them. */
export function usableRedirects({ redirect_uris: uris }: ClientMetadata): readonly string[] {
  if (!uris || uris.length === 0) throw refuse('invalid_redirect_uri', 'redirect_uris names at least one address')
  if (uris.length > mostRedirectUris) {
    throw refuse('invalid_redirect_uri', `redirect_uris names at most ${mostRedirectUris} addresses`)
  }
  for (const uri of uris) requireRedirectUri(uri)
  return Array.from(new Set(uris))
}

/** Both lists may be left away (RFC 7591, 2); where they are given, the one flow that there is must be in them. */
export function includesCodeFlow({ grant_types: grants, response_types: responses }: ClientMetadata): void {
  if (grants && grants.length > 0 && !grants.includes('authorization_code')) {
    throw refuse('invalid_client_metadata', 'grant_types holds authorization_code')
  }
  if (responses && responses.length > 0 && !responses.includes('code')) {
    throw refuse('invalid_client_metadata', 'response_types holds code')
  }
}

/** A name that a client gave itself, fit to be shown: one line, and nothing that turns or hides the text around it. */
export function shownName(given: string): string {
  const plain = given
    .toWellFormed()
    .normalize('NFC')
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' ')
    .replaceAll(/[\p{Cf}\p{Co}\p{Cn}]/gu, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
  // Cut by what a reader sees as one character, so that none is halved.
  const parts = Array.from(new Intl.Segmenter('en').segment(plain), ({ segment }) => segment)
  let name = ''
  for (const part of parts) {
    if (name.length + part.length > mostNameLength) break
    name += part
  }
  return name.trim() || 'A nameless app'
}
