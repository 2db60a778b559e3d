import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import sharp from 'sharp'
import { vi } from 'vitest'
import type { BackupStatus } from '../../src/archive/status.ts'
import type { StoredBackup } from '../../src/archive/stored-backups.ts'
import { createFiles, type Files } from '../../src/storage/files.ts'
import { type Answer, type Caller, callerOn } from '../support/callers.ts'
import { startServer, type TestServer, type TestServerOptions } from '../support/server.ts'
import type { TestWorld } from '../support/world.ts'
import { startWorld } from '../support/world-file.ts'
import { type GoodParts, readParts } from './corpus-parts.ts'
import { bytesUnder } from './unchanged.ts'

// What the tests of the specification's rows share: a whole server whose settings come from environment variables alone,
// as its administrator meets it over REST.

/** Restores force hundreds of files onto the disk; in memory, where there is such a folder, that costs nothing. */
const memory = '/dev/shm'

export interface SpecServer {
  readonly server: TestServer
  readonly world: TestWorld
  readonly root: string
  readonly dataDir: string
  readonly tempDir: string
  /** By tokens, which are in the archive and outlive a restore of it. */
  readonly admin: Caller
  readonly dm: Caller
  /** Uploads an archive to be inspected or restored; the administrator says RESTORE where nothing else is given. */
  send(
    what: 'inspect' | 'restore',
    archive: Buffer,
    fields?: Readonly<Record<string, string>>,
    caller?: Caller,
  ): Promise<Answer>
  /** A backup as `GET /api/v1/backup` gives it. */
  download(): Promise<Buffer>
  /** Makes a scheduled backup at once. */
  run(): Promise<Answer>
  status(): Promise<BackupStatus['backup']>
  /** The backups in the backup folder, newest first. */
  kept(): Promise<readonly StoredBackup[]>
  /** What a user finds on this server, and what lies on its disk. */
  content(): Promise<unknown>
  /** The same installation with other settings: this server stops. */
  restart(options?: TestServerOptions): Promise<SpecServer>
  stop(): Promise<void>
}

/** A server with a sample table in a folder of its own, which is its temporary folder too. */
export async function specServer(options: TestServerOptions = {}): Promise<SpecServer> {
  const root = mkdtempSync(path.join(existsSync(memory) ? memory : tmpdir(), 'archive-spec-'))
  const tempDir = path.join(root, 'tmp')
  mkdirSync(tempDir)
  // The one setting that Node reads by itself.
  for (const name of ['TMPDIR', 'TEMP', 'TMP']) vi.stubEnv(name, tempDir)
  const world = await startWorld({ ...options, dataDir: path.join(root, 'data') })
  // Beside the one image that the sample table has.
  for (const background of ['#204060', '#604020', '#206040']) {
    const image = sharp({ create: { width: 30, height: 20, channels: 3, background } })
    const contentBase64 = (await image.png().toBuffer()).toString('base64')
    await world.as('dm', 'create_attachment', { campaignId: world.id('campaign'), fileName: 'a.png', contentBase64 })
  }
  const bearers = {
    admin: world.token('admin', { admin: true }).headers,
    dm: world.token('dm').headers,
  }
  return onServer(world.server, { root, tempDir, world, bearers })
}

interface Installation {
  readonly root: string
  readonly tempDir: string
  readonly world: TestWorld
  readonly bearers: Readonly<Record<'admin' | 'dm', Readonly<Record<string, string>>>>
}

