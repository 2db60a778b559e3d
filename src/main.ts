import { existsSync, mkdirSync } from 'node:fs'
import path from 'node:path'
import manifest from '../package.json' with { type: 'json' }
import { createApp } from './app.ts'
import type { App } from './app-options.ts'
import { installDir, isPackaged, listAssets, readAsset } from './assets.ts'
import { findAccount, giveAccess, listAccounts } from './cli/admin.ts'
import { backUp, inspect, restore } from './cli/archive.ts'
import {
  exportCommand,
  importCommand,
  progressTeller,
  runCampaignCommand,
  tellExport,
  tellImport,
} from './cli/campaign.ts'
import { type CommandLine, type CommandSpec, helpText, parseCommandLine } from './cli/command-line.ts'
import { computerOf, logFilesIn, showInTray } from './cli/desktop.ts'
import { exitCodeOf, explain } from './cli/explain.ts'
import { claimFolder, withStore } from './cli/folder.ts'
import { redacting } from './cli/log-files.ts'
import { connectAssistant } from './cli/mcp-stdio.ts'
import { createOutput, type Output } from './cli/output.ts'
import { ownCommand } from './cli/own-command.ts'
import { askPassword, generatePassword } from './cli/password.ts'
import { tellAccess, tellAccounts, tellBackup, tellInspection, tellRestore } from './cli/report.ts'
import { type Config, readConfig, variableNames, wantsStacks } from './config.ts'
import { examinationText, examine } from './desktop/doctor.ts'
import { claimDataDir, type Instance } from './desktop/instance.ts'
import { stopRunning } from './desktop/stop.ts'
import { systemActions } from './desktop/system-actions.ts'
import { reachable } from './http/listen.ts'
import { fail } from './kernel/errors.ts'
import { nativeGroups, trayHelperFile, verifyNative, verifyNatives } from './natives.ts'
import { examineDatabase, selfTests } from './self-test.ts'
import { createAlerts } from './server/alerts.ts'
import { settingsFileName } from './server/settings.ts'
import { releaseStartMemory } from './server/start-memory.ts'
import { tracesOfUse } from './storage/data-folder.ts'

interface Command extends CommandSpec {
  run(line: CommandLine): Promise<void> | void
}

const json = { json: 'flag' } as const

