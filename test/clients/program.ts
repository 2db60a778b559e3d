import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { compiledModules } from '../support/compiled.ts'

/** A home folder for a client's settings and tokens, so that nothing of the user's is read or written. */
export interface Home {
  readonly folder: string
  readonly env: Readonly<Record<string, string>>
  remove(): void
}

export function makeHome(): Home {
  const folder = mkdtempSync(path.join(tmpdir(), 'talekeeper-client-'))
  const env = {
    PATH: `${path.dirname(process.execPath)}${path.delimiter}${process.env.PATH ?? ''}`,
    HOME: folder,
    USERPROFILE: folder,
    XDG_CONFIG_HOME: folder,
    XDG_DATA_HOME: folder,
    XDG_CACHE_HOME: folder,
    TMPDIR: folder,
    NO_COLOR: '1',
    // No screen: what would open a browser opens nothing, and its address is read from the output.
    BROWSER: '/bin/true',
    ...compiledModules(),
  }
  return { folder, env, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

export interface Program {
  /** Settles when standard output and error hold a match; fails when the program ends first. */
  printed(pattern: RegExp): Promise<RegExpExecArray>
  readonly ended: Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }>
  kill(): void
}

const mostMs = 240_000

/** Starts a command of a client on this Node. It is ended when it takes too long. */
export function run(
  file: string,
  args: readonly string[],
  { folder, env }: Home,
  more: Readonly<Record<string, string>> = {},
): Program {
  const child: ChildProcess = spawn(process.execPath, [file, ...args], {
    cwd: folder,
    env: { ...env, ...more },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const timer = setTimeout(() => child.kill('SIGKILL'), mostMs)
  let stdout = ''
  let stderr = ''
  const watchers = new Set<() => void>()
  const grown = (): void => {
    for (const watch of watchers) watch()
  }
  child.stdout?.on('data', (chunk: Buffer) => {
    stdout += chunk.toString('utf8')
    grown()
  })
  child.stderr?.on('data', (chunk: Buffer) => {
    stderr += chunk.toString('utf8')
    grown()
  })
  const ended = new Promise<Awaited<Program['ended']>>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => {
      clearTimeout(timer)
      resolve({ code, stdout, stderr })
    })
  })
  return {
    ended,
    kill: () => void child.kill('SIGKILL'),
    printed: (pattern) =>
      new Promise((resolve, reject) => {
        const watch = (): void => {
          const match = pattern.exec(stdout) ?? pattern.exec(stderr)
          if (match === null) return
          watchers.delete(watch)
          resolve(match)
        }
        watchers.add(watch)
        watch()
        ended.then(
          ({ code }) => reject(new Error(`ended with ${code} before it printed ${pattern}:\n${stdout}\n${stderr}`)),
          reject,
        )
      }),
  }
}
