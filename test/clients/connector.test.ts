import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectorManifest } from '../../src/mcp/connector.ts'
import { starters } from '../mcp/clients.ts'
import {
  callsOn,
  type Folders,
  makeFolders,
  type ServerProcess,
  setUp,
  startServerProcess,
} from '../process/server-process.ts'
import { commandFile, describeClients } from './installed.ts'

// talekeeper.mcpb as the server makes it: judged by the format's own tool, then unpacked and run as Claude Desktop does.

const run = promisify(execFile)

describeClients('the connector for Claude Desktop', () => {
  let folders: Folders
  let server: ServerProcess
  let token: string
  let bundle: string
  let unpacked: string
  const mcpb = async (...args: string[]): Promise<string> => {
    const { stdout, stderr } = await run(process.execPath, [commandFile('@anthropic-ai/mcpb', 'mcpb'), ...args], {
      cwd: folders.root,
      env: { ...process.env, HOME: folders.root },
    })
    return stdout + stderr
  }

  beforeAll(async () => {
    folders = makeFolders()
    server = await startServerProcess(folders)
    token = await setUp(server.address)
    await callsOn(server.address, token)('POST', '/api/v1/campaigns', { name: 'The Orchard in Winter' })
    bundle = path.join(folders.root, 'talekeeper.mcpb')
    unpacked = mkdtempSync(path.join(tmpdir(), 'talekeeper connector '))
    const answer = await fetch(`${server.address}/api/v1/assistants/talekeeper.mcpb`, {
      headers: { authorization: `Bearer ${token}` },
    })
    expect(answer.status, 'the connector is made by "npm run build"').toBe(200)
    expect(answer.headers.get('content-disposition')).toContain('talekeeper.mcpb')
    writeFileSync(bundle, Buffer.from(await answer.arrayBuffer()))
    await mcpb('unpack', bundle, unpacked)
  })
  afterAll(async () => {
    await server?.terminate()
    folders?.remove()
    if (unpacked) rmSync(unpacked, { recursive: true, force: true })
  })

  const manifest = () => JSON.parse(readFileSync(path.join(unpacked, 'manifest.json'), 'utf8'))

  it('passes its validator and can be packed again', async () => {
    expect(await mcpb('validate', path.join(unpacked, 'manifest.json'))).toMatch(/passes|valid/i)
    await mcpb('pack', unpacked, path.join(folders.root, 'again.mcpb'))
    expect(existsSync(path.join(folders.root, 'again.mcpb'))).toBe(true)
  })

  it('offers the address under which it was downloaded, and holds no key', () => {
    expect(manifest()).toEqual(
      JSON.parse(JSON.stringify(connectorManifest({ version: manifest().version, url: server.address }))),
    )
    expect(readFileSync(bundle).includes(Buffer.from('tkp_0'))).toBe(false)
    expect(readFileSync(bundle).includes(Buffer.from(token))).toBe(false)
  })

  describe.each(starters)('$name', ({ start }) => {
    it('starts its program with what the person gave, lists all tools and calls one', async () => {
      const { mcp_config: config } = manifest().server
      const given: Readonly<Record<string, string>> = { url: server.address, token }
      const filled = (text: string): string =>
        text
          .replaceAll(`\${__dirname}`, unpacked)
          .replaceAll(/\$\{user_config\.(\w+)\}/g, (_, name: string) => given[name] ?? '')
      const env = Object.fromEntries(
        Object.entries(config.env as Record<string, string>).map(([name, value]) => [name, filled(value)]),
      )
      const client = await start({ command: process.execPath, args: config.args.map(filled), env })
      const { tools } = await client.listTools()
      expect(tools.map(({ name }) => name)).toContain('create_quest')
      expect((await client.callTool('list_campaigns', {})).json).toMatchObject({
        items: [{ name: 'The Orchard in Winter' }],
      })
      await client.close()
    })
  })
})
