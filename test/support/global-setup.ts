import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { TestProject } from 'vitest/node'

/** Names the folder in which a run keeps its worlds (world-file.ts); every worker inherits it. */
export const worldsVariable = 'TALEKEEPER_TEST_WORLDS'

/** What generated tests cost (cost.ts), in the folder of the worlds. */
export const costsFile = 'costs.txt'

export function setup(project: TestProject): void {
  // Every project of vitest.config.ts is set up: they share the worlds.
  if (process.env[worldsVariable] !== undefined) return
  makeFolder()
  // `vitest` that watches: what was changed may make another world.
  project.onTestsRerun(async () => {
    teardown()
    makeFolder()
  })
}

export function teardown(): void {
  const folder = process.env[worldsVariable]
  if (folder === undefined) return
  const costs = path.join(folder, costsFile)
  if (existsSync(costs)) console.log(`\nGenerated tests:\n${readFileSync(costs, 'utf8')}`)
  rmSync(folder, { recursive: true, force: true })
  delete process.env[worldsVariable]
}

function makeFolder(): void {
  process.env[worldsVariable] = mkdtempSync(path.join(tmpdir(), 'talekeeper-worlds-'))
}
