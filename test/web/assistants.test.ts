import { describe, expect, test } from 'vitest'
import { type Assistant, assistants, isThisComputer, setupOf } from '../../src/web/pages/account/assistants.ts'

const address = 'http://127.0.0.1:8020/mcp'
const all = Object.keys(assistants) as Assistant[]

describe('what lets an assistant in', () => {
  test.each(all)('%s: names the address, and a key only where there is one', (assistant) => {
    const open = setupOf(assistant, address, null)
    expect(open.text).toContain(address)
    expect(JSON.stringify(open)).not.toMatch(/Bearer|Authorization/)
    const keyed = setupOf(assistant, address, 'tkp_abc')
    expect(keyed.text).toContain(address)
    expect(keyed.text).toContain('Bearer tkp_abc')
  })

  test('settings are JSON of the shape that each reads', () => {
    const read = (assistant: Assistant, key: string | null) => JSON.parse(setupOf(assistant, address, key).text)
    expect(read('cursor', null)).toEqual({ mcpServers: { talekeeper: { url: address } } })
    expect(read('vsCode', 'k')).toEqual({
      servers: { talekeeper: { type: 'http', url: address, headers: { Authorization: 'Bearer k' } } },
    })
    expect(read('claudeDesktop', 'k')).toEqual({
      mcpServers: {
        talekeeper: {
          command: 'npx',
          // No space in an argument: Windows would take it apart.
          args: ['-y', 'mcp-remote', address, '--header', 'Authorization:$' + '{TALEKEEPER_KEY}'],
          env: { TALEKEEPER_KEY: 'Bearer k' },
        },
      },
    })
  })

  test('links open the assistant with the same settings', () => {
    const cursor = new URL(setupOf('cursor', address, 'k').link as string)
    expect(cursor.searchParams.get('name')).toBe('talekeeper')
    expect(JSON.parse(atob(cursor.searchParams.get('config') as string))).toEqual({
      url: address,
      headers: { Authorization: 'Bearer k' },
    })
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

  test('plain http with another computer is said to the bridge', () => {
    expect(setupOf('claudeDesktop', 'http://192.168.1.20:8020/mcp', null).text).toContain('--allow-http')
    expect(setupOf('claudeDesktop', address, null).text).not.toContain('--allow-http')
    expect(['http://localhost:1/mcp', 'http://[::1]:1/mcp'].every(isThisComputer)).toBe(true)
    expect(isThisComputer('https://tales.example/mcp')).toBe(false)
  })
})
