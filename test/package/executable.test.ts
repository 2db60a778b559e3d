import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  appendFileSync,
  cpSync,
  existsSync,
  globSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { packagedFolder } from '../support/packaged.ts'

const possible = process.platform === 'linux' && process.arch === 'x64'
if (!possible) console.log('This is no Linux on x64: the tests of its executable are left out.')

let packaged: string
/** A copy in a place with spaces and letters beyond ASCII, which a test may damage. */
let folder: string
let home: string
let root: string
const children = new Set<ChildProcess>()

beforeAll(async () => {
  if (possible) packaged = await packagedFolder('linux-x64')
}, 1_200_000)

beforeEach(() => {
  if (!possible) return
  root = mkdtempSync(path.join(tmpdir(), 'talekeeper-executable-'))
  folder = path.join(root, 'Märchen der Tafelrunde')
  home = path.join(root, 'home')
  mkdirSync(home)
  mkdirSync(folder)
  for (const name of readdirSync(packaged)) {
    const [from, to] = [path.join(packaged, name), path.join(folder, name)]
    // It is large, and no test changes it.
    if (name === 'talekeeper') linkOrCopy(from, to)
    else cpSync(from, to, { recursive: true })
  }
})
afterEach(async () => {
  for (const child of children) {
    child.kill('SIGKILL')
    await once(child, 'close')
  }
  children.clear()
  if (possible) rmSync(root, { recursive: true, force: true })
})

function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to)
  } catch {
    cpSync(from, to)
  }
}

/** Nothing of this machine helps it: no PATH, an empty home, the root folder as its own. */
const environment = (): Record<string, string> => ({ HOME: home, PATH: '/nonexistent', TMPDIR: root, PORT: '0' })

interface Ran {
  readonly code: number
  readonly output: string
  readonly errors: string
}

function run(args: readonly string[], env: Readonly<Record<string, string>> = {}, cwd = '/'): Promise<Ran> {
  return new Promise((resolve) => {
    execFile(
      path.join(folder, 'talekeeper'),
      [...args],
      { cwd, env: { ...environment(), ...env } },
      (error, output, errors) => resolve({ code: error === null ? 0 : Number(error.code), output, errors }),
    )
  })
}

async function brokenParts(): Promise<readonly string[]> {
  const { output } = await run(['doctor', '--json'])
  const { checks }: { checks: { name: string; verdict: string }[] } = JSON.parse(output)
  return checks.filter(({ verdict }) => verdict === 'broken').map(({ name }) => name)
}

/** Starts a server and waits until it answers. */
function serve(env: Readonly<Record<string, string>> = {}): Promise<string> {
  const child = spawn(path.join(folder, 'talekeeper'), ['serve'], { cwd: '/', env: { ...environment(), ...env } })
  children.add(child)
  return new Promise((resolve, reject) => {
    let output = ''
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString()
      const [address] = /http:\/\/127\.0\.0\.1:\d+/.exec(output) ?? []
      if (address !== undefined) resolve(address)
    })
    child.once('close', (code) => reject(new Error(`the program ended with ${code}: ${output}`)))
  })
}

function damage(file: string): void {
  const place = path.join(folder, file)
  const content = readFileSync(place)
  const middle = Math.floor(content.length / 2)
  content.writeUInt8(content.readUInt8(middle) ^ 1, middle)
  writeFileSync(place, content)
}

