import { describe, expect, test } from 'vitest'
import {
  assistants,
  isPublic,
  isThisComputer,
  type SetUpAssistant,
  setupOf,
} from '../../src/web/pages/account/assistants.ts'

const address = 'http://127.0.0.1:8020/mcp'
const all = Object.keys(assistants).filter((each): each is SetUpAssistant => each !== 'claudeDesktop')
/** Those whose settings hold no key: they sign in, or ask for it themselves. */
const withoutKeys: readonly SetUpAssistant[] = ['vsCode', 'online']

describe('what lets an assistant in', () => {
  test.each(all)('%s: names the address, and a key only where there is one', (assistant) => {
    const open = setupOf(assistant, address, null)
    expect(open.text).toContain(address)
    expect(JSON.stringify(open)).not.toMatch(/Bearer|Authorization/)
    const keyed = setupOf(assistant, address, 'tkp_abc')
    expect(keyed.text).toContain(address)
    expect(keyed.text.includes('Bearer tkp_abc')).toBe(!withoutKeys.includes(assistant))
    if (withoutKeys.includes(assistant)) expect(JSON.stringify(keyed)).not.toContain('tkp_abc')
  })

  test('settings are JSON of the shape that each reads', () => {
    const read = (assistant: SetUpAssistant, key: string | null) => JSON.parse(setupOf(assistant, address, key).text)
    expect(read('cursor', null)).toEqual({ mcpServers: { talekeeper: { url: address } } })
    expect(read('vsCode', null)).toEqual({ servers: { talekeeper: { type: 'http', url: address } } })
    // VS Code asks for the key and keeps it among its secrets.
    const keyed = read('vsCode', 'k')
    expect(keyed.servers.talekeeper.headers).toEqual({ Authorization: 'Bearer $' + '{input:talekeeper-key}' })
    expect(keyed.inputs).toEqual([
      { type: 'promptString', id: 'talekeeper-key', description: 'Talekeeper key', password: true },
    ])
    expect(read('lmStudio', 'k')).toEqual({
      mcpServers: { talekeeper: { url: address, headers: { Authorization: 'Bearer k' } } },
    })
  })

  test('links open the assistant with the same settings', () => {
    const cursor = new URL(setupOf('cursor', address, 'k').link as string)
    expect(cursor.searchParams.get('name')).toBe('talekeeper')
    expect(JSON.parse(atob(cursor.searchParams.get('config') as string))).toEqual({
      url: address,
      headers: { Authorization: 'Bearer k' },
    })
    const studio = new URL(setupOf('lmStudio', address, null).link as string)
    expect(JSON.parse(atob(studio.searchParams.get('config') as string))).toEqual({ url: address })
    const code = setupOf('vsCode', address, null).link as string
    expect(JSON.parse(decodeURIComponent(code.replace('vscode:mcp/install?', '')))).toEqual({
      name: 'talekeeper',
      type: 'http',
      url: address,
    })
  })

  test.each(all)('%s: carries an address that shows fewer tools', (assistant) => {
    const shorter = `${address}?toolsets=dm-core`
    expect(JSON.stringify(setupOf(assistant, shorter, null))).toContain('dm-core')
  })

  test('which addresses are of this computer, and which an assistant of the internet may reach', () => {
    expect(['http://localhost:1/mcp', 'http://[::1]:1/mcp'].every(isThisComputer)).toBe(true)
    expect(isThisComputer('https://tales.example/mcp')).toBe(false)
    expect(['https://tales.example/mcp', 'https://tk.duckdns.org:8443/mcp'].every(isPublic)).toBe(true)
    const ofHouse = [
      'http://tales.example',
      'https://192.168.1.20',
      'https://[fe80::1]',
      'https://talekeeper.local',
      'https://nas',
    ]
    expect(ofHouse.filter(isPublic)).toEqual([])
  })
})
