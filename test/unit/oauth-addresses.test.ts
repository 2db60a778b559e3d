import { describe, expect, it, test } from 'vitest'
import { hostOf } from '../../src/domain/app/rules.ts'
import { isSameAudience, requireOwnResource } from '../../src/oauth/audience.ts'
import { OauthError } from '../../src/oauth/errors.ts'
import {
  formTarget,
  isRegistered,
  kindOfRedirect,
  requireRedirectUri,
  withParameters,
} from '../../src/oauth/redirects.ts'

function refusalOf(work: () => unknown): string {
  try {
    work()
    return 'fine'
  } catch (error) {
    if (error instanceof OauthError) return error.code
    throw error
  }
}

describe('a redirect URI that a client registers', () => {
  test.each([
    ['https://claude.ai/api/mcp/auth_callback', 'site'],
    ['https://chatgpt.com/connector/oauth/AbC-12_3', 'site'],
    ['https://example.org:8443/cb?tenant=1', 'site'],
    ['https://vscode.dev/redirect', 'site'],
    ['http://localhost/', 'loopback'],
    ['http://localhost', 'loopback'],
    ['http://127.0.0.1:33418/', 'loopback'],
    ['http://127.0.0.1/callback', 'loopback'],
    ['http://[::1]:7777/callback', 'loopback'],
    ['cursor://anysphere.cursor-retrieval/oauth/user-talekeeper/callback', 'app'],
    ['vscode://vscode.github-authentication/did-authenticate', 'app'],
    ['com.example.app:/oauth', 'app'],
  ])('may be %s', (uri, kind) => {
    expect(requireRedirectUri(uri)).toBe(kind)
    expect(kindOfRedirect(uri)).toBe(kind)
  })

  test.each([
    '',
    'callback',
    '/callback',
    '//evil.example/cb',
    'https:evil.example',
    'https:///evil.example',
    'https://evil.example/#fragment',
    'https://evil.example/cb#',
    'https://*.evil.example/cb',
    'https://evil.example/*',
    'https://user@evil.example/cb',
    'https://user:pass@evil.example/cb',
    'https://evil.example\\@good.example/',
    'https://evil.example/a b',
    'https://evil.example/\r\nx: y',
    'https://еxample.org/cb',
    'http://evil.example/cb',
    'http://192.168.1.5/cb',
    'http://127.0.0.1.evil.example/cb',
    'http://localhost.evil.example/cb',
    'http://localhost:0/cb',
    'http://localhost:65536/cb',
    'http://localhost:80:80/cb',
    'http://localhost@evil.example/cb',
    'http://0.0.0.0:1234/cb',
    'http://127.1:1234/cb',
    'HTTP://LOCALHOST/cb',
    'javascript:alert(1)',
    'JavaScript:alert(1)',
    'data:text/html,<script>',
    'vbscript:x',
    'file:///etc/passwd',
    'blob:https://evil.example/1',
    'about:blank',
    'view-source:https://evil.example',
    'ftp://evil.example/',
    'ws://evil.example/',
    'mailto:a@b.example',
    'intent://scan/#Intent;end',
    'ms-msdt:/id',
    'search-ms:query=x',
    'chrome-extension://abc/cb',
    `https://evil.example/${'x'.repeat(2048)}`,
  ])('may not be %j', (uri) => {
    expect(refusalOf(() => requireRedirectUri(uri))).toBe('invalid_redirect_uri')
  })
})

