import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { onTestFinished } from 'vitest'
import { fillInstall, type InstallContent, migrations, type ServerOptions, startServer } from './install.ts'

/** A temporary folder that goes when the test ends. */
export function makeFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'archive-test-'))
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

/** An archive of an installation with this content. */
export async function archiveOf(content: InstallContent, passphrase?: string): Promise<string> {
  const root = makeFolder()
  const server = serverWith(content, { known: migrations.slice(0, content.schema ?? migrations.length) }, root)
  const destination = path.join(root, 'backup.zip')
  await server.archive.create({ destination, ...(passphrase ? { passphrase } : {}) })
  server.stop()
  return destination
}
