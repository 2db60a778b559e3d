import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import AxeBuilder from '@axe-core/playwright'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { decodeQr } from '../network/qr.ts'
import { hasManyLoopbacks, listens, type TestNetworks, testNetworks } from '../network/surroundings.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { desk, findChromium, launchChromium, newPage, phone } from './chromium.ts'

// The set-up with its questions, the page of the server, invitations and Claude Desktop, as somebody clicks through them.

const chromium = findChromium()
const foreign =
  '{\n  "theme": "dark",\n  "mcpServers": { "weather": { "command": "x", "env": { "KEY": "sk-other" } } }\n}\n'

describe.skipIf(chromium === null || !hasManyLoopbacks)('phones and assistants', { timeout: 900_000 }, () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launchChromium(chromium as string)
  })
  afterAll(async () => {
    await browser?.close()
  })

  describe.each([
    ['a phone', phone],
    ['a desk', desk],
  ] as const)('on %s', (_, size) => {
    test('from the first question to an invitation, the switch, and Claude Desktop', async () => {
      const networks = testNetworks()
      networks.connect('127.0.0.2', { interfaceName: 'wlan0' })
      networks.connect('127.0.0.4', { interfaceName: 'tailscale0', kind: 'tunnel' })
      const server = await startServer({ surroundings: networks })
      const claude = path.join(server.dataDir, '.config', 'Claude', 'claude_desktop_config.json')
      mkdirSync(path.dirname(claude), { recursive: true })
      writeFileSync(claude, foreign)
      const { page, complaints } = await newPage(browser, size)
      try {
        const { address, campaign } = await setUp(page, server)
        await invite(page, address, campaign)
        await thisServer(page, networks, server, address)
        await addToClaude(page, claude, server)
        expect(complaints).toEqual([])
      } finally {
        await page.context().close()
        await server.stop()
      }
    })
  })
})

async function setUp(page: Page, server: TestServer): Promise<{ address: string; campaign: string }> {
  const base = await server.app.listen()
  const goOn = () => page.getByRole('button', { name: 'Go on' }).click()
  await page.goto(`${base}/setup#${server.app.setUpCode()}`)
  await goOn()
  await page.fill('input[name=username]', 'ellen')
  await page.fill('input[name=password]', 'a lantern in winter')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Will players use phones here?' }).waitFor()
  expect(await page.getByRole('radio', { name: 'No, this computer only' }).isChecked()).toBe(true)
  await page.getByRole('radio', { name: 'Yes, let phones in' }).check({ force: true })
  await page.getByText('point a phone at the square').waitFor()
  const address = `http://127.0.0.2:${new URL(base).port}`
  expect(await decodeQr(await page.locator('.qr').screenshot())).toBe(address)
  await isSound(page)
  await goOn()
  // Backups are on unless somebody says no.
  const backups = page.getByRole('switch', { name: 'Make backups by itself' })
  await backups.waitFor()
  expect(await backups.isChecked()).toBe(true)
  await isSound(page)
  await goOn()
  await page.getByRole('heading', { name: 'Does an assistant help you?' }).waitFor()
  expect(server.app.settings.states().scheduledBackups).toMatchObject({ value: true, source: 'chosen' })
  await isSound(page)
  await goOn()
  await page.fill('input[name=name]', 'The Orchard in Winter')
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/campaigns\/\d+/)
  return { address, campaign: page.url() }
}

async function invite(page: Page, address: string, campaign: string): Promise<void> {
  await page.goto(`${campaign}/members`)
  await page.getByText('How they come in').waitFor()
  await page.getByRole('button', { name: 'Invite somebody' }).click()
  await page.getByRole('button', { name: 'Make the link' }).click()
  await page.getByText('Send the link').waitFor()
  const link = await page.locator('dialog .copy code').textContent()
  expect(link).toMatch(new RegExp(`^${address}/join#tki_`))
  expect(await decodeQr(await page.locator('dialog .qr').screenshot())).toBe(link)
  await isSound(page)
  await page.getByRole('button', { name: 'Done' }).click()
}