const commands: Readonly<Record<string, Command>> = {
  '': {
    usage: '[--hidden] [--no-open] [--no-tray]',
    about:
      'start with an icon in the tray, and open the web app in the browser; with --hidden, as at login, or --no-open without opening it',
    options: { hidden: 'flag', 'no-open': 'flag', 'no-tray': 'flag' },
    args: [],
    run: ({ options }) =>
      start({
        isDesktop: true,
        opensBrowser: !options.has('hidden') && !options.has('no-open'),
        showsTray: !options.has('no-tray'),
      }),
  },
  serve: {
    usage: '',
    about: 'start without a tray and a browser, and log to standard output',
    options: {},
    args: [],
    run: () => start({ isDesktop: false, opensBrowser: false, showsTray: false }),
  },
  stop: {
    usage: '',
    about: 'end the program that runs with the same data folder',
    options: {},
    args: [],
    run: () => stopOther(readConfig()),
  },
  backup: {
    usage: '[--to FILE] [--json]',
    about: 'make a backup file',
    options: { to: 'value', ...json },
    args: [],
    async run({ options }) {
      const made = await backUp(readConfig(), manifest.version, options.get('to'))
      answer(options, made, tellBackup(made))
    },
  },
  inspect: {
    usage: 'FILE [--json]',
    about: 'say what is in a backup file; changes nothing',
    options: json,
    args: ['FILE'],
    async run({ options, args: [file = ''] }) {
      const report = await inspect(readConfig(), manifest.version, file)
      answer(options, report, tellInspection(report))
    },
  },
  restore: {
    usage: 'FILE --confirm RESTORE [--admin NAME] [--json]',
    about: 'replace everything with a backup file; --admin says which of its accounts administers the server then',
    options: { confirm: 'value', admin: 'value', ...json },
    args: ['FILE'],
    async run({ options, args: [file = ''] }) {
      const given = { file, confirm: options.get('confirm'), admin: options.get('admin') }
      const outcome = await restore(readConfig(), manifest.version, given)
      answer(options, outcome, tellRestore(outcome))
    },
  },
  export: {
    usage: 'CAMPAIGN [--to FILE] [--for backup|handoff|publish] [--as zip|json|markdown] [--json]',
    about: 'write a campaign to a file, by its name or number',
    options: { to: 'value', for: 'value', as: 'value', ...json },
    args: ['CAMPAIGN'],
    async run({ options, args: [campaign = ''] }) {
      const made = await onCampaigns(exportCommand(campaign, options))
      answer(options, made as object, tellExport(made as never))
    },
  },
  import: {
    usage: 'FILE --owner NAME | --dry-run [--json]',
    about: 'bring a campaign in from a file, for that account; with --dry-run only say what would come in',
    options: { owner: 'value', 'dry-run': 'flag', ...json },
    args: ['FILE'],
    async run({ options, args: [file = ''] }) {
      const made = await onCampaigns(importCommand(file, options))
      answer(options, made as object, tellImport(made as never))
    },
  },
  admin: {
    usage: '[NAME] [--generate | --keep-password] [--json]',
    about: 'list the accounts; with NAME: let that one sign in again, as administrator and with a new password',
    options: { generate: 'flag', 'keep-password': 'flag', ...json },
    args: ['NAME?'],
    run: admin,
  },
  'mcp-stdio': {
    usage: '',
    about: 'for AI clients that start a program: connects them with the server that runs; starts none',
    options: {},
    args: [],
    run: mcpStdio,
  },
  paths: {
    usage: '[--json]',
    about: 'say where everything lies: data, uploads, backups, settings',
    options: json,
    args: [],
    run({ options }) {
      const paths = placesOf(readConfig())
      answer(
        options,
        paths,
        Object.entries(paths)
          .map(([name, place]) => `${name.padEnd(10)}${place}`)
          .join('\n'),
      )
    },
  },
  doctor: {
    usage: '[--json]',
    about: 'look at everything Talekeeper needs, and name what is broken; exit code 1 then',
    options: json,
    args: [],
    run: doctor,
  },
  version: { usage: '', about: 'print the version', options: {}, args: [], run: () => say(manifest.version) },
  help: {
    usage: '[COMMAND]',
    about: 'print this, or what one command is for; --help after a command does the same',
    options: {},
    args: ['COMMAND?'],
    run: ({ args: [name] }) =>
      say(name === undefined ? `${helpText(commands, undefined)}\n\n${notes}` : helpText(commands, name)),
  },
}

/** In the server that has the data folder, else in one that listens nowhere. */
function onCampaigns(command: { readonly command: string }): Promise<unknown> {
  const config = readConfig()
  const progress = progressTeller(process.stderr)
  const begin = async (instance: Instance) => {
    const app = await createApp({ config, version: manifest.version, instance, logStream: { write() {} } })
    return { run: (given: object) => app.campaigns.run(app.campaigns.command.parse(given)), stop: () => app.stop() }
  }
  return runCampaignCommand(config, command, begin, progress.tell).finally(progress.end)
}

const notes = `backup, inspect, restore, export and import work beside a running server and without one, admin without one. A backup takes the AI key
file along, and a restore opens it, with the passphrase in BACKUP_KEY_PASSPHRASE.`

/** What needs nothing that could be missing. */
const tellsOnly = new Set(['stop', 'mcp-stdio', 'paths', 'doctor', 'version', 'help'])

function main(): void {
  // What this program makes is its account's own, whatever the account's habits are.
  process.umask(0o077)
  Promise.resolve()
    .then(() => {
      const line = parseCommandLine(process.argv.slice(2), commands, variableNames)
      if (!tellsOnly.has(line.command)) verifyNatives()
      return commands[line.command]?.run(line)
    })
    .catch((error: unknown) => {
      process.stderr.on('error', () => {})
      process.stderr.write(`${explain(error)}\n`)
      if (wantsStacks() && error instanceof Error) process.stderr.write(`${error.stack}\n`)
      process.exitCode = exitCodeOf(error)
      // Whatever still waits for something: there is nothing more to be done.
      setTimeout(() => process.exit(), 2000).unref()
    })
}

interface StartOptions {
  /** Started by a person at this machine, who sees no terminal. */
  readonly isDesktop: boolean
  readonly opensBrowser: boolean
  readonly showsTray: boolean
}

