import { authMethods } from '../domain/app/entity.ts'
import { resourceOf } from './audience.ts'
import { scopesSupported } from './scopes.ts'

type Metadata = Readonly<Record<string, unknown>>

export const paths = {
  authorize: '/oauth/authorize',
  token: '/oauth/token',
  register: '/oauth/register',
  revoke: '/oauth/revoke',
} as const

/** Addresses of the documents. With the resource's path behind them they are the ones that RFC 9728 (3.1) has clients try first. */
export const protectedResourcePaths = [
  '/.well-known/oauth-protected-resource',
  '/.well-known/oauth-protected-resource/mcp',
] as const
export const authorizationServerPaths = [
  '/.well-known/oauth-authorization-server',
  '/.well-known/oauth-authorization-server/mcp',
  '/.well-known/openid-configuration',
] as const

/** RFC 9728, 2. `origin` is this server's address as the client typed it: clients refuse metadata of any other. */
export function protectedResourceMetadata(origin: string): Metadata {
  return {
    resource: resourceOf(origin),
    resource_name: 'Talekeeper',
    authorization_servers: [origin],
    scopes_supported: scopesSupported,
    bearer_methods_supported: ['header'],
  }
}

/** RFC 8414, 2, with RFC 7636 (code_challenge_methods_supported) and RFC 9207 (the iss parameter). */
export function authorizationServerMetadata(
  origin: string,
  { registration, documents }: { readonly registration: boolean; readonly documents: boolean },
): Metadata {
  return {
    issuer: origin,
    authorization_endpoint: origin + paths.authorize,
    token_endpoint: origin + paths.token,
    ...(registration ? { registration_endpoint: origin + paths.register } : {}),
    revocation_endpoint: origin + paths.revoke,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: authMethods,
    revocation_endpoint_auth_methods_supported: authMethods,
    scopes_supported: scopesSupported,
    authorization_response_iss_parameter_supported: true,
    // Clients that find it prefer it to registration, and do not fall back: only where it is on.
    ...(documents ? { client_id_metadata_document_supported: true } : {}),
  }
}
