import { type ChildProcess, spawn } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { networkInterfaces, tmpdir } from 'node:os'
import path from 'node:path'
import sharp from 'sharp'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { networksOf } from '../../src/network/networks.ts'
import { announcedAddress, callsOn, setUp } from '../process/server-process.ts'
import { packagedFolder } from '../support/packaged.ts'
import { canHaveTray, startTrayHost, type TrayHost } from '../support/tray-host.ts'

// The packed executable on a desktop: the icon in a real panel, and every entry of its menu, clicked as the panel does it.

const possible = process.platform === 'linux' && process.arch === 'x64' && canHaveTray()

let packaged: string
let root: string
let dataDir: string
let shims: string
let host: TrayHost
const children = new Set<ChildProcess>()

beforeAll(async () => {
  if (possible) packaged = await packagedFolder('linux-x64')
}, 1_200_000)

beforeEach(async () => {
  if (!possible) return
  root = mkdtempSync(path.join(tmpdir(), 'talekeeper tray ü-'))
  dataDir = path.join(root, 'data')
  shims = path.join(root, 'shims')
  mkdirSync(shims)
  // What would open a window writes down what it was given.
  for (const name of ['xdg-open', 'notify-send', 'xclip', 'dbus-send']) {
    const input = name === 'xclip' ? `cat >> '${root}/xclip.in'` : ':'
    writeFileSync(path.join(shims, name), `#!/bin/sh\n${input}\nprintf '%s\\n' "$*" >> '${root}/${name}.log'\n`)
    chmodSync(path.join(shims, name), 0o755)
  }
  host = await startTrayHost(root)
})
afterEach(async () => {
  if (!possible) return
  for (const child of children) child.kill('SIGKILL')
  children.clear()
  await host.stop()
  rmSync(root, { recursive: true, force: true })
})

const written = (name: string): readonly string[] => {
  const file = path.join(root, name)
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []
}
const opened = (): readonly string[] => written('xdg-open.log')
const logged = (): string => readFileSync(path.join(dataDir, 'logs', 'talekeeper.log'), 'utf8')

interface Started {
  readonly child: ChildProcess
  output(): string
  readonly ended: Promise<number | null>
}

/** The program as a double-click starts it. */
function start(args: readonly string[] = [], env: Readonly<Record<string, string>> = {}): Started {
  const child = spawn(path.join(packaged, 'talekeeper'), args, {
    cwd: '/',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...host.env,
      PATH: `${shims}:/nonexistent:/bin`,
      DATA_DIR: dataDir,
      TMPDIR: root,
      PORT: '0',
      BACKUP_MIN_FREE_BYTES: '0',
      ...env,
    },
  })
  children.add(child)
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => {
      output += chunk.toString()
    })
  const ended = new Promise<number | null>((resolve) => child.once('close', (code) => resolve(code)))
  return { child, output: () => output, ended }
}

const labels = async (): Promise<readonly string[]> => (await host.menu()).map(({ label }) => label)
const enabled = async (label: string): Promise<boolean | undefined> =>
  (await host.menu()).find((entry) => entry.label.endsWith(label))?.enabled
/** Whether two pictures are the same drawing. */
const looksLike = async (drawing: string): Promise<boolean> => {
  const [shown, known] = await Promise.all([
    sharp(await host.picture())
      .raw()
      .toBuffer(),
    sharp(path.join(import.meta.dirname, '../../build/tray', `${drawing}-outlined.png`))
      .raw()
      .toBuffer(),
  ])
  return shown.equals(known)
}
const shot = async (name: string): Promise<void> => {
  const folder = process.env.TALEKEEPER_SHOTS
  if (folder !== undefined) await host.screenshot(path.join(folder, `${name}.png`))
}

