import { spawn } from 'node:child_process'
import path from 'node:path'
import { isBuildCurrent } from './build-state.mjs'
import { findCommand, projectRoot, runNode } from './node-runner.mjs'

export interface TaskResult {
  readonly name: string
  readonly code: number
  /** What it wrote to standard output and standard error, in order of arrival. */
  readonly output: string
  readonly seconds: number
}

/** Runs a command of a dependency to its end and keeps what it writes, so that parallel tasks do not mix their lines. */
export function runTask(name: string, command: string, args: readonly string[]): Promise<TaskResult> {
  const started = performance.now()
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [commandFile(command), ...args], {
      cwd: projectRoot,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...(process.stdout.isTTY ? { FORCE_COLOR: '1' } : {}) },
    })
    let output = ''
    const keep = (chunk: Buffer) => {
      output += chunk.toString()
    }
    child.stdout.on('data', keep)
    child.stderr.on('data', keep)
    child.once('error', reject)
    child.once('close', (code) => {
      resolve({ name, code: code ?? 1, output, seconds: (performance.now() - started) / 1000 })
    })
  })
}

/** Runs a command of a dependency on this terminal. Answers its exit code. */
export function runHere(command: string, args: readonly string[]): Promise<number> {
  return runNode(process.execPath, [commandFile(command), ...args])
}

/** Builds unless the build folder is current. Answers the exit code of the build. */
export async function ensureBuilt(): Promise<number> {
  if (isBuildCurrent()) return 0
  return runNode(process.execPath, [path.join(projectRoot, 'scripts', 'build.ts')])
}

/** @throws Error when no dependency installs the command. */
function commandFile(command: string): string {
  const file = findCommand(command)
  if (file === undefined) throw new Error(`The command "${command}" is not installed. Run "npm ci".`)
  return file
}
