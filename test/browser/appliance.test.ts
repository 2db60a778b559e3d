import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import {
  Client as PresentClient,
  StreamableHTTPClientTransport as PresentTransport,
} from '@modelcontextprotocol/client'
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as OlderTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Browser, Page } from 'playwright-core'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { packagedFolder } from '../support/packaged.ts'
import { startWorld } from '../support/world-file.ts'
import { desk, findChromium, launchChromium, newPage, phone } from './chromium.ts'

// The whole appliance as a Dungeon Master meets it: the packed executable in an empty profile, without Node on the
// path and started from another folder; then a browser, two MCP clients, a phone, a backup and its restore.
const chromium = findChromium()
const possible = chromium !== null && process.platform === 'linux' && process.arch === 'x64'

let executable: string
let child: ChildProcess
let browser: Browser
let home: string
let base: string
let setUpLink: string

beforeAll(async () => {
  if (!possible) return
  executable = path.join(await packagedFolder('linux-x64'), 'talekeeper')
  home = mkdtempSync(path.join(tmpdir(), 'talekeeper appliance '))
  child = spawn(executable, ['serve'], {
    cwd: '/',
    env: { HOME: home, PORT: '0', PATH: '/nonexistent', TMPDIR: home },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  setUpLink = await printed(child, /http:\/\/127\.0\.0\.1:\d+\/setup#\S+/)
  base = new URL(setUpLink).origin
  browser = await launchChromium(chromium as string)
}, 3_600_000)

afterAll(async () => {
  if (!possible) return
  await browser.close()
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  await ended
  rmSync(home, { recursive: true, force: true })
})

test.skipIf(!possible)('from the first start to a restored backup', { timeout: 1_200_000 }, async () => {
  const dm = await newPage(browser, desk)
  await setUp(dm.page)
  const campaignId = Number(/campaigns\/(\d+)/.exec(dm.page.url())?.[1])
  expect(campaignId).toBeGreaterThan(0)

  const token = await mintToken(dm.page)
  await tenQuests(campaignId, token)
  await tenPeople(campaignId, token)
  await dm.page.goto(`${base}/campaigns/${campaignId}/quests`)
  await dm.page.getByText('Quest number 10').waitFor()

  const invitation = await invite(dm.page, campaignId)
  const player = await newPage(browser, phone)
  await join(player.page, invitation)
  await player.page.goto(`${base}/campaigns/${campaignId}/people`)
  await player.page.getByText('Person number 10').waitFor()
  expect(await overflows(player.page)).toBe(false)

  // What an AI writes appears on the open phone by itself.
  await call(token, 'create_npc', { campaignId, name: 'Old Marta', hidden: false, dmSecret: 'She rings the bell.' })
  await player.page.getByText('Old Marta').waitFor()
  expect(await player.page.content()).not.toContain('rings the bell')

  const portrait = await uploadPortrait(dm.page, campaignId)
  const archive = await downloadBackup(dm.page)
  await deleteEverything(campaignId, token)
  await restore(dm.page, archive)

  await signIn(dm.page)
  await dm.page.goto(`${base}/campaigns/${campaignId}/people`)
  await dm.page.getByText('Person number 10').waitFor()
  const image = await dm.page.request.get(`${base}${portrait.url}`)
  expect(image.status()).toBe(200)
  expect(Buffer.compare(await image.body(), portrait.bytes)).toBe(0)
  const quests = await dm.page.request.get(`${base}/api/v1/campaigns/${campaignId}/quests`)
  expect((await quests.json()).items).toHaveLength(10)
  expect([...dm.complaints, ...player.complaints]).toEqual([])
})

test.skipIf(!possible)(
  'a backup of the executable restores in the program from source, and the other way round',
  { timeout: 600_000 },
  async () => {
    const packed = path.join(home, 'packed.zip')
    const command = (dataDir: string, ...args: string[]) =>
      output(executable, args, { HOME: home, DATA_DIR: dataDir, TMPDIR: home, PATH: '/nonexistent' })
    const packedData = path.join(home, 'packed data')
    const sourceData = path.join(home, 'source data')
    const world = await startWorld({ dataDir: sourceData })
    const { server } = world
    const names = (): readonly unknown[] =>
      server.app.store().all('SELECT id, name, body, dm_secret FROM npcs ORDER BY id')
    const before = names()
    const fromSource = path.join(home, 'source.zip')
    await server.app.archive.create({ destination: fromSource })
    await command(packedData, 'restore', fromSource, '--confirm', 'RESTORE')
    await command(packedData, 'backup', '--to', packed)
    expect(JSON.parse(await command(packedData, 'inspect', packed, '--json'))).toMatchObject({
      version: 3,
      sealed: true,
    })
    await world.as('dm', 'delete_npc', { npcId: world.id('npc') })
    expect(names()).not.toEqual([])
    await server.app.archive.restore(packed, { actor: null })
    expect(names()).toEqual(before)
    await server.stop()
  },
)

async function setUp(page: Page): Promise<void> {
  await page.goto(setUpLink)
  await page.getByRole('button', { name: 'Go on' }).click()
  await page.fill('input[name=username]', 'ellen')
  await page.fill('input[name=password]', 'a lantern in winter')
  await page.keyboard.press('Enter')
  // Phones, backups and an assistant: as they are offered.
  for (const asked of ['Will players use phones here?', 'Kept safe by itself', 'Does an assistant help you?']) {
    await page.getByRole('heading', { name: asked }).waitFor()
    await page.getByRole('button', { name: 'Go on' }).click()
  }
  await page.fill('input[name=name]', 'The Orchard in Winter')
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/campaigns\/\d+/)
}

async function signIn(page: Page): Promise<void> {
  await page.goto(`${base}/login`)
  await page.fill('input[name=username]', 'ellen')
  await page.fill('input[name=password]', 'a lantern in winter')
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/campaigns/)
}

async function mintToken(page: Page): Promise<string> {
  const answer = await page.request.post(`${base}/api/v1/tokens`, {
    data: { tokenName: 'test', scope: 'dm', admin: false },
    headers: { origin: base, 'sec-fetch-site': 'same-origin' },
  })
  expect(answer.status()).toBe(201)
  return (await answer.json()).token
}

/** The client of the present protocol revision. */
async function tenQuests(campaignId: number, token: string): Promise<void> {
  const client = new PresentClient({ name: 'present', version: '1' })
  await client.connect(
    new PresentTransport(new URL(`${base}/mcp`), { requestInit: { headers: { authorization: `Bearer ${token}` } } }),
  )
  for (let number = 1; number <= 10; number += 1) {
    const result = await client.callTool({
      name: 'create_quest',
      arguments: { campaignId, title: `Quest number ${number}` },
    })
    expect(result.isError ?? false).toBe(false)
  }
  await client.close()
}

/** The client of the older revisions. */
async function tenPeople(campaignId: number, token: string): Promise<void> {
  const client = new OlderClient({ name: 'older', version: '1' })
  const transport = new OlderTransport(new URL(`${base}/mcp`), {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
  })
  await client.connect(transport as unknown as Parameters<OlderClient['connect']>[0])
  for (let number = 1; number <= 10; number += 1) {
    const result = await client.callTool({
      name: 'create_npc',
      arguments: { campaignId, name: `Person number ${number}`, hidden: false },
    })
    expect(result.isError ?? false).toBe(false)
  }
  await client.close()
}

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape
async function call(token: string, name: string, input: unknown): Promise<any> {
  const response = await fetch(`${base}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: input } }),
  })
  const text = await response.text()
  const { result } = JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text)
  expect(result.isError ?? false, text).toBe(false)
  return JSON.parse(result.content[0].text)
}

async function invite(page: Page, campaignId: number): Promise<string> {
  await page.goto(`${base}/campaigns/${campaignId}/members`)
  await page.getByRole('button', { name: 'Invite somebody' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: /make|create/i }).click()
  const link = page
    .getByText(/\/join#tki_/)
    .or(page.locator('input[value*="/join#tki_"]'))
    .first()
  await link.waitFor()
  const text = (await link.inputValue().catch(() => link.innerText())) as string
  return /https?:\S+\/join#\S+/.exec(text)?.[0] as string
}

async function join(page: Page, invitation: string): Promise<void> {
  await page.goto(invitation)
  await page.getByText('The Orchard in Winter').first().waitFor()
  await page.fill('input[name=username]', 'imke')
  await page.fill('input[name=password]', 'nine candles')
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/campaigns\/\d+/)
}

async function uploadPortrait(page: Page, campaignId: number): Promise<{ url: string; bytes: Buffer }> {
  const bytes = await sharp({ create: { width: 400, height: 500, channels: 3, background: '#7a4f08' } })
    .png()
    .toBuffer()
  const file = path.join(home, 'portrait.png')
  writeFileSync(file, bytes)
  await page.goto(`${base}/campaigns/${campaignId}/people`)
  await page.getByText('Person number 1', { exact: true }).click()
  await page.waitForURL(/\/people\/\d+/)
  await page.goto(`${page.url()}/edit`)
  await page.locator('input[type=file]').waitFor({ state: 'attached' })
  const uploaded = page.waitForResponse(
    (response) => response.url().endsWith('/attachments') && response.request().method() === 'POST',
  )
  await page.setInputFiles('input[type=file]', file)
  const answer = await uploaded
  expect(answer.status()).toBe(201)
  const saved = page.waitForResponse((response) => response.request().method() === 'PATCH')
  await page.locator('button[type=submit]').last().click()
  expect((await saved).status()).toBe(200)
  return { url: (await answer.json()).url, bytes }
}

async function downloadBackup(page: Page): Promise<string> {
  await page.goto(`${base}/admin/backups`)
  const started = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download a backup' }).click()
  const file = path.join(home, 'backup.zip')
  await (await started).saveAs(file)
  expect(readFileSync(file).subarray(0, 2).toString()).toBe('PK')
  return file
}

async function deleteEverything(campaignId: number, token: string): Promise<void> {
  for (const [list, remove, key] of [
    ['list_npcs', 'delete_npc', 'npcId'],
    ['list_quests', 'delete_quest', 'questId'],
  ] as const) {
    const { items } = await call(token, list, { campaignId })
    for (const { id } of items) {
      await call(token, remove, { [key]: id })
      await call(token, 'purge_from_trash', { campaignId, entityType: key === 'npcId' ? 'npc' : 'quest', entityId: id })
    }
    expect((await call(token, list, { campaignId })).items).toEqual([])
  }
}

async function restore(page: Page, archive: string): Promise<void> {
  await page.goto(`${base}/admin/backups`)
  await page.setInputFiles('input[type=file]', archive)
  await page.getByText('What is in this backup').waitFor()
  await page.getByText('1 campaign', { exact: false }).first().waitFor()
  await page.getByLabel('Type RESTORE to go on').fill('RESTORE')
  const answered = page.waitForResponse((response) => response.url().endsWith('/backup/restore'))
  await page.getByRole('button', { name: 'Put this in place of what I have' }).click()
  expect((await answered).status()).toBe(200)
}

async function overflows(page: Page): Promise<boolean> {
  return page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth)
}

function printed(process: ChildProcess, pattern: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    process.stdout?.on('data', (chunk: Buffer) => {
      text += chunk.toString()
      const found = pattern.exec(text)
      if (found) resolve(found[0])
    })
    process.once('exit', (code) => reject(new Error(`the program ended with ${code}: ${text}`)))
  })
}

function output(command: string, args: readonly string[], env: Readonly<Record<string, string>>): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(command, [...args], { cwd: '/', env }, (error, stdout, stderr) =>
      error ? reject(new Error(`${stderr}${stdout}`)) : resolve(stdout),
    )
  })
}
