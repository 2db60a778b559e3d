import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { projectRoot } from '../lib/node-runner.mjs'

/** A program that was started for a measurement. */
export interface Running {
  readonly child: ChildProcess
  /** What the first line that matched says. */
  readonly found: string
  /** From the start until that line came, in milliseconds. */
  readonly readyMs: number
  /** How long its main thread was held since this was last asked; null where loop-delay.ts is not in it. */
  loopDelay(): Promise<LoopDelay | null>
  stop(): Promise<void>
}

/** In milliseconds. */
export interface LoopDelay {
  /** By the clock: what other programs took of this machine, and the disk, is in it. */
  readonly most: number
  readonly p50: number
  readonly p99: number
  /** What the thread itself worked in one go, in processor time. */
  readonly work: number
  readonly workP99: number
  /** The longest that it collected garbage in one go. */
  readonly collected: number
}

/** Starts a program and waits for a line that matches; the first group is `found`. Throws what it wrote when it ends first. */
export async function startAndFind(
  command: string,
  args: readonly string[],
  pattern: RegExp,
  env: Readonly<Record<string, string>> = {},
): Promise<Running> {
  const started = performance.now()
  const child = spawn(command, args, {
    cwd: projectRoot,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe', ...(args.includes('--import') ? (['ipc'] as const) : [])],
  })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  let output = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    output += chunk.toString()
  })
  const { found, readyMs } = await new Promise<Pick<Running, 'found' | 'readyMs'>>((resolve, reject) => {
    child.stdout?.on('data', (chunk: Buffer) => {
      if (output.length > 100_000) return
      output += chunk.toString()
      const match = pattern.exec(output)
      if (match?.[1] !== undefined) resolve({ found: match[1], readyMs: performance.now() - started })
    })
    void ended.then(() => reject(new Error(`${command} ${args.join(' ')} ended:\n${output}`)))
  })
  return {
    child,
    found,
    readyMs,
    async loopDelay() {
      if (!child.connected) return null
      const answer = once(child, 'message')
      child.send('loop delay')
      const [delay] = await answer
      return delay as LoopDelay
    },
    async stop() {
      child.kill('SIGTERM')
      await ended
    },
  }
}

export const addressPattern = /(http:\/\/127\.0\.0\.1:\d+)\//

/** Resident memory of a process in MiB; undefined where /proc does not tell. */
export function residentMiB({ pid }: ChildProcess): number | undefined {
  const kib = procField(`/proc/${pid}/status`, /^VmRSS:\s+(\d+) kB$/m)
  return kib === undefined ? undefined : kib / 1024
}

/** Processor time that a process has used so far, in milliseconds; undefined where /proc does not tell. */
export function cpuMs({ pid }: ChildProcess): number | undefined {
  try {
    // The name in parentheses may hold anything; behind it utime and stime are the 12th and 13th, in 1/100 s on Linux.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
    return (Number(fields[11]) + Number(fields[12])) * 10
  } catch {
    return undefined
  }
}

function procField(file: string, pattern: RegExp): number | undefined {
  try {
    const value = pattern.exec(readFileSync(file, 'utf8'))?.[1]
    return value === undefined ? undefined : Number(value)
  } catch {
    return undefined
  }
}

export function ownFile(name: string): string {
  return path.join(projectRoot, 'scripts', 'bench', name)
}
