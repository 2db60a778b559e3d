import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Started, starters } from '../mcp/clients.ts'
import { compiledModules } from '../support/compiled.ts'
import { callsOn, type Folders, makeFolders, type ServerProcess, setUp, startServerProcess } from './server-process.ts'

// `talekeeper mcp-stdio`, started by real clients of both eras, as the settings of Claude Desktop say that we wrote.

let folders: Folders
let home: string
let server: ServerProcess
let token: string
let config: string
let program: Started
let written: { readonly file: string; readonly copy: string | null }

const foreign = `{
  "globalShortcut": "Ctrl+Space",
  "mcpServers": {
    "weather": { "command": "npx", "args": ["weather"], "env": { "WEATHER_KEY": "sk-foreign-secret" } }
  }
}
`

beforeAll(async () => {
  folders = makeFolders()
  home = path.join(folders.root, 'home with a space')
  config = path.join(home, '.config', 'Claude', 'claude_desktop_config.json')
  mkdirSync(path.dirname(config), { recursive: true })
  writeFileSync(config, foreign, { mode: 0o640 })
  server = await startServerProcess(folders, { env: { HOME: home, LOG_LEVEL: 'debug' } })
  token = await setUp(server.address)
  const call = callsOn(server.address, token)
  await call('POST', '/api/v1/campaigns', { name: 'The Orchard in Winter' })
  const [place] = (await call('GET', '/api/v1/assistants/claude-desktop')).body.places
  const asked = { file: place.file, fingerprint: place.fingerprint, scope: 'dm', writeMode: 'propose' }
  const answer = await call('POST', '/api/v1/assistants/claude-desktop', asked)
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
  written = answer.body
  const entry = JSON.parse(readFileSync(config, 'utf8')).mcpServers.talekeeper
  const { PATH = '' } = process.env
  program = { ...entry, env: { PATH, HOME: home, ...compiledModules(), ...entry.env } }
})
afterAll(async () => {
  await server?.terminate()
  folders?.remove()
})

describe.runIf(process.platform === 'linux')('Claude Desktop', () => {
  test('its settings have our entry and all that was in them, and a copy lies beside', () => {
    const now = JSON.parse(readFileSync(config, 'utf8'))
    const { talekeeper, ...others } = now.mcpServers
    expect({ ...now, mcpServers: others }).toEqual(JSON.parse(foreign))
    expect(talekeeper).toMatchObject({ command: process.execPath, env: { DATA_DIR: folders.dataDir } })
    expect(talekeeper.args.at(-1)).toBe('mcp-stdio')
    expect(readFileSync(written.copy ?? '', 'utf8')).toBe(foreign)
    expect(statSync(config).mode & 0o777).toBe(0o640)
  })

  test('the key lies outside the data folder for this account alone, is no administrator’s and is told nowhere', async () => {
    const folder = path.join(home, '.config', 'talekeeper', 'assistants')
    const [name = ''] = readdirSync(folder)
    const file = path.join(folder, name)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const key = JSON.parse(readFileSync(file, 'utf8')).token
    expect(readFileSync(config, 'utf8')).not.toContain(key)
    expect(server.output()).not.toContain(key)
    expect(server.output()).not.toContain('sk-foreign-secret')
    const asKey = callsOn(server.address, key)
    expect((await asKey('GET', '/api/v1/backup/status')).status).toBe(403)
    expect((await asKey('POST', '/api/v1/campaigns', { name: 'Another' })).status).toBe(403)
  })

  test('asked again, one key takes the place of the other', async () => {
    const call = callsOn(server.address, token)
    const [place] = (await call('GET', '/api/v1/assistants/claude-desktop')).body.places
    expect(place).toMatchObject({ isDone: true, removed: [], added: [] })
    const asked = { file: place.file, fingerprint: place.fingerprint, scope: 'dm', writeMode: 'propose' }
    expect((await call('POST', '/api/v1/assistants/claude-desktop', asked)).body).toEqual({ file: config, copy: null })
    const tokens = (await call('GET', '/api/v1/tokens')).body.items
    expect(tokens.filter(({ name }: { name: string }) => name === 'Claude Desktop')).toHaveLength(1)
  })
})