async function start({ isDesktop, opensBrowser, showsTray }: StartOptions): Promise<void> {
  const config = readConfig()
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 })
  const claim = await claimDataDir(config.dataDir, { work: 'serve' })
  if (claim.kind === 'running') {
    say(`Talekeeper is running already, at ${claim.running.address}/`)
    if (opensBrowser) await openBrowser(`${claim.running.address}/`, config, say)
    return
  }
  const { instance } = claim
  const alerts = createAlerts(() => new Date())
  const onLoss = (reason: string): void => alerts.raise('log', `A line of the log could not be written: ${reason}.`)
  const output = createOutput(onLoss)
  const logFiles = isDesktop ? logFilesIn(config, onLoss) : null
  const computer = isDesktop ? computerOf(config, logFiles) : null
  // What any part of the program prints; nobody has to be there to read it.
  process.stderr.on('error', () => {})
  const tell = (line: string): void => output.write(`${line}\n`)
  const command = (...args: readonly string[]): string => ownCommand(ownFacts(config), args)
  let stop: (() => Promise<void>) | undefined
  const app = await createApp({
    config,
    version: manifest.version,
    instance,
    alerts,
    command,
    ...(computer === null ? {} : { computer }),
    bridge: bridgeCommand(),
    starterPack: () => readAsset('web/packs/starter.json'),
    ...(listAssets('sample/').length === 0 ? {} : { samplePicture: (name: string) => readAsset(`sample/${name}`) }),
    logStream: redacting(logFiles ?? output),
    onLost: () => process.exit(1),
    onStop: () => void stop?.(),
  }).catch((error: unknown) => {
    instance.release()
    throw error
  })
  const address = reachable(
    await app.listen().catch(async (error: unknown) => {
      await app.stop()
      instance.release()
      throw error
    }),
  )
  const unexpected = (error: unknown): void => {
    alerts.raise('unexpected', 'Something unexpected went wrong beside the requests; the log says what.')
    app.server.log.error({ err: error }, 'unexpected failure')
  }
  // A failure that nobody waits for is logged; the table's evening goes on.
  process.on('unhandledRejection', unexpected)
  process.on('uncaughtException', unexpected)
  const desktop =
    computer && showsTray
      ? showInTray(config, {
          ...computer,
          version: manifest.version,
          log: app.server.log,
          address: () => address,
          home: () => firstPage(app, address),
          lanAddress: () => lanAddress(app, config),
          people: () => app.hub.people(),
          archive: app.archive,
          settings: app.settings,
          quit: () => void stop?.(),
        })
      : null
  stop = endOnSignals(app, instance, [output, ...(logFiles === null ? [] : [logFiles])], desktop)
  const page = firstPage(app, address)
  tell(
    app.setUpCode() === null
      ? `Talekeeper is at ${page}`
      : `Talekeeper is ready to be set up. Open this once, within 30 minutes:\n  ${page}`,
  )
  for (const problem of config.settings.file.problems) tell(problem)
  if (app.settings.get().lan && isPlainHttp(config)) tell(plainHttpNotice)
  tell(`Its data is in ${config.dataDir}`)
  await releaseStartMemory()
  if (opensBrowser) await openBrowser(page, config, tell)
}

async function openBrowser(address: string, { hasScreen }: Config, tell: (line: string) => void): Promise<void> {
  const noBrowser = (): void => tell('No browser could be opened; open the address above.')
  if (hasScreen) await systemActions(process.platform).open(address).catch(noBrowser)
}

/** Where the first page is: that of the set-up until that is done. */
function firstPage(app: App, address: string): string {
  const code = app.setUpCode()
  return code === null ? `${address}/` : `${address}/setup#${code}`
}

/** Where other devices on the network reach this server; null where they do not. */
function lanAddress(app: App, { baseUrl }: Config): string | null {
  const open = app.access.state().entrances.find(({ url }) => url !== null)
  return open === undefined ? null : (baseUrl ?? open.url)
}

/** Whatever hangs must not keep the machine from shutting down; nothing that was acknowledged is in memory only. */
const stopMs = 5000

/** Returns what a signal does. */
function endOnSignals(
  app: App,
  instance: Instance,
  outputs: readonly Output[],
  desktop: { stop(): Promise<void> } | null,
): () => Promise<void> {
  let stopping = false
  const stop = async (): Promise<void> => {
    if (stopping) return
    stopping = true
    setTimeout(() => end(1), stopMs).unref()
    await Promise.all([desktop?.stop(), app.stop()])
    instance.release()
    await end(0)
  }
  const end = async (code: number): Promise<void> => {
    // A write that never returns would hold up an ordinary exit too.
    const flushed = await Promise.all(outputs.map((output) => output.flush(500)))
    if (flushed.includes(false)) process.kill(process.pid, 'SIGKILL')
    process.exit(code)
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void stop())
  // The terminal was closed. Windows ends the program soon after; elsewhere the table's evening goes on.
  process.on('SIGHUP', () => {
    if (process.platform === 'win32') void stop()
    else app.server.log.warn({}, 'The terminal was closed; the server goes on. "talekeeper stop" ends it.')
  })
  return stop
}

