import path from 'node:path'
import open from 'open'
import manifest from '../package.json' with { type: 'json' }
import { type App, createApp } from './app.ts'
import { installDir } from './assets.ts'
import { type Config, ConfigError, readConfig } from './config.ts'
import { Failure } from './kernel/errors.ts'
import { verifyNatives } from './natives.ts'

const usage = `talekeeper [command]

  (none)     start, and open the web app in the browser
  serve      start without opening anything
  paths      say where the data, the uploads and the backups are
  version    print the version
  help       print this`

const commands: Readonly<Record<string, () => Promise<void> | void>> = {
  desktop: () => start({ opensBrowser: true }),
  serve: () => start({ opensBrowser: false }),
  paths: () => printPaths(readConfig()),
  version: () => say(manifest.version),
  '--version': () => say(manifest.version),
  help: () => say(usage),
  '--help': () => say(usage),
}

function main(): void {
  const [name = 'desktop', ...rest] = process.argv.slice(2)
  const command = commands[name]
  if (command === undefined || rest.length > 0) {
    leave(`There is no command "${[name, ...rest].join(' ')}".\n\n${usage}`, 2)
    return
  }
  Promise.resolve()
    .then(command)
    .catch((error: unknown) => leave(explain(error), 1))
}

async function start({ opensBrowser }: { readonly opensBrowser: boolean }): Promise<void> {
  verifyNatives()
  const config = readConfig()
  const app = await createApp({ config, version: manifest.version, onLost: () => process.exit(1) })
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void stop(app))
  // A failure that nobody waits for is logged; the table's evening goes on.
  process.on('unhandledRejection', (error) => app.server.log.error({ err: error }, 'unhandled rejection'))
  const address = await app.listen()
  const reachable = address.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:')
  const code = app.setUpCode()
  const page = code === null ? `${reachable}/` : `${reachable}/setup#${code}`
  say(
    code === null
      ? `Talekeeper is at ${page}`
      : `Talekeeper is ready to be set up. Open this once, within 30 minutes:\n  ${page}`,
  )
  say(`Its data is in ${config.dataDir}`)
  if (opensBrowser && config.hasScreen)
    await open(page).catch(() => say('No browser could be opened; open the address above.'))
}

let stopping = false

async function stop(app: App): Promise<void> {
  if (stopping) return
  stopping = true
  // Whatever hangs must not keep the machine from shutting down; nothing that was acknowledged is in memory only.
  setTimeout(() => process.exit(1), 5000).unref()
  await app.stop()
  process.exit(0)
}

function printPaths({ dataDir, backup, tempDir }: Config): void {
  say(`data      ${dataDir}`)
  say(`database  ${path.join(dataDir, 'talekeeper.db')}`)
  say(`uploads   ${path.join(dataDir, 'uploads')}`)
  say(`backups   ${backup.dir}`)
  say(`staging   ${tempDir}`)
  say(`program   ${installDir()}`)
}

function explain(error: unknown): string {
  if (error instanceof ConfigError || error instanceof Failure) return error.message
  const { code, port } = error as NodeJS.ErrnoException & { readonly port?: number }
  if (code?.startsWith('SQLITE_BUSY'))
    return 'The database of this data folder is used by another program. Close that one, then start Talekeeper again.'
  if (code === 'SQLITE_NOTADB' || code?.startsWith('SQLITE_CORRUPT'))
    return 'The database of this data folder is damaged. Put a backup in its place, or start with another DATA_DIR.'
  if (code === 'EADDRINUSE')
    return `Port ${port ?? ''} is used by another program. Set PORT to another number, or stop that program.`
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

function leave(message: string, code: number): void {
  process.stderr.write(`${message}\n`)
  process.exitCode = code
}

main()