describe.runIf(process.platform === 'linux').each(starters)('$name starts mcp-stdio', ({ start }) => {
  test('lists all tools, calls one and reads a resource; the server gets only what the key lets in', async () => {
    const client = await start(program)
    const { tools, nextCursor } = await client.listTools()
    const names = tools.map(({ name }) => name)
    expect(nextCursor).toBeUndefined()
    expect(names).toContain('list_campaigns')
    const overHttp = await toolsOverHttp(server.address, keyOf(home))
    expect(names).toEqual(overHttp)
    const { json } = await client.callTool('list_campaigns', {})
    expect(json).toMatchObject({ items: [{ name: 'The Orchard in Winter' }] })
    const refused = await client.callTool('get_campaign', { campaignId: 999 })
    expect([refused.isError, refused.json]).toMatchObject([true, { error: { code: 'not_found' } }])
    expect(await client.listResources()).toHaveLength(6)
    expect(client.instructions()).toContain('list_')
    expect(client.stderr()).toBe('')
    await client.close()
  })
})

describe.runIf(process.platform === 'linux')('mcp-stdio', () => {
  test('finds the server again where it is started anew on another port', async () => {
    const own = makeFolders()
    try {
      const first = await startServerProcess(own, { env: { HOME: home } })
      const key = await setUp(first.address)
      const env = { ...program.env, DATA_DIR: own.dataDir, TALEKEEPER_TOKEN: key }
      const client = await starters[2].start({ ...program, env })
      await client.callTool('list_campaigns', {})
      await first.terminate()
      await expect(client.listTools()).rejects.toThrow('Talekeeper is not running')
      const second = await startServerProcess(own, { env: { HOME: home } })
      expect((await client.callTool('list_campaigns', {})).json).toMatchObject({ items: [] })
      expect(client.stderr()).toContain('Start it, then try again')
      await client.close()
      await second.terminate()
    } finally {
      own.remove()
    }
  })

  test('starts nothing where no server runs: each request gets a sentence, and the exit code says so', async () => {
    const own = makeFolders()
    try {
      const bridge = started({ DATA_DIR: own.dataDir, HOME: home })
      bridge.child.stdin?.write('{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}\n')
      await expect.poll(() => bridge.stdout()).toContain('"error"')
      const answer = JSON.parse(bridge.stdout())
      expect(answer).toMatchObject({
        jsonrpc: '2.0',
        id: 1,
        error: { message: expect.stringContaining('not running') },
      })
      bridge.child.stdin?.end()
      expect(await bridge.ended).toBe(1)
      expect(existsSync(own.dataDir)).toBe(false)
    } finally {
      own.remove()
    }
  })

  test('without a key, or with one that was revoked, it says where one is made; what is no message is said and left', async () => {
    const keyless = started({ DATA_DIR: folders.dataDir, HOME: folders.tempDir })
    keyless.child.stdin?.write('no message\n{"jsonrpc":"2.0","id":"a","method":"tools/list"}\n')
    await expect.poll(() => keyless.stdout()).toContain('There is no key')
    expect(keyless.stderr()).toContain('no message of the protocol')
    keyless.child.stdin?.end()
    await keyless.ended
    const old = started({ DATA_DIR: folders.dataDir, HOME: home, TALEKEEPER_TOKEN: `tkp_${'x'.repeat(43)}` })
    old.child.stdin?.write('{"jsonrpc":"2.0","id":7,"method":"tools/list"}\n')
    await expect.poll(() => old.stdout()).toContain('not valid any more')
    expect(old.stdout()).not.toContain('xxxx')
    old.child.stdin?.end()
    await old.ended
  })
})

function started(env: Readonly<Record<string, string>>) {
  const child: ChildProcess = spawn(program.command, [...program.args], {
    env: { PATH: process.env.PATH ?? '', ...compiledModules(), ...env },
  })
  let [out, err] = ['', '']
  child.stdout?.on('data', (chunk: Buffer) => {
    out += chunk.toString('utf8')
  })
  child.stderr?.on('data', (chunk: Buffer) => {
    err += chunk.toString('utf8')
  })
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  return { child, ended, stdout: () => out, stderr: () => err }
}

function keyOf(folder: string): string {
  const keys = path.join(folder, '.config', 'talekeeper', 'assistants')
  return JSON.parse(readFileSync(path.join(keys, readdirSync(keys)[0] ?? ''), 'utf8')).token
}

async function toolsOverHttp(address: string, key: string): Promise<readonly string[]> {
  const answer = await fetch(`${address}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
  })
  const text = await answer.text()
  const message = JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text)
  return message.result.tools.map(({ name }: { name: string }) => name)
}
