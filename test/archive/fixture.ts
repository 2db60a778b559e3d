import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { onTestFinished } from 'vitest'
import { sealKeyfile } from '../../src/archive/envelope.ts'
import { archiveLimits } from '../../src/archive/format.ts'
import { writeArchive } from '../../src/archive/write.ts'
import { createFiles } from '../../src/storage/files.ts'
import {
  fillInstall,
  type InstallContent,
  migrations,
  passphrase,
  type ServerOptions,
  startServer,
  startTime,
} from './install.ts'

/** Restores force hundreds of files onto the disk; in memory, where there is such a folder, that costs nothing. */
const memory = '/dev/shm'
const base = existsSync(memory) ? memory : tmpdir()

/** A temporary folder that goes when the test ends. */
export function makeFolder(): string {
  const folder = mkdtempSync(path.join(base, 'archive-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** A folder with an installation, and a server on it that stops when the test ends. */
export function serverWith(content: InstallContent, options: ServerOptions = {}, root = makeFolder()) {
  const dataDir = path.join(root, 'data')
  mkdirSync(dataDir, { recursive: true })
  fillInstall(dataDir, content)
  const server = startServer(dataDir, options)
  onTestFinished(() => server.stop())
  return server
}

/** An archive whose envelope opens fast: the same format, at the least cost that is accepted. */
export async function archiveWithCheapKey(content: InstallContent): Promise<string> {
  const root = makeFolder()
  const dataDir = path.join(root, 'data')
  fillInstall(dataDir, content)
  const files = createFiles()
  const stagingDir = path.join(root, 'staging')
  mkdirSync(stagingDir)
  const createdAt = startTime.toISOString()
  const cost = { memoryKiB: 8192, passes: 1, parallelism: 1 }
  const target = path.join(root, 'backup.zip')
  const payload = {
    databasePath: path.join(dataDir, 'talekeeper.db'),
    uploadsDir: path.join(dataDir, 'uploads'),
    stagingDir,
    target,
    createdAt,
    appVersion: '0.1.0',
    envelope: await sealKeyfile(content.key ?? Buffer.alloc(32), passphrase, createdAt, cost),
    limits: archiveLimits,
  }
  await writeArchive(payload, { signal: new AbortController().signal, progress() {} }, files)
  return target
}

/** An archive of an installation with this content. */
export async function archiveOf(content: InstallContent, keyPassphrase?: string): Promise<string> {
  const root = makeFolder()
  const server = serverWith(content, { known: migrations.slice(0, content.schema ?? migrations.length) }, root)
  const destination = path.join(root, 'backup.zip')
  await server.archive.create({ destination, ...(keyPassphrase ? { passphrase: keyPassphrase } : {}) })
  server.stop()
  return destination
}
