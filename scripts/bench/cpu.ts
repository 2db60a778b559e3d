import type { ChildProcess } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

/**
 * Processor time that a process has used so far in all of its threads, in milliseconds and to the microsecond; null where
 * the system does not tell. Threads that ended are not counted.
 */
export function threadsCpuMs({ pid }: ChildProcess): number | null {
  try {
    const tasks = readdirSync(`/proc/${pid}/task`)
    return tasks.reduce((sum, task) => sum + threadMs(`/proc/${pid}/task/${task}/schedstat`), 0)
  } catch {
    return null
  }
}

/** The same of its main thread alone, on which all requests are served. */
export function mainThreadCpuMs({ pid }: ChildProcess): number | null {
  try {
    return threadMs(`/proc/${pid}/task/${pid}/schedstat`)
  } catch {
    return null
  }
}

/**
 * Processor time that the host of a virtual machine gave to others since its start, in milliseconds; null where that is not
 * told. A thread from which it was taken counts it as its own.
 */
export function stolenMs(): number | null {
  try {
    // Hundredths of a second: user, nice, system, idle, waiting, interrupts, soft interrupts, stolen.
    return Number(readFileSync('/proc/stat', 'utf8').split(/\s+/, 9)[8]) * 10
  } catch {
    return null
  }
}

function threadMs(file: string): number {
  // Nanoseconds on a processor, nanoseconds waiting for one, how often.
  return Number(readFileSync(file, 'utf8').split(' ')[0]) / 1e6
}