async function thisServer(page: Page, networks: TestNetworks, server: TestServer, address: string): Promise<void> {
  const { hostname, port } = new URL(address)
  await page.clock.install()
  await page.goto(new URL('/admin/appliance', page.url()).href)
  await page.getByText('Open to phones on this network').waitFor()
  await page.getByText('One more way in is left out').click()
  await page.getByText('It goes through a tunnel').waitFor()
  await page.getByRole('button', { name: 'Make the square large' }).click()
  expect(await decodeQr(await page.locator('dialog .qr').screenshot())).toBe(address)
  await page.getByRole('button', { name: 'Done' }).click()

  await page.getByRole('button', { name: 'Try it' }).click()
  await page.getByText('Listening').waitFor()
  expect(await decodeQr(await page.locator('.phone-check .qr').screenshot())).toBe(`${address}/hello`)
  await page.clock.fastForward(61_000)
  await page.getByText('Nobody has come for a minute').waitFor()
  await page.getByText(`sudo ufw allow from 192.168.0.0/16 to any port ${port} proto tcp`).waitFor()
  await page.getByRole('button', { name: 'On Windows' }).click()
  await page.getByText(/netsh advfirewall firewall add rule .*profile=private/).waitFor()
  await isSound(page)
  const word = await page.locator('.check-word').textContent()
  const hello = await server.app.server.inject({ url: '/hello', remoteAddress: '192.168.1.34' })
  expect(hello.body).toContain(word)
  await page.clock.fastForward(3000)
  await page.getByText('192.168.1.34').waitFor()
  expect(await page.getByText('Nobody has come for a minute').count()).toBe(0)

  const lan = page.getByRole('switch', { name: 'Phones on this network may come in' })
  await lan.click()
  await page.getByText('Only this computer may come in').waitFor()
  expect(await listens(hostname, Number(port))).toBe(false)
  await isSound(page)
  networks.disconnect(hostname)
  await lan.click()
  await page.getByText('No network to be seen').waitFor()
  await page.clock.resume()
}

async function addToClaude(page: Page, claude: string, server: TestServer): Promise<void> {
  await page.goto(new URL('/account/connect', page.url()).href)
  await page.getByRole('button', { name: 'Claude Desktop' }).click()
  const download = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Download talekeeper.mcpb' }).click()
  expect((await download).suggestedFilename()).toBe('talekeeper.mcpb')
  await page.getByText('Or add it to the Claude Desktop on this computer').click()
  const change = page.locator('.claude-change')
  await change.waitFor()
  expect(await change.textContent()).toContain('mcp-stdio')
  expect(await page.content()).not.toContain('sk-other')
  expect(readFileSync(claude, 'utf8')).toBe(foreign)
  await isSound(page)
  await page.getByRole('button', { name: 'Add it to Claude Desktop' }).click()
  await page.getByText('Quit Claude Desktop and start it again').waitFor()
  expect(JSON.parse(readFileSync(claude, 'utf8'))).toMatchObject({
    theme: 'dark',
    mcpServers: { weather: { command: 'x' }, talekeeper: { args: ['mcp-stdio'] } },
  })
  await page.getByText('It is there already').waitFor()
  writeFileSync(claude, '{ "mcpServers": ')
  await page.reload()
  await page.getByRole('button', { name: 'Claude Desktop' }).click()
  await page.getByText('Or add it to the Claude Desktop on this computer').click()
  await page.getByText('is not valid JSON').waitFor()
  expect(readFileSync(claude, 'utf8')).toBe('{ "mcpServers": ')
  expect(existsSync(path.join(server.dataDir, '.config', 'talekeeper'))).toBe(true)
}

/** Nothing that axe calls serious in any theme, and nothing wider than the screen. */
async function isSound(page: Page): Promise<void> {
  const problems: string[] = []
  for (const theme of ['vellum', 'contrast', 'ink']) {
    await page.evaluate((name) => {
      document.documentElement.dataset.theme = name
    }, theme)
    const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze()
    const grave = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
    problems.push(
      ...grave.map(({ id, nodes }) => `${theme}: ${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`),
    )
  }
  const isWide = await page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth)
  if (isWide) problems.push(`wider than the screen: ${await wideParts(page)}`)
  expect(problems, page.url()).toEqual([])
}

/** What sticks out at the right. */
function wideParts(page: Page): Promise<string> {
  return page.evaluate(() =>
    [...document.querySelectorAll('main *')]
      .filter((each) => each.getBoundingClientRect().right > document.documentElement.clientWidth)
      .map((each) => each.outerHTML.slice(0, 80))
      .slice(0, 5)
      .join(' | '),
  )
}
