import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { claudeConfigFiles, planClaudeEntry, writeClaudeEntry } from '../../src/mcp/claude-desktop.ts'

const entry = { command: '/opt/talekeeper/talekeeper', args: ['mcp-stdio'] }
const now = new Date('2026-11-22T18:00:00.000Z')
let folder: string
let file: string
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'talekeeper-claude-'))
  file = path.join(folder, 'claude_desktop_config.json')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const write = (): string | null => writeClaudeEntry(file, entry, planClaudeEntry(file, entry).fingerprint, now)
const text = (): string => readFileSync(file, 'utf8')

describe('adding Talekeeper to Claude Desktop', () => {
  test('makes the file where there is none, and there is nothing to copy', () => {
    expect(planClaudeEntry(file, entry)).toMatchObject({ removed: [], isDone: false })
    expect(write()).toBeNull()
    expect(JSON.parse(text())).toEqual({ mcpServers: { talekeeper: entry } })
    expect(planClaudeEntry(file, entry)).toMatchObject({ removed: [], added: [], isDone: true })
  })

  test.each([
    ['two spaces', '{\n  "a": 1.0,\n  "mcpServers": {\n    "other": { "command": "x" }\n  }\n}\n'],
    ['tabs', '{\n\t"mcpServers": {\n\t\t"other": {"command": "x"}\n\t},\n\t"big": 12345678901234567890\n}'],
    ['Windows', '{\r\n  "mcpServers": {},\r\n  "theme": "dark"\r\n}\r\n'],
    ['a mark at the start', '\uFEFF{\n  "theme": "dark"\n}\n'],
    ['one line', '{"theme":"dark","mcpServers":{"other":{"command":"x"}}}'],
  ])('leaves what others wrote as it is, to the letter: %s', (_, before) => {
    writeFileSync(file, before)
    const { added, removed } = planClaudeEntry(file, entry)
    expect(added.join('\n')).toContain('mcp-stdio')
    const copy = write()
    expect(readFileSync(copy ?? '', 'utf8')).toBe(before)
    const after = JSON.parse(text().replace(/^\uFEFF/, ''))
    const { talekeeper, ...others } = after.mcpServers
    const was = JSON.parse(before.replace(/^\uFEFF/, ''))
    expect(talekeeper).toEqual(entry)
    expect({ ...after, mcpServers: others }).toEqual({ ...was, mcpServers: was.mcpServers ?? {} })
    expect(text().startsWith('\uFEFF')).toBe(before.startsWith('\uFEFF'))
    expect(text().includes('\r\n')).toBe(before.includes('\r\n'))
    // Taken out again, it is what it was.
    const [shown = ''] = added
    const at = text().indexOf(shown.trim().replace(/^,/, ''))
    expect(
      text()
        .slice(0, at)
        .replace(/,?\s*$/, ''),
    ).toBe(
      before.slice(
        0,
        text()
          .slice(0, at)
          .replace(/,?\s*$/, '').length,
      ),
    )
    expect(removed).toEqual([])
  })

  test('shows only the lines that change: keys of other servers stay unseen', () => {
    const before = {
      mcpServers: { other: { command: 'x', env: { KEY: 'sk-secret' } }, talekeeper: { command: 'old' } },
    }
    writeFileSync(file, JSON.stringify(before, null, 2))
    const plan = planClaudeEntry(file, entry)
    expect(JSON.stringify(plan)).not.toContain('sk-secret')
    expect(plan.removed.join()).toContain('"old"')
    write()
    expect(JSON.parse(text())).toEqual({ mcpServers: { ...before.mcpServers, talekeeper: entry } })
  })

  test.each([
    ['not JSON', '{ "mcpServers": { /* mine */ } }'],
    ['cut off', '{ "mcpServers": {'],
    ['a list', '[]'],
    ['servers that are a list', '{ "mcpServers": [] }'],
    ['null', 'null'],
  ])('%s: a sentence without its content, and nothing is touched', (_, before) => {
    writeFileSync(file, before)
    expect(() => planClaudeEntry(file, entry)).toThrow(/changed\.|Mend it/)
    expect(() => planClaudeEntry(file, entry)).not.toThrow(/mine/)
    expect(() => writeClaudeEntry(file, entry, 'whatever', now)).toThrow(/changed\.|Mend it/)
    expect([readdirSync(folder), text()]).toEqual([['claude_desktop_config.json'], before])
  })

  test('what changed since it was shown is not written over', () => {
    writeFileSync(file, '{}')
    const { fingerprint } = planClaudeEntry(file, entry)
    writeFileSync(file, '{"theme":"dark"}')
    expect(() => writeClaudeEntry(file, entry, fingerprint, now)).toThrow('has changed since')
    expect(text()).toBe('{"theme":"dark"}')
  })

  test.skipIf(process.platform === 'win32')('a link stays one', () => {
    const target = path.join(folder, 'dotfiles.json')
    writeFileSync(target, '{}')
    symlinkSync(target, file)
    write()
    expect(lstatSync(file).isSymbolicLink()).toBe(true)
    expect(JSON.parse(readFileSync(target, 'utf8'))).toEqual({ mcpServers: { talekeeper: entry } })
  })
})

describe('where Claude Desktop keeps its settings', () => {
  const at = (...parts: string[]): string => {
    const made = path.join(folder, ...parts)
    mkdirSync(made, { recursive: true })
    return made
  }

  test('nowhere, where it is not installed', () => {
    for (const platform of ['linux', 'darwin', 'win32'] as const)
      expect(claudeConfigFiles({ platform, home: folder, env: {} })).toEqual([])
  })

  test('in the folder of the system', () => {
    const linux = at('.config', 'Claude')
    const mac = at('Library', 'Application Support', 'Claude')
    expect(claudeConfigFiles({ platform: 'linux', home: folder, env: {} })).toEqual([
      path.join(linux, 'claude_desktop_config.json'),
    ])
    expect(
      claudeConfigFiles({ platform: 'linux', home: '/nowhere', env: { XDG_CONFIG_HOME: path.dirname(linux) } }),
    ).toEqual([path.join(linux, 'claude_desktop_config.json')])
    expect(claudeConfigFiles({ platform: 'darwin', home: folder, env: {} })).toEqual([
      path.join(mac, 'claude_desktop_config.json'),
    ])
  })

  test('on Windows in each packaged one, and in the classic folder only without those', () => {
    const env = { LOCALAPPDATA: path.join(folder, 'Local'), APPDATA: path.join(folder, 'Roaming') }
    const facts = { platform: 'win32', home: folder, env } as const
    const classic = at('Roaming', 'Claude')
    expect(claudeConfigFiles(facts)).toEqual([path.join(classic, 'claude_desktop_config.json')])
    const packaged = ['Claude_one', 'Claude_two'].map((name) =>
      at('Local', 'Packages', name, 'LocalCache', 'Roaming', 'Claude'),
    )
    at('Local', 'Packages', 'ClaudeLookalike', 'LocalCache', 'Roaming', 'Claude')
    expect(claudeConfigFiles(facts)).toEqual(packaged.map((each) => path.join(each, 'claude_desktop_config.json')))
  })
})
