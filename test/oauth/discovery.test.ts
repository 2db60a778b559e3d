import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import { openPlace, type Place } from './support.ts'

let place: Place
beforeAll(async () => {
  place = await openPlace()
})
afterAll(() => place?.server.stop())

const protectedResource = ['/.well-known/oauth-protected-resource', '/.well-known/oauth-protected-resource/mcp']
const authorizationServer = [
  '/.well-known/oauth-authorization-server',
  '/.well-known/oauth-authorization-server/mcp',
  '/.well-known/openid-configuration',
]

describe.each(protectedResource)('%s (RFC 9728)', (path) => {
  it('names this server as the client typed it', async () => {
    for (const host of ['localhost:8020', '127.0.0.1:8020', '[::1]:8020', '192.168.1.5:8020', 'localhost']) {
      const { status, body } = await place.send(path, { headers: { host } })
      expect(status).toBe(200)
      expect(body).toEqual({
        resource: `http://${host}/mcp`,
        resource_name: 'Talekeeper',
        authorization_servers: [`http://${host}`],
        scopes_supported: ['dm', 'player', 'viewer'],
        bearer_methods_supported: ['header'],
      })
    }
  })
})

describe.each(authorizationServer)('%s (RFC 8414)', (path) => {
  it('describes the endpoints below the issuer that the client typed', async () => {
    const { status, body } = await place.send(path, { headers: { host: '127.0.0.1:8020' } })
    expect(status).toBe(200)
    const origin = 'http://127.0.0.1:8020'
    expect(body).toEqual({
      issuer: origin,
      authorization_endpoint: `${origin}/oauth/authorize`,
      token_endpoint: `${origin}/oauth/token`,
      registration_endpoint: `${origin}/oauth/register`,
      revocation_endpoint: `${origin}/oauth/revoke`,
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none', 'client_secret_post', 'client_secret_basic'],
      revocation_endpoint_auth_methods_supported: ['none', 'client_secret_post', 'client_secret_basic'],
      scopes_supported: ['dm', 'player', 'viewer'],
      authorization_response_iss_parameter_supported: true,
    })
  })
})

describe.each([...protectedResource, ...authorizationServer])('%s', (path) => {
  it('answers HEAD, OPTIONS, any Accept and any page', async () => {
    const head = await place.send(path, { method: 'HEAD' })
    expect([head.status, head.text]).toEqual([200, ''])
    const odd = await place.send(path, { headers: { accept: 'application/xml', origin: 'https://inspector.example' } })
    expect(odd.status).toBe(200)
    expect(odd.headers['content-type']).toBe('application/json; charset=utf-8')
    expect(odd.headers['access-control-allow-origin']).toBe('*')
    expect(odd.headers['access-control-allow-credentials']).toBeUndefined()
    expect(odd.headers['access-control-expose-headers']).toContain('WWW-Authenticate')
    const preflight = await place.send(path, {
      method: 'OPTIONS',
      headers: { origin: 'https://inspector.example', 'access-control-request-headers': 'mcp-protocol-version' },
    })
    expect(preflight.status).toBe(204)
    expect(preflight.headers['access-control-allow-headers']).toContain('MCP-Protocol-Version')
  })

  it('never repeats a host that is not this server', async () => {
    const { status, text } = await place.send(path, { headers: { host: 'evil.example' } })
    expect(status).toBe(421)
    expect(text).not.toContain('evil.example')
  })
})

it('takes BASE_URL over whatever was typed', async () => {
  const other = await openPlace({ env: { BASE_URL: 'https://tale.example.org' } })
  try {
    for (const host of ['localhost:8020', 'tale.example.org']) {
      const { body } = await other.send('/.well-known/oauth-authorization-server', { headers: { host } })
      expect(body.issuer).toBe('https://tale.example.org')
      const resource = await other.send('/.well-known/oauth-protected-resource/mcp', { headers: { host } })
      expect(resource.body.resource).toBe('https://tale.example.org/mcp')
    }
  } finally {
    await other.server.stop()
  }
})

