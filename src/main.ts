import { existsSync, mkdirSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import open from 'open'
import manifest from '../package.json' with { type: 'json' }
import { type App, createApp } from './app.ts'
import { installDir } from './assets.ts'
import { type Config, ConfigError, readConfig } from './config.ts'
import { type ArchiveCommand, askInstance, runArchiveCommand } from './desktop/commands.ts'
import { examinationText, examine } from './desktop/doctor.ts'
import { claimDataDir, type Instance } from './desktop/instance.ts'
import { stopRunning } from './desktop/stop.ts'
import { reachable } from './http/listen.ts'
import { Failure } from './kernel/errors.ts'
import { DamagedInstallation, nativeGroups, trayHelperFile, verifyNative, verifyNatives } from './natives.ts'
import { examineDatabase, selfTests } from './self-test.ts'

const usage = `talekeeper [command]

  (none)                            start, and open the web app in the browser
  --hidden                          start without opening the web app, as at login
  serve                             start without opening anything
  stop                              end the program that runs with the same data folder
  backup [--to FILE]                make a backup file
  inspect FILE                      say what is in a backup file; changes nothing
  restore FILE --confirm RESTORE    replace everything with a backup file
  paths                             say where the data, the uploads and the backups are
  doctor [--json]                   look at everything Talekeeper needs, and name what is broken; exit code 1 then
  version, --version, -v            print the version
  help, --help, -h                  print this

backup, inspect and restore work beside a running server and without one. A backup takes the AI key file along, and a
restore opens it, with the passphrase in BACKUP_KEY_PASSPHRASE.`

/** A command line that makes no sense: explained together with the usage, exit 2. */
class UsageError extends Error {}

const commands: Readonly<Record<string, (args: readonly string[]) => Promise<void> | void>> = {
  desktop: () => start({ opensBrowser: true }),
  '--hidden': () => start({ opensBrowser: false }),
  serve: () => start({ opensBrowser: false }),
  stop: () => stopOther(readConfig()),
  backup: (args) =>
    archiveCommand(args, 0, ({ to }, _, { backup }) => ({
      command: 'backup',
      file: path.resolve(to ?? defaultName()),
      ...keyed(backup.keyPassphrase),
    })),
  inspect: (args) => archiveCommand(args, 1, (_, [file]) => ({ command: 'inspect', file: path.resolve(file ?? '') })),
  restore: (args) =>
    archiveCommand(args, 1, ({ confirm }, [file], { backup }) => ({
      command: 'restore',
      file: path.resolve(file ?? ''),
      confirm: confirm ?? '',
      ...keyed(backup.keyPassphrase),
    })),
  paths: () => printPaths(readConfig()),
  doctor: (args) => doctor(args),
  version: () => say(manifest.version),
  '--version': () => say(manifest.version),
  '-v': () => say(manifest.version),
  help: () => say(usage),
  '--help': () => say(usage),
  '-h': () => say(usage),
}

function main(): void {
  const [name = 'desktop', ...rest] = process.argv.slice(2)
  Promise.resolve()
    .then(() => {
      const command = commands[name]
      if (command === undefined) throw new UsageError(`There is no command "${name}".`)
      return command(rest)
    })
    .catch((error: unknown) => {
      process.stderr.write(`${explain(error)}\n`)
      process.exitCode = error instanceof UsageError ? 2 : 1
    })
}

async function start({ opensBrowser }: { readonly opensBrowser: boolean }): Promise<void> {
  verifyNatives()
  const config = readConfig()
  const claim = await claimFolder(config)
  if (claim.kind === 'running') {
    say(`Talekeeper is running already, at ${claim.running.address}/`)
    if (opensBrowser) await openBrowser(`${claim.running.address}/`, config)
    return
  }
  const { instance } = claim
  const app = await createApp({
    config,
    version: manifest.version,
    instance,
    onLost: () => process.exit(1),
    onStop: () => void stop(app, instance),
  }).catch((error: unknown) => {
    instance.release()
    throw error
  })
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void stop(app, instance))
  // A failure that nobody waits for is logged; the table's evening goes on.
  process.on('unhandledRejection', (error) => app.server.log.error({ err: error }, 'unhandled rejection'))
  const address = reachable(
    await app.listen().catch(async (error: unknown) => {
      await app.stop()
      instance.release()
      throw error
    }),
  )
  const code = app.setUpCode()
  const page = code === null ? `${address}/` : `${address}/setup#${code}`
  say(
    code === null
      ? `Talekeeper is at ${page}`
      : `Talekeeper is ready to be set up. Open this once, within 30 minutes:\n  ${page}`,
  )
  if (isPlainHttpOnNetwork(config)) say(plainHttpNotice)
  say(`Its data is in ${config.dataDir}`)
  if (opensBrowser) await openBrowser(page, config)
}

