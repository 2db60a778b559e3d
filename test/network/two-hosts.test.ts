import type { ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findChromium, launchChromium, newPage, phone as phoneSize } from '../browser/chromium.ts'
import { builtProgram } from '../support/built-program.ts'
import { compiledModules } from '../support/compiled.ts'
import { type Answer, makeHosts, type TwoHosts, whyNoHosts } from './namespaces.ts'
import { decodeQr } from './qr.ts'

// A Dungeon Master's computer and a phone in one network, for real: two hosts with a cable between them, plain http.

const reason = whyNoHosts()
const chromium = findChromium()
const inCi = !['', '0', 'false'].includes(process.env.CI ?? '')
if (reason !== null) console.info(`Two hosts of one network: skipped, ${reason}.`)
const isMissing = reason?.includes('is missing') === true && inCi

const keeper = { username: 'ellen', password: 'a lantern in the orchard' }

interface Running {
  readonly base: string
  readonly port: string
  readonly code: string
  output(): string
  stop(): Promise<void>
}

test.runIf(isMissing)('the program that makes hosts is there', () => {
  throw new Error(reason ?? '')
})

describe.skipIf(reason !== null)('two hosts of one network', { timeout: 600_000 }, () => {
  let hosts: TwoHosts
  let folder: string
  beforeAll(() => {
    hosts = makeHosts()
    folder = mkdtempSync(path.join(tmpdir(), 'talekeeper-hosts-'))
  })
  afterAll(() => {
    hosts?.remove()
    if (folder) rmSync(folder, { recursive: true, force: true })
  })

  async function serve(name: string, env: Readonly<Record<string, string>> = {}): Promise<Running> {
    const main = path.resolve(import.meta.dirname, '../..', builtProgram())
    const child: ChildProcess = hosts.home.spawn(process.execPath, [main, 'serve'], {
      DATA_DIR: path.join(folder, name),
      HOME: folder,
      PORT: '8020',
      ...compiledModules(),
      ...env,
    })
    let output = ''
    child.stdout?.on('data', (chunk: Buffer) => {
      output += chunk.toString('utf8')
    })
    child.stderr?.on('data', (chunk: Buffer) => {
      output += chunk.toString('utf8')
    })
    const ended = new Promise((resolve) => child.once('close', resolve))
    await expect.poll(() => output, { timeout: 180_000 }).toMatch(/\/setup#\S+\s/)
    const [, base = '', code = ''] = /(http:\/\/[^\s/]+)\/setup#(\S+)/.exec(output) ?? []
    return {
      base,
      port: new URL(base).port,
      code,
      output: () => output,
      async stop() {
        child.kill('SIGTERM')
        await ended
      },
    }
  }

  test('a foreign address cannot set up without the code, and nobody can when it is done', async () => {
    const server = await serve('first', { HOST: '0.0.0.0' })
    const there = `http://${hosts.home.address}:${server.port}`
    const setUp = (body: object): Promise<Answer> =>
      hosts.phone.calls.call('POST', `${there}/api/v1/auth/setup`, body, { origin: there })
    expect((await hosts.phone.calls.call('GET', `${there}/api/v1/auth/status`)).body).toMatchObject({
      setUpNeeded: true,
      setUpOpen: false,
    })
    expect((await setUp(keeper)).status).toBe(403)
    expect((await setUp({ ...keeper, code: 'x'.repeat(43) })).status).toBe(403)
    // Its own address in the network is foreign too.
    const own = await hosts.home.calls.call('POST', `${there}/api/v1/auth/setup`, keeper, { origin: there })
    expect(own.status).toBe(403)
    expect((await setUp({ ...keeper, code: server.code })).status).toBe(201)
    const late = await setUp({ username: 'osk', password: 'a second keeper', code: server.code })
    expect([late.status, late.body.error.code]).toEqual([409, 'invalid_state'])
    expect((await hosts.phone.calls.call('GET', `${there}/api/v1/auth/status`)).body.setUpNeeded).toBe(false)
    expect(server.output()).not.toContain(keeper.password)
    await server.stop()
  })

  test.skipIf(chromium === null)(
    'set up with the switch on: the square leads a phone in over plain http, it sees what changes, and off is off at once',
    async () => {
      const server = await serve('second')
      const { home, phone } = hosts
      const refused = await phone.calls.call('GET', `http://${home.address}:${server.port}/healthz`)
      expect(refused.failed).toBe('ECONNREFUSED')

      const browserAt = async (host: 'home' | 'phone'): Promise<Browser> => {
        const script = path.join(folder, `chromium-${host}`)
        hosts[host].wrap(script, chromium as string)
        return await launchChromium(script)
      }
      const desk = await browserAt('home')
      const dm = await newPage(desk, { width: 1280, height: 900 })
      await dm.page.goto(`${server.base}/setup#${server.code}`)
      await dm.page.getByRole('button', { name: 'Go on' }).click()
      await dm.page.fill('input[name=username]', keeper.username)
      await dm.page.fill('input[name=password]', keeper.password)
      await dm.page.keyboard.press('Enter')
      await dm.page.getByRole('radio', { name: 'Yes, let phones in' }).check({ force: true })
      await dm.page.getByText('point a phone at the square').waitFor()
      const square = await dm.page.locator('.qr').screenshot()
      const address = `http://${home.address}:${server.port}`
      expect(await decodeQr(square)).toBe(address)
      await dm.page.getByRole('button', { name: 'Go on' }).click()
      await dm.page.getByRole('switch', { name: 'Make backups by itself' }).waitFor()
      await dm.page.getByRole('button', { name: 'Go on' }).click()
      await dm.page.getByText('Does an assistant help you?').waitFor()
      await dm.page.getByRole('button', { name: 'Go on' }).click()
      await dm.page.fill('input[name=name]', 'The Orchard in Winter')
      await dm.page.keyboard.press('Enter')
      await dm.page.waitForURL(/\/campaigns\/\d+/)
      const campaign = new URL(dm.page.url()).pathname

      // The switch for backups was on, and nobody said no.
      const token = (
        await home.calls.call('POST', `${server.base}/api/v1/auth/token`, { ...keeper, tokenName: 'test', scope: 'dm' })
      ).body.token
      const authorization = `Bearer ${token}`
      const settings = await home.calls.call('GET', `${server.base}/api/v1/settings`, undefined, { authorization })
      expect(settings.body.settings).toMatchObject({
        lan: { value: true },
        scheduledBackups: { value: true, source: 'chosen' },
      })

      // The name in the network leads to the same address.
      expect(await phone.calls.resolve('talekeeper.local')).toBe(home.address)
      const named = { authorization, host: `talekeeper.local:${server.port}` }
      expect((await phone.calls.call('GET', `${address}/api/v1/auth/status`, undefined, named)).status).toBe(200)

      // An invitation carries the address that works, though this page is open on localhost.
      await dm.page.goto(`${server.base}${campaign}/members`)
      await dm.page.getByRole('button', { name: 'Invite somebody' }).click()
      await dm.page.getByRole('button', { name: 'Make the link' }).click()
      await dm.page.getByText('Send the link').waitFor()
      const invitation = await decodeQr(await dm.page.locator('dialog .qr').screenshot())
      expect(invitation).toBe(await dm.page.locator('dialog .copy code').textContent())
      expect(invitation).toMatch(new RegExp(`^${address}/join#tki_`))

      const mobile = await browserAt('phone')
      const player = await newPage(mobile, phoneSize)
      await player.page.goto(invitation ?? '')
      await player.page.getByText('The Orchard in Winter').first().waitFor()
      await player.page.fill('input[name=username]', 'tamsin')
      await player.page.fill('input[name=password]', 'a quiet ferry crossing')
      await player.page.keyboard.press('Enter')
      await player.page.waitForURL(/\/campaigns\/\d+/)
      await player.page.goto(`${address}${campaign}/people`)
      await player.page.getByRole('heading', { name: 'People' }).waitFor()
      const npc = await home.calls.call(
        'POST',
        `${server.base}/api/v1${campaign}/npcs`,
        { name: 'Old Marta', hidden: false },
        { authorization },
      )
      expect(npc.status).toBe(201)
      await player.page.getByText('Old Marta').waitFor()

      // Can a phone come in? The word stands on both, and the page says that one came.
      await dm.page.goto(`${server.base}/admin/appliance`)
      await dm.page.getByRole('button', { name: 'Try it' }).click()
      const word = await dm.page.locator('.check-word').textContent()
      const hello = await decodeQr(await dm.page.locator('.phone-check .qr').screenshot())
      expect(hello).toBe(`${address}/hello`)
      await player.page.goto(hello ?? '')
      await player.page.getByRole('heading', { name: word ?? '-' }).waitFor()
      await dm.page.getByText('A phone came in').waitFor()
      expect(await dm.page.getByText(phone.address).count()).toBe(1)

      await player.page.goto(`${address}${campaign}/people`)
      await player.page.getByText('Old Marta').waitFor()
      await dm.page.getByRole('switch', { name: 'Phones on this network may come in' }).click()
      await dm.page.getByText('Only this computer may come in').waitFor()
      expect((await phone.calls.call('GET', `${address}/healthz`)).failed).toBe('ECONNREFUSED')
      const fromPage = () =>
        fetch('/healthz').then(
          () => 'answered',
          () => 'refused',
        )
      expect(await player.page.evaluate(fromPage)).toBe('refused')
      expect(await phone.calls.resolve('talekeeper.local')).toBeNull()

      // A network that goes and one that comes: the server stays, and opens the new one by itself.
      await dm.page.getByRole('switch', { name: 'Phones on this network may come in' }).click()
      await dm.page.getByText('Open to phones on this network').waitFor()
      home.ip('addr', 'del', `${home.address}/24`, 'dev', 'eth0')
      home.ip('addr', 'add', '192.168.78.20/24', 'dev', 'eth0')
      phone.ip('addr', 'add', '192.168.78.34/24', 'dev', 'eth0')
      const moved = `http://192.168.78.20:${server.port}`
      await expect
        .poll(async () => (await phone.calls.call('GET', `${moved}/healthz`)).status, { timeout: 180_000 })
        .toBe(200)
      const state = await home.calls.call('GET', `${server.base}/api/v1/network`, undefined, { authorization })
      expect(state.body.addresses).toEqual([{ url: moved, interfaceName: 'eth0' }])
      expect(dm.complaints).toEqual([])
      await Promise.all([desk.close(), mobile.close()])
      await server.stop()
      expect(server.output()).not.toContain(keeper.password)
      expect(server.output()).not.toContain(invitation?.split('#')[1] ?? '-')
    },
  )
})