describe.skipIf(!possible)('the tray', () => {
  test('shows the program, and every entry of its menu does what it says', async () => {
    const program = start()
    const address = await announcedAddress({ root, dataDir, tempDir: root, remove() {} })
    await host.icon()
    await expect.poll(() => looksLike('ok')).toBe(true)
    expect(await host.title()).toBe('Talekeeper')
    await shot('tray-ok')
    // The browser opens with the page of the set-up.
    await expect.poll(opened).toEqual([expect.stringMatching(new RegExp(`^${address}/setup#.{10,}$`))])
    expect(await labels()).toEqual([
      'Open Talekeeper',
      'Show players’ QR',
      `${address.slice('http://'.length)}, nobody online`,
      'Back up now',
      'No backup yet',
      'Open backup folder',
      'Connect an AI…',
      'Copy LAN address',
      'Start at login',
      'Allow phones on this network',
      'View logs',
      'Quit',
    ])
    expect([await enabled('No backup yet'), await enabled('Copy LAN address')]).toEqual([false, false])
    await host.click('Open Talekeeper')
    await expect.poll(opened).toEqual([opened()[0], opened()[0]])
    const token = await setUp(address)
    await host.click('Open Talekeeper')
    await expect.poll(() => opened().at(-1)).toBe(`${address}/`)
    await host.click('Connect an AI…')
    await expect.poll(() => opened().at(-1)).toBe(`${address}/account/connect`)
    await host.click('Show players’ QR')
    await expect.poll(() => opened().at(-1)).toBe(`${address}/admin/appliance`)
    await host.click('Open backup folder')
    await expect.poll(() => opened().at(-1)).toBe(dataDir)
    await host.click('View logs')
    await expect.poll(() => opened().at(-1)).toBe(path.join(dataDir, 'logs'))

    await host.click('Back up now')
    await expect.poll(labels).toContain('Last backup: just now')
    const [archive, ...others] = readdirSync(path.join(dataDir, 'backups')).filter((name) => name.endsWith('.zip'))
    expect([archive, others]).toEqual([expect.stringMatching(/^talekeeper-by-hand-/), []])
    await expect.poll(() => written('notify-send.log').at(-1)).toContain(`Kept safe ${archive} was made`)
    await expect.poll(() => written('dbus-send.log').at(-1)).toContain(`/backups/${archive}`)

    await host.click('Allow phones on this network')
    await expect.poll(labels).toContain('✓ Allow phones on this network')
    const call = callsOn(address, token)
    expect((await call('GET', '/api/v1/settings')).body.settings.lan).toMatchObject({ value: true, source: 'chosen' })
    // Where this machine is on a network that phones can be on.
    const [lan] = networksOf(networkInterfaces()).filter(({ kind }) => kind === 'lan')
    if (lan !== undefined) {
      await expect.poll(() => enabled('Copy LAN address')).toBe(true)
      await host.click('Copy LAN address')
      await expect.poll(() => written('xclip.in').at(-1)).toMatch(new RegExp(`^http://${lan.address}:\\d+/$`))
    }
    // A switch in the app is one in the tray.
    await call('PATCH', '/api/v1/settings', { lan: false })
    await expect.poll(labels).toContain('Allow phones on this network')

    const entry = path.join(root, 'home', '.config', 'autostart', 'talekeeper.desktop')
    await host.click('Start at login')
    await expect.poll(labels).toContain('✓ Start at login')
    expect(readFileSync(entry, 'utf8')).toContain(
      `Exec=env "DATA_DIR=${dataDir}" "${realpathSync(path.join(packaged, 'talekeeper'))}" --hidden\n`,
    )
    await host.click('✓ Start at login')
    await expect.poll(labels).toContain('Start at login')
    expect(existsSync(entry)).toBe(false)

    expect(
      logged()
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).msg),
    ).toContain('The icon is in the tray.')
    expect(logged()).not.toContain(token)
    await host.click('Quit')
    expect(await program.ended).toBe(0)
    await expect.poll(() => host.icons()).toEqual([])
    expect(readdirSync(dataDir).filter((name) => name.startsWith('talekeeper.db'))).toEqual(['talekeeper.db'])
  })

  test('minds what has to be seen to, in its picture and in a line', async () => {
    mkdirSync(dataDir)
    writeFileSync(path.join(dataDir, 'settings.json'), '}')
    start(['--hidden'])
    await host.icon()
    await expect.poll(() => looksLike('warning')).toBe(true)
    await shot('tray-warning')
    await host.click(/settings\.json/)
    await expect.poll(() => opened().at(-1)).toContain('/admin/backups')
    // Mended in the app, it is well again.
    await host.click('Allow phones on this network')
    await expect.poll(() => looksLike('ok')).toBe(true)
    expect(readdirSync(dataDir).filter((name) => name.includes('broken'))).toHaveLength(1)
  })

  test('a second start opens the first and ends with 0', async () => {
    const first = start(['--hidden'])
    const address = await announcedAddress({ root, dataDir, tempDir: root, remove() {} })
    const second = start()
    expect(await second.ended).toBe(0)
    expect(second.output()).toContain(`Talekeeper is running already, at ${address}/`)
    await expect.poll(opened).toEqual([`${address}/`])
    expect(first.child.exitCode).toBeNull()
    expect((await fetch(`${address}/healthz`)).status).toBe(200)
    // Killed at once, it leaves its lock to the next, and its icon goes with it.
    await host.icon()
    first.child.kill('SIGKILL')
    await first.ended
    await expect.poll(() => host.icons()).toEqual([])
    start(['--hidden'])
    await host.icon()
  })

  test('a panel that ends and comes back has the icon again; a screen that is gone stops nothing', async () => {
    const program = start(['--hidden'])
    const address = await announcedAddress({ root, dataDir, tempDir: root, remove() {} })
    await host.icon()
    await host.endPanel()
    expect((await fetch(`${address}/readyz`)).status).toBe(200)
    await host.startPanel()
    await host.icon()
    await host.click('Open backup folder')
    await expect.poll(opened).toHaveLength(1)

    await host.endScreen()
    await expect.poll(() => logged()).toContain('The icon in the tray is not there. It is tried again.')
    expect((await fetch(`${address}/readyz`)).status).toBe(200)
    program.child.kill('SIGTERM')
    expect(await program.ended).toBe(0)
  })

  test.each<[string, Readonly<Record<string, string>>]>([
    ['without a screen', { DISPLAY: '' }],
    ['with a screen that cannot be used', { DISPLAY: ':9999' }],
    ['with --no-tray', {}],
  ])('%s it serves all the same', async (how, env) => {
    const program = start(['--no-open', ...(how.includes('--') ? ['--no-tray'] : [])], env)
    const address = await announcedAddress({ root, dataDir, tempDir: root, remove() {} })
    if (env.DISPLAY === ':9999') await expect.poll(() => logged()).toContain('It is tried again.')
    expect((await fetch(`${address}/readyz`)).status).toBe(200)
    expect(await host.icons()).toEqual([])
    expect(program.output()).not.toMatch(/ at .*\.cjs/)
    program.child.kill('SIGTERM')
    expect(await program.ended).toBe(0)
    expect(opened()).toEqual([])
  })
})