function claimFolder({ dataDir }: Config): ReturnType<typeof claimDataDir> {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  return claimDataDir(dataDir)
}

async function openBrowser(address: string, { hasScreen }: Config): Promise<void> {
  if (hasScreen) await open(address).catch(() => say('No browser could be opened; open the address above.'))
}

let stopping = false

async function stop(app: App, instance: Instance): Promise<void> {
  if (stopping) return
  stopping = true
  // Whatever hangs must not keep the machine from shutting down; nothing that was acknowledged is in memory only.
  setTimeout(() => process.exit(1), 5000).unref()
  await app.stop()
  instance.release()
  process.exit(0)
}

/** Ends the program that has the data folder, and waits for that. */
async function stopOther(config: Config): Promise<void> {
  const claim = existsSync(config.dataDir) ? await claimFolder(config) : null
  if (claim?.kind === 'running') await stopRunning(claim.running)
  if (claim?.kind === 'mine') claim.instance.release()
  say(claim?.kind === 'running' ? 'Talekeeper has stopped.' : 'Talekeeper is not running.')
}

async function doctor(args: readonly string[]): Promise<void> {
  const unknown = args.find((arg) => arg !== '--json')
  if (unknown !== undefined) throw new UsageError(`doctor does not know "${unknown}".`)
  const examination = await examine({
    version: manifest.version,
    platform: process.platform,
    arch: process.arch,
    readSettings: readConfig,
    files: { groups: nativeGroups(), verify: verifyNative, trayHelper: trayHelperFile() },
    tries: selfTests,
    examineDatabase,
  })
  say(args.length > 0 ? JSON.stringify(examination, null, 2) : examinationText(examination))
  if (!examination.ok) process.exitCode = 1
}

interface Options {
  readonly to?: string
  readonly confirm?: string
}

/** Runs an archive command where the data folder is: in the running program, else in this one. */
async function archiveCommand(
  args: readonly string[],
  files: number,
  commandOf: (options: Options, files: readonly string[], config: Config) => ArchiveCommand,
): Promise<void> {
  verifyNatives()
  const config = readConfig()
  const { values, positionals } = parsed(args)
  if (positionals.length !== files)
    throw new UsageError(files === 0 ? 'This command takes no file; use --to.' : 'Name one backup file.')
  const command = commandOf(values, positionals, config)
  const claim = await claimFolder(config)
  if (claim.kind === 'running') {
    say(JSON.stringify(await askInstance(claim.running, command), null, 2))
    return
  }
  const app = await createApp({ config: { ...config, logLevel: 'warn' }, version: manifest.version })
  try {
    say(JSON.stringify(await runArchiveCommand(app.archive, command), null, 2))
  } finally {
    await app.stop()
    claim.instance.release()
  }
}

function parsed(args: readonly string[]): { readonly values: Options; readonly positionals: readonly string[] } {
  try {
    return parseArgs({
      args: [...args],
      options: { to: { type: 'string' }, confirm: { type: 'string' } },
      allowPositionals: true,
    })
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}

function keyed(passphrase: string | null): { readonly passphrase?: string } {
  return passphrase === null ? {} : { passphrase }
}

function defaultName(): string {
  return `talekeeper-backup-${new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '')}.zip`
}

const plainHttpNotice = `On other devices this is plain http: the web app works there and a pasted key works, but AI clients that sign in by
themselves refuse it. For those set TLS_CERT_FILE and TLS_KEY_FILE, or BASE_URL to the https address of a proxy.`

function isPlainHttpOnNetwork({ host, tls, baseUrl }: Config): boolean {
  const loopback = host === 'localhost' || host === '::1' || host.startsWith('127.')
  return !loopback && tls === null && !baseUrl?.startsWith('https:')
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
  if (error instanceof UsageError) return `${error.message}\n\n${usage}`
  if (error instanceof ConfigError || error instanceof Failure || error instanceof DamagedInstallation) {
    return error.message
  }
  const { code, port } = error as NodeJS.ErrnoException & { readonly port?: number }
  if (code === 'EADDRINUSE')
    return `Port ${port ?? ''} is used by another program. Set PORT to another number, or stop that program.`
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

main()