it('takes no scheme or host from what a request says was forwarded, behind a trusted proxy neither', async () => {
  const headers = { 'x-forwarded-proto': 'javascript', 'x-forwarded-host': 'evil.example', host: 'localhost:8020' }
  const plain = await place.send('/.well-known/oauth-authorization-server', { headers })
  expect(plain.body.issuer).toBe('http://localhost:8020')
  const proxied = await openPlace({ env: { TRUST_PROXY: '1', BASE_URL: 'https://tale.example.org' } })
  try {
    const { body } = await proxied.send('/.well-known/oauth-authorization-server', { headers })
    expect(body.issuer).toBe('https://tale.example.org')
  } finally {
    await proxied.server.stop()
  }
})

it.each([
  ['1', 'TRUST_PROXY needs BASE_URL'],
  ['yes', 'how many proxies are in front'],
  ['10.0.0.2, everybody', 'how many proxies are in front'],
])('does not start with TRUST_PROXY=%s alone', async (TRUST_PROXY, message) => {
  await expect(openPlace({ env: { TRUST_PROXY } })).rejects.toThrow(message)
})

it('is where the challenge of /mcp leads (SPEC 5.6)', async () => {
  for (const [method, headers] of [
    ['POST', {}],
    ['GET', {}],
    ['DELETE', {}],
    ['POST', { authorization: 'Bearer tka_unknown' }],
  ] as const) {
    const { status, headers: sent } = await place.send('/mcp', { method, headers })
    expect(status).toBe(401)
    const challenge = sent['www-authenticate'] ?? ''
    const address = /resource_metadata="([^"]+)"/.exec(challenge)?.[1] ?? ''
    expect(address).toMatch(/^http:\/\/localhost:8020\//)
    expect((await place.send(new URL(address).pathname)).body.resource).toBe('http://localhost:8020/mcp')
    expect(challenge.includes('error="invalid_token"')).toBe('authorization' in headers)
  }
})

describe('programs that read no metadata', () => {
  it('are sent on from the addresses at the root', async () => {
    const authorize = await place.send('/authorize?client_id=x&state=a%20b')
    expect([authorize.status, authorize.headers.location]).toEqual([302, '/oauth/authorize?client_id=x&state=a%20b'])
    for (const path of ['/token', '/register']) {
      const { status, headers } = await place.send(path, { form: { a: 'b' } })
      expect([status, headers.location]).toEqual([307, `/oauth${path}`])
    }
  })
})

describe('CORS', () => {
  test.each(['/oauth/token', '/oauth/register', '/oauth/revoke'])('is open for %s', async (path) => {
    const origin = 'https://inspector.example'
    const preflight = await place.send(path, { method: 'OPTIONS', headers: { origin } })
    expect(preflight.status).toBe(204)
    expect(preflight.headers['access-control-allow-origin']).toBe('*')
    expect(preflight.headers['access-control-allow-headers']).toContain('Authorization')
    const refused = await place.send(path, { form: {}, headers: { origin } })
    expect(refused.status).toBeGreaterThanOrEqual(400)
    expect(refused.headers['access-control-allow-origin']).toBe('*')
  })

  it('is closed for /oauth/authorize', async () => {
    for (const method of ['GET', 'POST', 'OPTIONS']) {
      const { headers } = await place.send('/oauth/authorize', { method, headers: { origin: 'https://evil.example' } })
      expect(headers['access-control-allow-origin']).toBeUndefined()
    }
  })
})

test.each(['/oauth/token', '/oauth/register', '/oauth/revoke'])('%s takes POST only', async (path) => {
  for (const method of ['GET', 'PUT', 'PATCH', 'DELETE']) {
    const { status, headers, body } = await place.send(path, { method })
    expect([method, status, headers.allow, body.error]).toEqual([method, 405, 'POST, OPTIONS', 'invalid_request'])
  }
})

it('has nothing at other addresses', async () => {
  for (const path of ['/oauth', '/oauth/', '/oauth/introspect', '/oauth/authorize/x', '/.well-known/jwks.json']) {
    const { status, text } = await place.send(path)
    expect([path, status >= 400 || !text.includes('/oauth/')]).toEqual([path, true])
  }
})
