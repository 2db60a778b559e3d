import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { shownName } from '../../src/oauth/client-metadata.ts'
import { OauthError, refuse } from '../../src/oauth/errors.ts'
import { createFormTokens } from '../../src/oauth/form-tokens.ts'
import { html } from '../../src/oauth/html.ts'
import { optional } from '../../src/oauth/parameters.ts'
import { narrowedScope, readScope, scopesUpTo } from '../../src/oauth/scopes.ts'

describe('the name that a client gives itself', () => {
  test.each([
    ['Inkwell', 'Inkwell'],
    ['  Ink \n\t well ', 'Ink well'],
    ['', 'A nameless app'],
    ['\u200b\u202e', 'A nameless app'],
    ['Ink\u202ellew', 'Inkllew'],
    ['Ink\u2066\u2069well\u200f', 'Inkwell'],
    ['Ink\u0000\u0007well', 'Ink well'],
    ['Ink\u2028well', 'Ink well'],
    ['Zoe\u0308', 'Zo\u00eb'],
    ['<b>Ink</b>', '<b>Ink</b>'],
    ['x'.repeat(300), 'x'.repeat(100)],
    ['\ud800', '\ufffd'],
    [`a${'\u0301'.repeat(500)}`, 'A nameless app'],
  ])('%j is shown as %j', (given, shown) => expect(shownName(given)).toBe(shown))

  it('is always one short line without anything invisible', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (given) => {
        const name = shownName(given)
        expect(name).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
        expect(name.length).toBeGreaterThan(0)
        expect(name.length).toBeLessThanOrEqual(100)
        expect(name.isWellFormed()).toBe(true)
      }),
    )
  })
})

describe('HTML', () => {
  it('holds no markup of a value', () => {
    const value = `<script>alert("1")</script>&'\``
    expect(html`<p title="${value}">${value}${[html`<b>${value}</b>`]}${null}${false}${7}</p>`.html).not.toMatch(
      /<script|"1"|alert\("|'|`/,
    )
  })
})

describe('scopes', () => {
  test.each([
    [null, null],
    ['dm', 'dm'],
    ['viewer', 'viewer'],
    ['dm player viewer', 'dm'],
    ['viewer player', 'player'],
    ['openid player offline_access', 'player'],
  ])('%j asks for %s', (text, scope) => expect(readScope(text)).toBe(scope))

  test.each(['admin', 'openid', 'DM', 'dm,player', '*', ' '])('%j asks for nothing that there is', (text) => {
    expect(() => readScope(text)).toThrow(OauthError)
  })

  it('only shrink', () => {
    expect(narrowedScope(null, 'player')).toBe('player')
    expect(narrowedScope('viewer', 'player')).toBe('viewer')
    expect(() => narrowedScope('dm', 'player')).toThrow(OauthError)
    expect(scopesUpTo('viewer')).toEqual(['viewer'])
    expect(scopesUpTo('dm')).toEqual(['viewer', 'player', 'dm'])
  })
})

describe('what is told', () => {
  it('has the characters that RFC 6749 allows', () => {
    expect(refuse('invalid_request', 'a "quote" \\ and ü\n').description).toBe('a ?quote? ? and ??')
  })

  it('refuses a parameter that comes twice, and takes an empty one as absent', () => {
    expect(optional(new URLSearchParams('a='), 'a')).toBeNull()
    expect(() => optional(new URLSearchParams('a=&a='), 'a')).toThrow(OauthError)
    expect(() => optional(new URLSearchParams({ a: 'x'.repeat(5000) }), 'a')).toThrow(OauthError)
  })
})

describe('form tokens', () => {
  const start = Date.parse('2026-11-21T10:00:00.000Z')
  const make = (key = new Uint8Array(32).fill(7)) => {
    let now = start
    const formTokens = createFormTokens({ key: () => key, clock: () => new Date(now) })
    const pass = (ms: number): void => {
      now += ms
    }
    return { formTokens, pass }
  }
  const until = new Date(start + 600_000).toISOString()
  const fields = (browserHash: string) => ({ requestId: 4, browserHash, step: 'consent' as const, sessionId: 9 })

  it('are read back in the browser that they were made for, while they last', async () => {
    const { formTokens, pass } = make()
    const formToken = await formTokens.issue(fields('b'), until)
    expect(await formTokens.read(formToken, 'b')).toEqual(fields('b'))
    expect(await formTokens.read(formToken, 'c')).toBeNull()
    expect(await formTokens.read(formToken, null)).toBeNull()
    pass(599_000)
    expect(await formTokens.read(formToken, 'b')).not.toBeNull()
    pass(2_000)
    expect(await formTokens.read(formToken, 'b')).toBeNull()
  })

  it('cannot be made or changed by anybody else', async () => {
    const { formTokens } = make()
    const formToken = await formTokens.issue(fields('b'), until)
    const [head = '', body = '', signature = ''] = formToken.split('.')
    const claims = JSON.parse(Buffer.from(body, 'base64url').toString()) as object
    const forged = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
    for (const wrong of [
      '',
      'x',
      `${head}.${body}.`,
      `${head}.${forged({ ...claims, sub: '5' })}.${signature}`,
      `${forged({ alg: 'none' })}.${body}.`,
      `${forged({ alg: 'HS512' })}.${body}.${signature}`,
      `${formToken}x`,
      await make(new Uint8Array(32).fill(8)).formTokens.issue(fields('b'), until),
    ]) {
      expect(await formTokens.read(wrong, 'b'), wrong).toBeNull()
    }
  })

  it('know a browser by its cookie, renew it in time, and take no form token for one', async () => {
    const { formTokens, pass } = make()
    const first = await formTokens.browser(null)
    const cookie = first.cookie as string
    expect(await formTokens.knownBrowser(cookie)).toBe(first.hash)
    expect(await formTokens.browser(cookie)).toEqual({ hash: first.hash, cookie: null })
    pass(50 * 60_000)
    const renewed = await formTokens.browser(cookie)
    expect(renewed.hash).toBe(first.hash)
    expect(renewed.cookie).not.toBeNull()
    pass(11 * 60_000)
    expect(await formTokens.knownBrowser(cookie)).toBeNull()
    expect(await formTokens.knownBrowser(renewed.cookie)).toBe(first.hash)
    expect((await formTokens.browser('junk')).hash).not.toBe(first.hash)
    const formToken = await formTokens.issue(fields(first.hash), new Date(start + 5e6).toISOString())
    expect(await formTokens.knownBrowser(formToken)).toBeNull()
    expect(await formTokens.read(renewed.cookie, first.hash)).toBeNull()
  })
})
