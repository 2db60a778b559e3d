import { describe, expect, it, test } from 'vitest'
import {
  addressGroup,
  isAllowedHost,
  isForeignOrigin,
  isLoopbackAddress,
  isSameOrigin,
  ownHostNames,
} from '../../src/identity/hosts.ts'

const rules = {
  ownNames: ownHostNames('Study-PC'),
  baseUrl: 'https://tales.example.org/sub',
  allowedHosts: ['table.lan', 'other.example:8443', ' Spaced.example '],
}

describe('which names the server answers to', () => {
  test.each([
    ['127.0.0.1', true],
    ['127.0.0.1:8020', true],
    ['192.168.1.20:8020', true],
    ['8.8.8.8', true],
    ['[::1]:8020', true],
    ['[fd00::1]', true],
    ['[::ffff:10.0.0.1]:80', true],
    ['localhost', true],
    ['LOCALHOST:8020', true],
    ['localhost.', true],
    ['talekeeper.localhost:8020', true],
    ['study-pc', true],
    ['STUDY-PC:8020', true],
    ['study-pc.local', true],
    ['study-pc.local.:8020', true],
    ['tales.example.org', true],
    ['tales.example.org:443', true],
    ['table.lan:8020', true],
    ['other.example', true],
    ['spaced.example', true],
    [undefined, false],
    ['', false],
    ['evil.example', false],
    ['localhost.evil.example', false],
    ['127.0.0.1.evil.example', false],
    ['evil.tales.example.org', false],
    ['tales.example.org.evil.example', false],
    ['study-pc.evil.local', false],
    // Other spellings of 127.0.0.1 are names to the resolver.
    ['127.1', false],
    ['2130706433', false],
    ['0x7f.0.0.1', false],
    ['[evil.example]', false],
    ['[::1', false],
    ['localhost:80:80', false],
    ['localhost:port', false],
    ['user@localhost', false],
    ['localhost/path', false],
    ['localhost evil.example', false],
    ['localhost,evil.example', false],
  ])('%s -> %s', (host, allowed) => {
    expect(isAllowedHost(host, rules)).toBe(allowed)
  })

  it('knows nothing but loopback and addresses where nothing is configured', () => {
    const bare = { ownNames: [], baseUrl: null, allowedHosts: [] }
    expect(isAllowedHost('localhost', bare)).toBe(true)
    expect(isAllowedHost('10.0.0.1', bare)).toBe(true)
    expect(isAllowedHost('study-pc', bare)).toBe(false)
  })

  test.each([
    ['Study-PC', ['study-pc', 'study-pc.local']],
    ['box.home.arpa', ['box.home.arpa', 'box', 'box.local']],
    ['mac.local', ['mac.local', 'mac']],
    ['', []],
  ])('own names of %s', (hostname, names) => {
    expect(ownHostNames(hostname)).toEqual(names)
  })
})

const lan = { secFetchSite: undefined, host: '192.168.1.20:8020', baseUrl: null, tls: false }

describe('writes with a cookie', () => {
  test.each([
    // A browser on https or localhost says where it comes from.
    [{ ...lan, secFetchSite: 'same-origin', origin: 'http://192.168.1.20:8020' }, true],
    [{ ...lan, secFetchSite: 'same-origin', origin: undefined }, true],
    [{ ...lan, secFetchSite: 'same-site', origin: 'http://192.168.1.20:8020' }, false],
    [{ ...lan, secFetchSite: 'cross-site', origin: 'http://192.168.1.20:8020' }, false],
    [{ ...lan, secFetchSite: 'none', origin: undefined }, false],
    // On plain http it sends the origin only.
    [{ ...lan, origin: 'http://192.168.1.20:8020' }, true],
    [{ ...lan, origin: 'http://192.168.1.20' }, false],
    [{ ...lan, origin: 'http://192.168.1.20:3000' }, false],
    [{ ...lan, origin: 'https://192.168.1.20:8020' }, false],
    [{ ...lan, origin: 'http://evil.example' }, false],
    [{ ...lan, origin: 'null' }, false],
    [{ ...lan, origin: '' }, false],
    [{ ...lan, origin: undefined }, false],
    [{ ...lan, host: 'localhost', origin: 'http://localhost:80' }, true],
    [{ ...lan, host: 'Localhost:8020', origin: 'http://localhost:8020' }, true],
    // Another name of the same machine is another origin.
    [{ ...lan, host: '127.0.0.1:8020', origin: 'http://localhost:8020' }, false],
    [{ ...lan, host: '[::1]:8020', origin: 'http://[::1]:8020' }, true],
    [{ ...lan, host: undefined, origin: 'http://localhost' }, false],
    // Behind a proxy that ends TLS, the configured address is our own.
    [
      { ...lan, host: 'tales.example.org', baseUrl: 'https://tales.example.org', origin: 'https://tales.example.org' },
      true,
    ],
    [
      { ...lan, host: 'tales.example.org', baseUrl: 'https://tales.example.org', origin: 'https://x.example.org' },
      false,
    ],
    [{ ...lan, host: 'tales.example.org', tls: true, origin: 'https://tales.example.org' }, true],
  ])('%o -> %s', (facts, same) => {
    expect(isSameOrigin(facts)).toBe(same)
  })
})

describe('pages that call /mcp or live events', () => {
  const facts = {
    host: 'tales.example.org',
    baseUrl: 'https://tales.example.org',
    tls: false,
    allowedHosts: ['table.lan'],
  }
  test.each([
    [undefined, false],
    ['https://tales.example.org', false],
    ['http://tales.example.org', false],
    ['http://table.lan:5173', false],
    ['http://localhost:6274', false],
    ['https://localhost', false],
    ['http://inspector.localhost:1', false],
    ['http://127.0.0.1:6274', false],
    ['http://127.8.9.10', false],
    ['http://[::1]:6274', false],
    ['null', true],
    ['', true],
    ['garbage', true],
    ['https://evil.example', true],
    ['https://tales.example.org.evil.example', true],
    ['https://localhost.evil.example', true],
    ['http://192.168.1.20', true],
    ['file://', true],
    ['chrome-extension://abc', true],
  ])('%s is foreign: %s', (origin, foreign) => {
    expect(isForeignOrigin({ ...facts, origin })).toBe(foreign)
  })
})

describe('addresses', () => {
  test.each([
    ['127.0.0.1', true],
    ['127.255.0.3', true],
    ['::1', true],
    ['::ffff:127.0.0.1', true],
    ['::FFFF:127.0.0.1', true],
    ['128.0.0.1', false],
    ['::ffff:10.0.0.1', false],
    ['::2', false],
    ['127.0.0.1.evil.example', false],
    ['', false],
  ])('%s is this machine: %s', (address, loopback) => {
    expect(isLoopbackAddress(address)).toBe(loopback)
  })

  test.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:1:2::9', '2001:db8:1:2::/64'],
    ['2001:db8::9', '2001:db8:0:0::/64'],
    ['2001:0db8:0001:0002:0003:0004:0005:0006', '2001:db8:1:2::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80::1'],
    ['', ''],
  ])('%s counts as %s', (address, group) => {
    expect(addressGroup(address)).toBe(group)
  })
})