function onServer(server: TestServer, installation: Installation): SpecServer {
  const { root, tempDir, world, bearers } = installation
  const { dataDir } = server
  const admin = callerOn(server, 'admin', world.userId.admin, bearers.admin)
  const dm = callerOn(server, 'dm', world.userId.dm, bearers.dm)
  return {
    ...{ server, world, root, dataDir, tempDir, admin, dm },
    async send(what, archive, fields = what === 'restore' ? { confirm: 'RESTORE' } : {}, caller = admin) {
      const { body, headers } = await formOf(archive, fields)
      return caller.request('POST', `/api/v1/backup/${what}`, body, headers)
    },
    async download() {
      const { rawPayload } = await server.app.server.inject({ url: '/api/v1/backup', headers: admin.headers })
      return rawPayload
    },
    run: () => admin.post('/api/v1/backup/run'),
    status: async () => (await admin.get('/api/v1/backup/status')).body.backup,
    kept: async () => (await admin.get('/api/v1/backup/archives')).body.items,
    async content() {
      const campaign = `/api/v1/campaigns/${world.id('campaign')}`
      // A download that has ended removes what it staged a moment later.
      await vi.waitUntil(() => readdirSync(tempDir).length === 0, { timeout: 60_000 }).catch(() => {})
      const shown = ['', '/npcs', '/quests', '/notes', '/attachments'].map((what) => dm.get(`${campaign}${what}`))
      return {
        shown: (await Promise.all(shown)).map(({ text }) => text),
        uploads: bytesUnder(path.join(dataDir, 'uploads')),
        data: readdirSync(dataDir).filter((name) => !/-(wal|shm)$/.test(name)),
        temporary: readdirSync(tempDir),
      }
    },
    async restart(options = {}) {
      await server.stop()
      return onServer(await startServer({ ...options, dataDir }), installation)
    },
    async stop() {
      await server.stop()
      vi.unstubAllEnvs()
      rmSync(root, { recursive: true, force: true })
    },
  }
}

async function formOf(archive: Buffer, fields: Readonly<Record<string, string>>) {
  const form = new FormData()
  form.append('file', new Blob([Uint8Array.from(archive)]), 'backup.zip')
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  const encoded = new Response(form)
  return {
    body: Buffer.from(await encoded.arrayBuffer()),
    headers: { 'content-type': encoded.headers.get('content-type') as string },
  }
}

/** Takes an archive apart, so that it can be put together wrongly. */
export async function partsOf(archive: Buffer, folder: string): Promise<GoodParts> {
  const file = path.join(folder, 'good.zip')
  writeFileSync(file, archive)
  const parts = await readParts(file)
  rmSync(file)
  return parts
}

export interface Pause {
  /** Resolves when the work stands still there. */
  readonly reached: Promise<void>
  go(): void
}

/** The real files, with a way to let the work that uses them stand still before it does something. */
export function pausableFiles(real: Files = createFiles()) {
  let next: (Pause & { readonly at: RegExp; readonly went: Promise<void>; arrive(): void }) | undefined
  const pass = async (deed: string): Promise<void> => {
    if (next === undefined || !next.at.test(deed)) return
    const { arrive, went } = next
    next = undefined
    arrive()
    await went
  }
  const files: Files = {
    ...real,
    async makeDir(folder) {
      await pass(`makeDir ${folder}`)
      return real.makeDir(folder)
    },
    async sync(file) {
      await pass(`sync ${file}`)
      return real.sync(file)
    },
    async rename(from, to) {
      await pass(`rename ${from} ${to}`)
      return real.rename(from, to)
    },
  }
  return {
    files,
    /** `makeDir <folder>`, `sync <file>` or `rename <from> <to>`, the first that fits from now on. */
    pauseAt(at: RegExp): Pause {
      const reached = Promise.withResolvers<void>()
      const went = Promise.withResolvers<void>()
      next = { at, reached: reached.promise, arrive: reached.resolve, went: went.promise, go: went.resolve }
      return next
    },
  }
}

/** The titles of the tests in a file of this folder. */
export function titlesIn(name: string): readonly string[] {
  const source = readFileSync(path.join(import.meta.dirname, name), 'utf8')
  return Array.from(source.matchAll(/^\s*test\(\s*'((?:[^'\\]|\\.)*)'/gm), ([, title]) => title as string)
}

/** The names of the environment variables that the configuration reads. */
export function environmentNames(): readonly string[] {
  const source = readFileSync(path.join(import.meta.dirname, '..', '..', 'src', 'config.ts'), 'utf8')
  return Array.from(source.matchAll(/^ {2}([A-Z][A-Z_]+): /gm), ([, name]) => name as string)
}
