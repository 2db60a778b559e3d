import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { commandFile, describeClients } from './installed.ts'
import { type Choices, letInAndReturn } from './person.ts'
import { type Home, makeHome, type Program, run } from './program.ts'
import { freePort, openTable, type Table } from './table.ts'

// Programs of others find the server, register, have somebody sign in and say yes, call a tool, and refresh.

const signIn = /http:\/\/[^\s"]+\/oauth\/authorize\?[^\s"]+/
const everything: Choices = { campaign: 'all', write_mode: 'direct' }
const mostMs = 240_000

describeClients('programs that connect', () => {
  let table: Table
  let home: Home
  beforeAll(async () => {
    table = await openTable()
    home = makeHome()
  })
  afterAll(async () => {
    await table?.stop()
    home?.remove()
  })

  /** Waits for the address that the program would open in a browser, and does there what a person does. */
  async function letProgramIn(program: Pick<Program, 'printed'>, choices = everything): Promise<void> {
    const [address] = await program.printed(signIn)
    await letInAndReturn(new URL(address), table.marta, choices)
  }

  describe('mcp-remote', () => {
    it('connects, calls, refreshes while it runs, and comes back without asking again', async () => {
      const port = await freePort()
      const open = async (connected: (stderr: () => string) => Promise<void>): Promise<Client> => {
        const transport = new StdioClientTransport({
          command: process.execPath,
          args: [commandFile('mcp-remote', 'mcp-remote'), `${table.base}/mcp`, String(port)],
          env: { ...home.env, MCP_REMOTE_CONFIG_DIR: path.join(home.folder, 'mcp-remote') },
          cwd: home.folder,
          stderr: 'pipe',
        })
        let stderr = ''
        transport.stderr?.on('data', (chunk: Buffer) => {
          stderr += chunk.toString('utf8')
        })
        const client = new Client({ name: 'stdio-client', version: '1' })
        await Promise.all([client.connect(transport as never, { timeout: mostMs }), connected(() => stderr)])
        return client
      }
      const client = await open(async (stderr) => {
        const deadline = Date.now() + mostMs
        while (!signIn.test(stderr()) && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 50))
        const [address = ''] = signIn.exec(stderr()) ?? []
        if (address === '') throw new Error(stderr())
        await letInAndReturn(new URL(address), table.marta, everything)
      })
      const { tools } = await client.listTools()
      expect(tools.map(({ name }) => name)).toContain('create_quest')
      const call = () => client.callTool({ name: 'list_campaigns', arguments: {} })
      expect(JSON.stringify(await call())).toContain('The Orchard in Winter')
      const before = table.refreshes()
      table.letAccessExpire()
      expect(JSON.stringify(await call())).toContain('The Orchard in Winter')
      expect(table.refreshes()).toBe(before + 1)
      await client.close()

      const again = await open(async () => undefined)
      expect((await again.listTools()).tools).toHaveLength(tools.length)
      await again.close()
      expect(table.grants().filter(({ client: name }) => name.startsWith('MCP CLI Proxy'))).toHaveLength(1)
    }, 600_000)
  })

  describe('mcporter', () => {
    const mcporter = (...args: string[]): Program => run(commandFile('mcporter', 'mcporter'), args, home)

    it('connects, lists, calls, and refreshes', async () => {
      // It keeps its registration only where its port is fixed.
      const config = path.join(home.folder, 'mcporter.json')
      writeFileSync(
        config,
        JSON.stringify({
          imports: [],
          mcpServers: {
            talekeeper: {
              baseUrl: `${table.base}/mcp`,
              auth: 'oauth',
              oauthRedirectUrl: `http://127.0.0.1:${await freePort()}/callback`,
            },
          },
        }),
      )
      const signedIn = mcporter('auth', 'talekeeper', '--config', config, '--no-browser', '--json')
      await letProgramIn(signedIn)
      expect(await signedIn.ended).toMatchObject({ code: 0 })

      const list = await mcporter('list', 'talekeeper', '--config', config, '--json').ended
      expect(JSON.parse(list.stdout)).toMatchObject({ status: 'ok' })
      expect(list.stdout).toContain('"create_quest"')

      const call = async (tool: string, args: object) =>
        mcporter('call', `talekeeper.${tool}`, '--config', config, '--args', JSON.stringify(args), '--output', 'json')
          .ended
      const listed = await call('list_campaigns', { limit: 5 })
      expect(listed).toMatchObject({ code: 0, stdout: expect.stringContaining('The Orchard in Winter') })
      const refused = await call('get_campaign_summary', { campaignId: 999 })
      expect(refused.stdout).toContain('"not_found"')

      const before = table.refreshes()
      table.letAccessExpire()
      expect(await call('list_campaigns', {})).toMatchObject({ code: 0 })
      expect(table.refreshes()).toBe(before + 1)
    }, 600_000)
  })

  describe('the Inspector', () => {
    let callbackUrl: string
    beforeAll(async () => {
      callbackUrl = `http://127.0.0.1:${await freePort()}/oauth/callback`
    })
    const inspector = (...args: string[]): Program =>
      run(
        commandFile('@modelcontextprotocol/inspector', 'mcp-inspector'),
        ['--cli', '--server-url', `${table.base}/mcp`, '--callback-url', callbackUrl, '--format', 'json', ...args],
        home,
        { MCP_AUTO_OPEN_ENABLED: 'true', MCP_INSPECTOR_SECRET_STORE: 'file' },
      )

    describe.each(['legacy', 'modern'])('in the %s era', (era) => {
      const method = (name: string, ...args: string[]) => inspector('--protocol-era', era, '--method', name, ...args)

      it(
        'signs in, and finds nothing to complain about in any tool',
        async () => {
          const program = method('tools/list', '--strict', '--relogin')
          await letProgramIn(program)
          const { code, stdout, stderr } = await program.ended
          expect({ code, stderr }).toMatchObject({ code: 0 })
          expect(stderr).not.toMatch(/warning|error-severity/i)
          expect(stdout).toContain('create_quest')
        },
        mostMs,
      )

      it(
        'calls a tool, reads a resource and gets a prompt with what it kept',
        async () => {
          const called = await method('tools/call', '--stored-auth-only', '--tool-name', 'list_campaigns').ended
          expect(called).toMatchObject({ code: 0, stdout: expect.stringContaining('The Orchard in Winter') })
          const read = await method('resources/read', '--stored-auth-only', '--uri', 'talekeeper://campaigns').ended
          expect(read).toMatchObject({ code: 0, stdout: expect.stringContaining('Lantern Street') })
          const args = [
            '--prompt-name',
            'session-prep',
            '--prompt-args',
            `campaignId=${table.place.campaignId.orchard}`,
          ]
          const prompt = await method('prompts/get', '--stored-auth-only', ...args).ended
          expect(prompt).toMatchObject({ code: 0, stdout: expect.stringContaining('Prepare the next session') })
        },
        mostMs,
      )
    })

    it(
      'takes fifty calls at once without one that fails',
      async () => {
        const program = inspector(
          ...['--method', 'tools/call', '--stored-auth-only', '--tool-name', 'list_campaigns'],
          ...['--load', '--load-requests', '50', '--load-concurrency', '10'],
        )
        const { code, stdout } = await program.ended
        console.info(`Inspector --load: ${stdout.trim().replaceAll(/\s+/g, ' ').slice(0, 400)}`)
        expect(code).toBe(0)
      },
      mostMs,
    )

    it(
      'refreshes',
      async () => {
        const before = table.refreshes()
        table.letAccessExpire()
        const program = inspector('--method', 'tools/call', '--stored-auth-only', '--tool-name', 'list_campaigns')
        expect(await program.ended).toMatchObject({ code: 0 })
        expect(table.refreshes()).toBe(before + 1)
      },
      mostMs,
    )

    it(
      'revokes what it had when it signs in anew',
      async () => {
        const mine = () => table.grants().filter(({ client }) => client.includes('Inspector'))
        expect(mine().at(-1)?.ended).toBeNull()
        const count = mine().length
        // It revokes only where its state holds the server's metadata, and version 2.12.0 forgets to keep that at sign-in.
        const stateFile = path.join(home.folder, '.mcp-inspector', 'storage', 'oauth.json')
        const state = JSON.parse(readFileSync(stateFile, 'utf8'))
        const metadata = await fetch(`${table.base}/.well-known/oauth-authorization-server`)
        state.servers[`${table.base}/mcp`].serverMetadata = await metadata.json()
        writeFileSync(stateFile, JSON.stringify(state))
        const program = inspector('--method', 'tools/list', '--relogin')
        await letProgramIn(program, { ...everything, scope: 'viewer' })
        const { code, stdout } = await program.ended
        expect(code).toBe(0)
        expect(mine().slice(count - 1)).toMatchObject([{ ended: 'revoked' }, { ended: null, scope: 'viewer' }])
        // What was let in as a guest is shown what a guest may call.
        expect(stdout).toContain('list_quests')
        expect(stdout).not.toContain('create_quest')
      },
      mostMs,
    )
  })
})
