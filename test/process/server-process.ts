import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { builtProgram } from '../support/built-program.ts'
import { compiledModules } from '../support/compiled.ts'

const projectRoot = path.resolve(import.meta.dirname, '..', '..')
/** Ends what hangs; a machine that is slow takes its time. */
const startLimitMs = 120_000

export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** One process of the program. */
export interface Program {
  readonly child: ChildProcess
  /** Everything it printed so far. */
  output(): string
  readonly ended: Promise<Ended>
}

export interface ServerProcess extends Program {
  /** Without a trailing slash. */
  readonly address: string
  /** Ends it at once, as a power cut does. */
  kill(): Promise<void>
  /** Asks it to end. */
  terminate(): Promise<Ended>
}

/** Folders of one installation. */
export interface Folders {
  readonly root: string
  readonly dataDir: string
  readonly tempDir: string
  remove(): void
}

export function makeFolders(): Folders {
  const root = mkdtempSync(path.join(tmpdir(), 'talekeeper-process-'))
  const folders = { root, dataDir: path.join(root, 'data'), tempDir: path.join(root, 'tmp') }
  mkdirSync(folders.tempDir)
  return { ...folders, remove: () => rmSync(root, { recursive: true, force: true }) }
}

export interface StartOptions {
  readonly env?: Readonly<Record<string, string>>
  /** Instead of the program as it was built. */
  readonly entry?: string
  /** Instead of `serve`. */
  readonly args?: readonly string[]
  /** Another account, for who runs the tests as root: root may do everything. */
  readonly account?: Account
  /** Descriptor that takes what it prints, instead of a pipe that is read. */
  readonly stdout?: number
}

export interface Account {
  readonly uid: number
  readonly gid: number
}

/** Starts the program, as it was built, on an installation. */
export function startProgram(folders: Folders, options: StartOptions = {}): Program {
  const { env = {}, entry = builtProgram(), args = ['serve'], account = {}, stdout = 'pipe' } = options
  const { PATH, SystemRoot } = process.env
  const own = {
    DATA_DIR: folders.dataDir,
    TMPDIR: folders.tempDir,
    TEMP: folders.tempDir,
    TMP: folders.tempDir,
    PORT: '0',
    LOG_LEVEL: 'warn',
    ...compiledModules(),
  }
  const child = spawn(process.execPath, [path.join(projectRoot, entry), ...args], {
    cwd: projectRoot,
    stdio: ['ignore', stdout, 'pipe'],
    ...account,
    env: { ...(PATH ? { PATH } : {}), ...(SystemRoot ? { SystemRoot } : {}), ...own, ...env },
  })
  let output = ''
  const keep = (chunk: Buffer): void => {
    output += chunk.toString()
  }
  child.stdout?.on('data', keep)
  child.stderr?.on('data', keep)
  const ended = new Promise<Ended>((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal }))
  })
  return { child, output: () => output, ended }
}

/** Starts the server and waits until it says where it is. Throws with what it printed when it ends instead. */
export async function startServerProcess(folders: Folders, options: StartOptions = {}): Promise<ServerProcess> {
  const program = startProgram(folders, options)
  const { child, output, ended } = program
  const address = await new Promise<string>((resolve, reject) => {
    const stuck = setTimeout(() => reject(new Error(`The server did not start:\n${output()}`)), startLimitMs)
    const look = (): void => {
      const found = /(http:\/\/[^\s/]+)\/(?:setup#\S+)?\s/.exec(output())
      if (!found) return
      clearTimeout(stuck)
      resolve(found[1] as string)
    }
    child.stdout?.on('data', look)
    void ended.then(({ code, signal }) => {
      clearTimeout(stuck)
      reject(new Error(`The server ended with ${code ?? signal}:\n${output()}`))
    })
  })
  return {
    ...program,
    address,
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
    async terminate() {
      child.kill('SIGTERM')
      return await ended
    },
  }
}

export interface Outcome {
  readonly code: number | null
  /** What it printed on both outputs, trimmed. */
  readonly output: string
}

/** Runs a command of the program to its end. */
export async function runCommand(
  folders: Folders,
  args: readonly string[],
  options: Omit<StartOptions, 'args'> = {},
): Promise<Outcome> {
  const { output, ended } = startProgram(folders, { ...options, args })
  const { code } = await ended
  return { code, output: output().trim() }
}

/** Waits until the server of a data folder has announced where it listens, when its output is not read. */
export async function announcedAddress({ dataDir }: Folders, mostMs = startLimitMs): Promise<string> {
  const deadline = Date.now() + mostMs
  for (;;) {
    try {
      const { address } = JSON.parse(readFileSync(path.join(dataDir, 'instance.json'), 'utf8'))
      if (typeof address === 'string') return address
    } catch {
      // Not there yet.
    }
    if (Date.now() > deadline) throw new Error('The server announced no address.')
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

export interface Reply {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly body: any
}

/** Calls with a bearer. Rejects when the server is not there (any more). */
export type CallServer = (method: string, path: string, body?: unknown) => Promise<Reply>

export function callsOn(address: string, token: string): CallServer {
  return async (method, target, body) => {
    const form = body instanceof FormData
    const response = await fetch(`${address}${target}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined || form ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: form ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text) }
  }
}

export const admin = { username: 'ellen', password: 'a lantern in the orchard' }

/** Makes the first user of a new installation and returns a token of theirs with all rights. */
export async function setUp(address: string): Promise<string> {
  const post = async (target: string, body: unknown): Promise<Response> =>
    fetch(`${address}/api/v1/auth/${target}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: address },
      body: JSON.stringify(body),
    })
  const made = await post('setup', admin)
  if (!made.ok) throw new Error(`set-up was answered with ${made.status}: ${await made.text()}`)
  const minted = await post('token', { ...admin, tokenName: 'test', scope: 'dm' })
  if (!minted.ok) throw new Error(`the token was answered with ${minted.status}: ${await minted.text()}`)
  return ((await minted.json()) as { readonly token: string }).token
}
