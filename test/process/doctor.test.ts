import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Server } from 'node:net'
import path from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { builtProgram } from '../support/built-program.ts'
import { type Folders, makeFolders, type ServerProcess, setUp, startServerProcess } from './server-process.ts'

const projectRoot = path.resolve(import.meta.dirname, '..', '..')

let folders: Folders
let server: ServerProcess | undefined
let otherProgram: Server | undefined

beforeEach(() => {
  folders = makeFolders()
})
afterEach(async () => {
  await server?.terminate()
  server = undefined
  otherProgram?.close()
  otherProgram = undefined
  folders.remove()
})

interface Ran {
  readonly code: number
  readonly output: string
  readonly errors: string
}

/** Runs the program with a data folder of its own. */
function run(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ran> {
  const { PATH, SystemRoot } = process.env
  const own = { DATA_DIR: folders.dataDir, TMPDIR: folders.tempDir, PORT: '0' }
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [path.join(projectRoot, builtProgram()), ...args],
      { env: { ...(PATH ? { PATH } : {}), ...(SystemRoot ? { SystemRoot } : {}), ...own, ...env } },
      (error, output, errors) => resolve({ code: error === null ? 0 : Number(error.code), output, errors }),
    )
  })
}

interface Examined {
  readonly code: number
  readonly ok: boolean
  readonly checks: Readonly<Record<string, { readonly verdict: string; readonly message: string }>>
}

async function examine(env: Readonly<Record<string, string>> = {}): Promise<Examined> {
  const { code, output, errors } = await run(['doctor', '--json'], env)
  expect(errors).toBe('')
  const { ok, checks } = JSON.parse(output)
  return { code, ok, checks: Object.fromEntries(checks.map(({ name, ...rest }: { name: string }) => [name, rest])) }
}

function broken({ checks }: Examined): readonly string[] {
  return Object.entries(checks).flatMap(([name, { verdict }]) => (verdict === 'broken' ? [name] : []))
}

/** A database as the program makes it, with somebody in it, and nobody using it. */
async function usedInstallation(): Promise<string> {
  server = await startServerProcess(folders)
  await setUp(server.address)
  await server.terminate()
  server = undefined
  return path.join(folders.dataDir, 'talekeeper.db')
}