describe('the redirect URI of a request', () => {
  const registered = [
    'http://127.0.0.1:1000/cb',
    'http://localhost/cb?x=1',
    'http://[::1]/',
    'https://a.example/cb',
    'app:/cb',
  ]

  test.each([
    'http://127.0.0.1:1000/cb',
    'http://127.0.0.1:2000/cb',
    'http://127.0.0.1/cb',
    'http://localhost:9/cb?x=1',
    'http://[::1]:9/',
    'https://a.example/cb',
    'app:/cb',
  ])('is the registered one: %s', (uri) => expect(isRegistered(uri, registered)).toBe(true))

  test.each([
    '',
    'http://127.0.0.1:1000/cb/',
    'http://127.0.0.1:1000/CB',
    'http://127.0.0.1:1000/cb?x=1',
    'http://127.0.0.1:1000/x/../cb',
    'http://127.0.0.1:1000/%63b',
    'http://127.0.0.1:99999/cb',
    'http://127.0.0.1:0/cb',
    'http://127.0.0.1:/cb',
    'http://127.0.0.1@evil.example:1000/cb',
    'http://127.0.0.1:1000@evil.example/cb',
    'http://localhost:1000/cb',
    'http://localhost:9/cb?x=2',
    'https://127.0.0.1:1000/cb',
    'http://[::1]:9',
    'https://a.example:443/cb',
    'https://a.example:8443/cb',
    'https://A.example/cb',
    'https://a.example/cb/',
    'https://a.example/cb#x',
    'app:/cb2',
    'app://cb',
  ])('is not %j', (uri) => expect(isRegistered(uri, registered)).toBe(false))

  it('shows its host, or the scheme of its app', () => {
    expect(hostOf('https://claude.ai/api/mcp/auth_callback')).toBe('claude.ai')
    expect(hostOf('http://127.0.0.1:33418/')).toBe('127.0.0.1:33418')
    expect(hostOf('cursor://anysphere.cursor/x')).toBe('cursor:')
  })

  it('is a source that Content-Security-Policy can say', () => {
    expect(formTarget('https://claude.ai/api/mcp/auth_callback?x=1')).toBe('https://claude.ai')
    expect(formTarget('http://127.0.0.1:33418/')).toBe('http://127.0.0.1:33418')
    expect(formTarget('http://[::1]:33418/')).toBe('http:')
    expect(formTarget('cursor://anysphere.cursor/x')).toBe('cursor:')
  })

  test.each([
    ['https://a.example/cb', 'https://a.example/cb?code=c&state=a+b%26'],
    ['https://a.example/cb?x=1', 'https://a.example/cb?x=1&code=c&state=a+b%26'],
    ['https://a.example/cb?', 'https://a.example/cb?code=c&state=a+b%26'],
    ['com.example.app:/cb', 'com.example.app:/cb?code=c&state=a+b%26'],
  ])('gets its parameters added: %s', (uri, whole) => {
    expect(withParameters(uri, { code: 'c', state: 'a b&', iss: null })).toBe(whole)
  })
})

describe('the audience', () => {
  test.each([
    ['http://localhost:8020', 'http://127.0.0.1:8020/mcp', true],
    ['http://[::1]:8020', 'http://localhost:8020', true],
    ['http://localhost', 'http://127.0.0.1:80', true],
    ['https://tale.example', 'https://tale.example:443/mcp', true],
    ['https://TALE.example', 'https://tale.example', true],
    ['http://localhost:8020', 'http://localhost:8021', false],
    ['http://localhost:8020', 'https://localhost:8020', false],
    ['http://localhost:8020', 'http://192.168.1.5:8020', false],
    ['http://127.0.0.2:8020', 'http://127.0.0.1:8020', false],
    ['nothing', 'nothing', false],
    ['', '', false],
    ['ftp://localhost', 'ftp://localhost', false],
  ])('of %s and of %s: %s', (one, other, same) => expect(isSameAudience(one, other)).toBe(same))

  const origin = 'http://localhost:8020'
  test.each([
    [[]],
    [['']],
    [['http://localhost:8020/mcp']],
    [['http://localhost:8020/mcp/']],
    [['http://127.0.0.1:8020/mcp']],
    [['http://localhost:8020']],
    [['http://localhost:8020/', 'http://[::1]:8020/mcp']],
  ])('is %j', (resources) => expect(refusalOf(() => requireOwnResource(resources, origin))).toBe('fine'))

  test.each([
    [['http://evil.example/mcp']],
    [['http://localhost:8020/mcp', 'http://evil.example/mcp']],
    [['http://localhost:8021/mcp']],
    [['https://localhost:8020/mcp']],
    [['http://localhost:8020/api']],
    [['http://localhost:8020/mcp#x']],
    [['http://localhost:8020/mcp?x=1']],
    [['http://user@localhost:8020/mcp']],
    [['mcp']],
    [['//localhost:8020/mcp']],
    [['urn:talekeeper']],
    [[`http://localhost:8020/${'x'.repeat(3000)}`]],
  ])('is not %j', (resources) => expect(refusalOf(() => requireOwnResource(resources, origin))).toBe('invalid_target'))
})
