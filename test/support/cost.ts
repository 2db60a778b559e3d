import { appendFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { costsFile, worldsVariable } from './global-setup.ts'

export interface Cost {
  /** Counts cases that were tried: calls, cells of a table, pages. */
  add(cases: number): void
}

/**
 * What the generated tests of a file cost, said at the end of a run, so that it shows what more operations will cost.
 * `operations` is asked at the end.
 */
export function measureCost(what: string, operations: () => number): Cost {
  let cases = 0
  let started = 0
  let before = process.cpuUsage()
  beforeAll(() => {
    started = performance.now()
    before = process.cpuUsage()
  })
  afterAll(() => {
    const seconds = (performance.now() - started) / 1000
    const { user, system } = process.cpuUsage(before)
    const cpu = (user + system) / 1e6
    const count = operations()
    const line = `${what}: ${cases} cases, ${seconds.toFixed(1)} s (CPU ${cpu.toFixed(1)} s), ${count} operations, CPU ${(cpu / count).toFixed(3)} s/operation`
    appendFileSync(path.join(process.env[worldsVariable] ?? '', costsFile), `${line}\n`)
  })
  return {
    add(count) {
      cases += count
    },
  }
}