/** Ends the program that has the data folder, and waits for that. */
async function stopOther(config: Config): Promise<void> {
  const claim = existsSync(config.dataDir) ? await claimDataDir(config.dataDir, { work: 'stop' }) : null
  if (claim?.kind === 'running') await stopRunning(claim.running)
  if (claim?.kind === 'mine') claim.instance.release()
  say(claim?.kind === 'running' ? 'Talekeeper has stopped.' : 'Talekeeper is not running.')
}

async function mcpStdio(): Promise<void> {
  const reached = await connectAssistant(readConfig(), process)
  // A request that is called off may still hold its connection.
  process.exit(reached ? 0 : 1)
}

async function doctor({ options }: CommandLine): Promise<void> {
  const examination = await examine({
    version: manifest.version,
    platform: process.platform,
    arch: process.arch,
    readSettings: readConfig,
    files: { groups: nativeGroups(), verify: verifyNative, trayHelper: trayHelperFile() },
    tries: selfTests,
    examineDatabase,
    tracesOfUse,
  })
  answer(options, examination, examinationText(examination))
  if (!examination.ok) process.exitCode = 1
}

async function admin({ options, args: [name] }: CommandLine): Promise<void> {
  const config = readConfig()
  const claim = await claimFolder(config, 'admin', false)
  if (claim.kind === 'running')
    throw fail('invalid_state', `Talekeeper is running, at ${claim.running.address}/. End it, then try again.`)
  try {
    await withStore(config, async (store) => {
      if (name === undefined) {
        const accounts = listAccounts(store)
        return answer(options, { accounts }, tellAccounts(accounts))
      }
      const account = findAccount(store, name)
      const isAsked = process.stdin.isTTY && !options.has('generate')
      const generated = options.has('keep-password') || isAsked ? null : generatePassword()
      const password = options.has('keep-password') ? null : (generated ?? (await askPassword(account.username)))
      const given = await giveAccess(store, account, password, new Date().toISOString())
      answer(options, generated === null ? given : { ...given, password: generated }, tellAccess(given, generated))
    })
  } finally {
    claim.instance.release()
  }
}

function ownFacts({ dataDir, dataDirIsGiven }: Config) {
  return {
    platform: process.platform,
    executable: isPackaged() ? process.execPath : null,
    dataDir: dataDirIsGiven ? dataDir : null,
  }
}

const plainHttpNotice = `On other devices this is plain http: the web app works there and a pasted key works, but AI clients that sign in by
themselves refuse it. For those set TLS_CERT_FILE and TLS_KEY_FILE, or BASE_URL to the https address of a proxy.`

function isPlainHttp({ tls, baseUrl }: Config): boolean {
  return tls === null && !baseUrl?.startsWith('https:')
}

/** How an AI client starts this program as its bridge. */
function bridgeCommand(): { readonly command: string; readonly args: readonly string[] } {
  const { execPath, argv } = process
  if (!isPackaged()) return { command: execPath, args: [path.resolve(argv[1] ?? ''), 'mcp-stdio'] }
  // On Windows the twin that has a console, and so standard streams, in whatever way it is started.
  const twin = execPath.replace(/\.exe$/i, '.com')
  return { command: existsSync(twin) ? twin : execPath, args: ['mcp-stdio'] }
}

function placesOf({ dataDir, backup, tempDir, logDir }: Config) {
  return {
    data: dataDir,
    database: path.join(dataDir, 'talekeeper.db'),
    uploads: path.join(dataDir, 'uploads'),
    backups: backup.dir,
    staging: tempDir,
    settings: path.join(dataDir, settingsFileName),
    log: logDir,
    program: installDir(),
  }
}

/** What a command found: for a person, or with --json for a program. */
function answer(options: CommandLine['options'], found: unknown, told: string): void {
  say(options.has('json') ? JSON.stringify(found, null, 2) : told)
}

function say(text: string): void {
  process.stdout.on('error', () => {})
  process.stdout.write(`${text}\n`)
}

main()
