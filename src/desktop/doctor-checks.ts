import { accessSync, constants, existsSync, readdirSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import path from 'node:path'
import { localRequest } from './local-request.ts'

/** A warning tells of something that Talekeeper does without; `skipped` of what was not looked at. */
export type Verdict = 'ok' | 'warning' | 'broken' | 'skipped'

export interface Check {
  readonly name: string
  readonly verdict: Verdict
  /** One or two sentences: what was found, and what to do where something is wrong. */
  readonly message: string
}

/** What a check found; a bare sentence is good news. */
export type Finding = string | Omit<Check, 'name'>

/** The part of the configuration that is looked at. */
export interface ExaminedSettings {
  readonly dataDir: string
  readonly host: string
  readonly port: number
  readonly portIsFixed: boolean
  readonly hasScreen: boolean
  readonly backup: { readonly dir: string; readonly minFreeBytes: number }
  /** What is wrong with the settings file. */
  readonly settings: { readonly file: { readonly problems: readonly string[] } }
}

/** Below this nothing can be written with confidence. */
const leastFreeBytes = 64 * 1024 * 1024

/** Whether files can be made in a folder, or the folder itself where it is not there yet. */
export function folder(wanted: string, whenMissing: string): Finding {
  const present = nearest(wanted)
  if (!statSync(present).isDirectory())
    throw new Error(`${present} is a file, and a folder is needed there. Move it away, or name another folder.`)
  if (present !== wanted) {
    accessOrThrow(present)
    return `${wanted} is not there yet. ${whenMissing}`
  }
  const file = path.join(wanted, `.doctor-${process.pid}`)
  try {
    writeFileSync(file, 'tried out by talekeeper doctor', { flag: 'wx', flush: true })
  } catch (error) {
    throw new Error(`Nothing can be written in ${wanted}: ${reason(error)}.`, { cause: error })
  } finally {
    rmSync(file, { force: true })
  }
  return `${wanted} can be written.`
}

interface DatabaseParts {
  examineDatabase(file: string): string
  tracesOfUse(dataDir: string): readonly string[]
}

/** Asks the running program about its database, or opens it where none is running. */
export async function databaseFile(
  dataDir: string,
  running: string | null,
  { examineDatabase, tracesOfUse }: DatabaseParts,
): Promise<Finding> {
  if (running !== null) {
    const { status, body } = await localRequest(`${running}/readyz`, { timeoutMs: 5000 })
    if (status === 200) return 'The running Talekeeper works with it.'
    throw new Error(`The running Talekeeper is not ready: ${(body as { readonly error?: string }).error}.`)
  }
  const file = path.join(dataDir, 'talekeeper.db')
  const traces = existsSync(file) ? [] : tracesOfUse(dataDir)
  if (traces.length > 0)
    throw new Error(
      `It is missing from a folder that was used: it holds ${traces.join(', ')}. A start says what to do.`,
    )
  if (!existsSync(file)) return { verdict: 'skipped', message: 'There is none yet. It is made at the first start.' }
  return examineDatabase(file)
}

export function freeSpace(dataDir: string, minFreeBytes: number): Finding {
  const { bavail, bsize, blocks } = statfsSync(nearest(dataDir))
  // Some network and virtual file systems count nothing.
  if (blocks === 0) return { verdict: 'skipped', message: 'This file system does not say how much is free.' }
  const free = bavail * bsize
  const found = `${size(free)} are free where the data is.`
  if (free < leastFreeBytes) throw new Error(`Only ${size(free)} are free where the data is. Make room on that disk.`)
  if (free >= minFreeBytes) return found
  return {
    verdict: 'warning',
    message: `${found} Backups by themselves are left out below ${size(minFreeBytes)} (BACKUP_MIN_FREE_BYTES).`,
  }
}

/** Listens for a moment where the server would. */
export async function freePort({ host, port, portIsFixed }: ExaminedSettings): Promise<Finding> {
  if (port === 0) return 'The system chooses a free one at each start.'
  const code = await listenFor(host, port)
  switch (code) {
    case null:
      return `${port} is free.`
    case 'EADDRINUSE':
      if (portIsFixed)
        throw new Error(`Another program uses port ${port}. Set PORT to another number, or stop that program.`)
      return { verdict: 'warning', message: `Another program uses port ${port}. Talekeeper takes the next free one.` }
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      throw new Error(`HOST is ${host}, which is no address of this machine.`)
    case 'EACCES':
      throw new Error(`This user may not listen on port ${port}. Set PORT to a number above 1024.`)
    default:
      throw new Error(`Nothing can listen on ${host}, port ${port}: ${code}.`)
  }
}

function listenFor(host: string, port: number): Promise<string | null> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(null)))
  })
}

interface Screen {
  readonly platform: NodeJS.Platform
  readonly arch: string
  readonly hasScreen: boolean
}

/** Libraries that the tray helper for Linux is linked with and that a desktop need not have. */
const trayLibraries = ['libappindicator3.so.1', 'libgtk-3.so.0']
const libraryFolders = [
  '/usr/lib',
  '/usr/lib64',
  '/usr/lib/x86_64-linux-gnu',
  '/lib/x86_64-linux-gnu',
  '/usr/local/lib',
]
const rosetta = '/Library/Apple/usr/share/rosetta'

/** Without a tray icon everything else works: only a file that should be there and is not counts as broken. */
export function trayHelper(helper: string | null, { platform, arch, hasScreen }: Screen): Finding {
  if (helper === null) return { verdict: 'skipped', message: 'There is no tray icon for this machine type.' }
  if (!existsSync(helper)) throw new Error(`${helper} is missing. Install Talekeeper again.`)
  if (platform !== 'win32' && !isExecutable(helper))
    throw new Error(`${helper} may not be executed. Run: chmod 755 '${helper}'`)
  if (!hasScreen) return 'Ready. It is not used: there is no screen here.'
  if (platform === 'darwin' && arch === 'arm64' && !existsSync(rosetta)) {
    return {
      verdict: 'warning',
      message: 'The tray icon needs Rosetta, which is not installed. Run: softwareupdate --install-rosetta',
    }
  }
  const missing = platform === 'linux' ? trayLibraries.filter((library) => !isInstalled(library)) : []
  if (missing.length === 0) return 'Ready.'
  return {
    verdict: 'warning',
    message: `The tray icon needs ${missing.join(' and ')}. On Debian and Ubuntu: apt install libayatana-appindicator3-1`,
  }
}

function isInstalled(library: string): boolean {
  return libraryFolders.some((each) => existsSync(each) && readdirSync(each).includes(library))
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** The folder itself, or the lowest one above it that is there. */
function nearest(wanted: string): string {
  const above = path.dirname(wanted)
  return existsSync(wanted) || above === wanted ? wanted : nearest(above)
}

function accessOrThrow(present: string): void {
  try {
    accessSync(present, constants.W_OK)
  } catch (error) {
    throw new Error(`No folder can be made in ${present}: ${reason(error)}.`, { cause: error })
  }
}

function reason(error: unknown): string {
  const { code = 'unknown' } = error as NodeJS.ErrnoException
  const words: Readonly<Record<string, string>> = {
    EACCES: 'this user may not',
    EPERM: 'the system does not let this user',
    EROFS: 'it is read-only',
    ENOSPC: 'the disk is full',
    EDQUOT: 'this user’s part of the disk is full',
    EIO: 'the disk answers with an error',
  }
  return words[code] ?? code
}

function size(bytes: number): string {
  return bytes < 1024 ** 3 ? `${Math.floor(bytes / 1024 ** 2)} MiB` : `${(bytes / 1024 ** 3).toFixed(1)} GiB`
}