describe('doctor', () => {
  test('finds nothing broken before the first start, and leaves nothing behind', async () => {
    mkdirSync(folders.dataDir)
    const { code, output } = await run(['doctor'])
    expect(output).toMatch(/^ok +sqlite +SQLite 3\.\d+/m)
    expect(output).toMatch(/^ok +argon2 /m)
    expect(output).toMatch(/^ok +sharp /m)
    expect(output).toMatch(/^skipped +database /m)
    expect(output.trimEnd()).toMatch(/\nNothing is broken\.$/)
    expect(code).toBe(0)
    expect(readdirSync(folders.dataDir)).toEqual([])
    expect(readdirSync(folders.tempDir)).toEqual([])
  })

  test('does not make the data folder', async () => {
    expect((await examine()).checks['data folder']).toMatchObject({ verdict: 'ok' })
    expect(readdirSync(folders.root)).not.toContain('data')
  })

  test('opens the database of a stopped server and changes nothing', async () => {
    await usedInstallation()
    const before = readdirSync(folders.dataDir)
    const examined = await examine()
    expect(examined.checks.database).toMatchObject({ verdict: 'ok', message: expect.stringMatching(/has schema \d+/) })
    expect(examined).toMatchObject({ ok: true, code: 0 })
    expect(readdirSync(folders.dataDir)).toEqual(before)
  })

  test('asks a running server, and does not disturb it', async () => {
    server = await startServerProcess(folders)
    const examined = await examine({ PORT: new URL(server.address).port })
    expect(examined.checks.database).toMatchObject({ verdict: 'ok', message: expect.stringContaining('running') })
    expect(examined.checks.port?.message).toContain(server.address)
    expect(examined.code).toBe(0)
    expect((await fetch(`${server.address}/readyz`)).status).toBe(200)
  })

  test('names a damaged database, and leaves it as it is', async () => {
    const file = await usedInstallation()
    writeFileSync(file, 'this is no database, and it was one yesterday '.repeat(200))
    const examined = await examine()
    expect(broken(examined)).toEqual(['database'])
    expect(examined.checks.database?.message).toContain('Restore a backup')
    expect(examined).toMatchObject({ ok: false, code: 1 })
    expect(readFileSync(file, 'utf8')).toMatch(/^this is no database/)
  })

  test('names a database of a newer version', async () => {
    const database = new Database(await usedInstallation())
    database.exec(`INSERT INTO migrations SELECT max(number) + 1, 'tomorrow', 'x', applied_at FROM migrations`)
    database.close()
    const examined = await examine()
    expect(broken(examined)).toEqual(['database'])
    expect(examined.checks.database?.message).toContain('newer version of Talekeeper')
  })

  test('names a data folder that is no folder', async () => {
    writeFileSync(folders.dataDir, '')
    const examined = await examine()
    expect(broken(examined)).toContain('data folder')
    expect(examined.checks['data folder']?.message).toContain('is a file')
    expect(examined.code).toBe(1)
  })

  // Nobody makes files there, not even root.
  test.skipIf(process.platform !== 'linux')('names a folder in which nothing can be written', async () => {
    const examined = await examine({ DATA_DIR: '/sys', BACKUP_DIR: folders.tempDir })
    expect(broken(examined)).toEqual(['data folder'])
    expect(examined.checks['data folder']?.message).toMatch(/^Nothing can be written in \/sys/)
  })

  test('names a backup folder that cannot be one', async () => {
    const file = path.join(folders.root, 'usb stick')
    writeFileSync(file, '')
    expect(broken(await examine({ BACKUP_DIR: path.join(file, 'backups') }))).toEqual(['backup folder'])
  })

  test('names a setting that cannot be used, and examines the rest', async () => {
    const examined = await examine({ PORT: 'eighty' })
    expect(broken(examined)).toEqual(['settings'])
    expect(examined.checks.settings?.message).toContain('PORT')
    expect(examined.checks.sqlite?.verdict).toBe('ok')
  })

  test('tells of a port that another program has', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    otherProgram = other
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    const fixed = await examine({ PORT: String(port) })
    expect(broken(fixed)).toEqual(['port'])
    expect(fixed.checks.port?.message).toContain(String(port))

    // A port that nobody insists on is only where the search begins.
    mkdirSync(folders.dataDir, { recursive: true })
    writeFileSync(path.join(folders.dataDir, 'settings.json'), JSON.stringify({ port }))
    const chosen = await examine({ PORT: '' })
    expect(chosen).toMatchObject({ ok: true, code: 0, checks: { port: { verdict: 'warning' } } })
  })

  test('tells of a host that is not this machine', async () => {
    expect(broken(await examine({ HOST: '192.0.2.1', PORT: '8020' }))).toEqual(['port'])
  })

  test('warns when backups would be left out', async () => {
    const examined = await examine({ BACKUP_MIN_FREE_BYTES: '900000000000000' })
    expect(examined).toMatchObject({ ok: true, checks: { disk: { verdict: 'warning' } } })
  })

  test('refuses words that it does not know', async () => {
    expect(await run(['doctor', '--xml'])).toMatchObject({ code: 2, errors: expect.stringContaining('--xml') })
  })
})

describe('stop', () => {
  test('ends a running server in good order', async () => {
    server = await startServerProcess(folders)
    await setUp(server.address)
    const { code, output } = await run(['stop'])
    expect(output).toBe('Talekeeper has stopped.\n')
    expect(code).toBe(0)
    expect(await server.ended).toEqual({ code: 0, signal: null })
    expect(readdirSync(folders.dataDir)).not.toContain('talekeeper.db-wal')
  })

  test('is content where nothing runs', async () => {
    mkdirSync(folders.dataDir)
    expect(await run(['stop'])).toMatchObject({ code: 0, output: 'Talekeeper is not running.\n' })
    expect(readdirSync(folders.dataDir)).not.toContain('talekeeper.db')
    rmSync(folders.dataDir, { recursive: true })
    expect(await run(['stop'])).toMatchObject({ code: 0, output: 'Talekeeper is not running.\n' })
    expect(readdirSync(folders.root)).not.toContain('data')
  })

  test('needs the token of the data folder', async () => {
    server = await startServerProcess(folders)
    const answer = await fetch(`${server.address}/api/v1/instance/stop`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token: 'x'.repeat(43) }),
    })
    expect(answer.status).toBe(403)
    expect((await fetch(`${server.address}/healthz`)).status).toBe(200)
  })
})

test.each(['--version', '-v', 'version'])('%s prints the version', async (word) => {
  const { version } = JSON.parse(readFileSync(path.join(projectRoot, 'package.json'), 'utf8'))
  expect(await run([word])).toEqual({ code: 0, output: `${version}\n`, errors: '' })
})

test.each(['--help', '-h', 'help'])('%s names the commands', async (word) => {
  const { code, output } = await run([word])
  expect(output).toContain('doctor [--json]')
  expect(code).toBe(0)
})