describe.skipIf(!possible)('the executable for Linux on x64', () => {
  test('lies in a folder with what belongs to it, each file for this machine type', () => {
    expect(readdirSync(folder).sort()).toEqual(['LICENSES', 'natives', 'talekeeper', 'traybin'])
    const binaries = [
      'talekeeper',
      'traybin/tray_linux_release',
      ...globSync('natives/**/*.{node,so*}', { cwd: folder }),
    ]
    expect(binaries.length).toBe(6)
    for (const file of binaries) {
      const head = readFileSync(path.join(folder, file)).subarray(0, 20)
      // 64-bit, little-endian, for x86-64.
      expect([head.toString('latin1', 1, 4), head[4], head[5], head.readUInt16LE(18)], file).toEqual(['ELF', 2, 1, 62])
    }
    expect(statSync(path.join(folder, 'traybin/tray_linux_release')).mode & 0o111).toBe(0o111)
    expect(globSync('natives/**/*musl*.node', { cwd: folder })).toEqual([])
  })

  test('names the terms of everything in it', () => {
    const licenses = readFileSync(path.join(folder, 'LICENSES'), 'utf8')
    for (const name of ['Node.js 26', 'better-sqlite3', 'argon2', 'sharp', 'systray2', 'getlantern/systray'])
      expect(licenses).toContain(name)
    expect(licenses).toContain('GNU LESSER GENERAL PUBLIC LICENSE')
  })

  test('finds itself whole', async () => {
    const { code, output } = await run(['doctor', '--json'])
    const { ok, checks }: { ok: boolean; checks: { name: string; verdict: string }[] } = JSON.parse(output)
    const good = checks.filter(({ verdict }) => verdict === 'ok').map(({ name }) => name)
    const files = ['better-sqlite3', 'argon2', 'sharp'].map((name) => `files of ${name}`)
    expect(good).toEqual(
      expect.arrayContaining([...files, 'web app', 'sqlite', 'argon2', 'sharp', 'worker', 'tray helper']),
    )
    expect({ ok, code }).toEqual({ ok: true, code: 0 })
  })

  test('starts through a link on the path, and from a folder that tries to feed it foreign files', async () => {
    const hostile = path.join(root, 'hostile')
    for (const name of ['natives/node_modules/better-sqlite3', 'traybin', 'node_modules/argon2'])
      mkdirSync(path.join(hostile, name), { recursive: true })
    writeFileSync(path.join(hostile, 'natives/node_modules/better-sqlite3/index.js'), 'throw new Error("foreign")')
    const link = path.join(root, 'talekeeper')
    symlinkSync(path.join(folder, 'talekeeper'), link)
    const { code, output } = await new Promise<Ran>((resolve) => {
      execFile(link, ['doctor'], { cwd: hostile, env: environment() }, (error, out, errors) =>
        resolve({ code: error === null ? 0 : Number(error.code), output: out, errors }),
      )
    })
    expect(output).toMatch(/Nothing is broken\.\n$/)
    expect(code).toBe(0)
  })

  test('runs no foreign code that the environment names', async () => {
    const proof = path.join(root, 'ran')
    const script = path.join(root, 'foreign.cjs')
    writeFileSync(script, `require('node:fs').writeFileSync(${JSON.stringify(proof)}, '')`)
    const { code } = await run(['version'], { NODE_OPTIONS: `--require=${script}` })
    expect(code).toBe(0)
    expect(existsSync(proof)).toBe(false)
  })

  test.each([
    'natives/node_modules/better-sqlite3/prebuilds/linux-x64.node',
    'natives/node_modules/better-sqlite3/lib/database.js',
  ])('refuses to start with a changed bit in %s, in a sentence', async (file) => {
    damage(file)
    const { code, output, errors } = await run(['serve'])
    expect(code).toBe(1)
    expect(output).toBe('')
    expect(errors).toBe(
      `${path.join(folder, file)} is not the file that belongs to this version. Install Talekeeper again.\n`,
    )
  })

  test('refuses to start with a file of another size, whatever it is for', async () => {
    appendFileSync(path.join(folder, 'natives/node_modules/sharp/dist/index.cjs'), '\n')
    const { code, errors } = await run(['serve'])
    expect(errors).toMatch(/^\S.*index\.cjs is not the file that belongs to this version\..*\n$/)
    expect(code).toBe(1)
  })

  test('names a missing file and where to look for it', async () => {
    rmSync(path.join(folder, 'natives/node_modules/argon2/argon2.cjs'))
    const { code, errors } = await run(['serve'])
    expect(errors).toMatch(/argon2\.cjs is missing\. .*quarantine/)
    expect(code).toBe(1)
  })

  test('says its version and its commands although a file is damaged', async () => {
    damage('natives/node_modules/better-sqlite3/prebuilds/linux-x64.node')
    expect(await run(['version'])).toMatchObject({ code: 0, errors: '' })
    expect(await run(['help'])).toMatchObject({ code: 0, output: expect.stringContaining('doctor') })
  })

  test('names in its doctor each part that is damaged, and no other', async () => {
    damage('natives/node_modules/argon2/prebuilds/linux-x64/argon2.glibc.node')
    expect(await brokenParts()).toEqual(['files of argon2', 'argon2'])
    damage(globSync('natives/**/libvips*.so*', { cwd: folder })[0] as string)
    expect(await brokenParts()).toEqual(['files of argon2', 'files of sharp', 'argon2', 'sharp'])
  })

  test('serves without its tray helper, and its doctor says so', async () => {
    damage('traybin/tray_linux_release')
    expect((await fetch(`${await serve()}/readyz`)).status).toBe(200)
    expect(await brokenParts()).toEqual(['tray helper'])
  })

  test('takes no foreign binary that the environment names', async () => {
    // What argon2 loads by can be told by a variable to load another file.
    const foreign = path.join(root, 'foreign')
    mkdirSync(path.join(foreign, 'build', 'Release'), { recursive: true })
    writeFileSync(path.join(foreign, 'build', 'Release', 'argon2.node'), 'no binary')
    const { code, output } = await run(['doctor', '--json'], { ARGON2_PREBUILD: foreign })
    expect(JSON.parse(output).checks.find(({ name }: { name: string }) => name === 'argon2').verdict).toBe('ok')
    expect(code).toBe(0)
  })
})
