import { defineConfig } from 'vitest/config'
import { LongestFirst } from './test/support/longest-first.ts'

/** Tests whose files may share one process after the other: to load the program anew for each takes as long as what they test. */
const sharing = ['test/{domain,mcp,pins,storage,unit}/**/*.test.ts']
const all = ['test/**/*.test.ts', 'test/**/*.test.tsx']
const installed = ['**/node_modules/**']

export default defineConfig({
  // The tests run the sources as they are; Vite's own cache has no place in the build folder.
  cacheDir: 'node_modules/.cache/vitest',
  test: {
    projects: [
      { extends: true, test: { name: 'apart', include: all, exclude: [...installed, ...sharing] } },
      { extends: true, test: { name: 'sharing', include: sharing, exclude: installed, isolate: false } },
    ],
    globalSetup: 'test/support/global-setup.ts',
    // Processes, not threads: a test that loads SQLite, argon2 or sharp must not share one address space with others.
    pool: 'forks',
    // One more than the cores of a small machine: much of what browsers and real processes take is waiting.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    // No test may fail because a machine is slow or busy: these end what hangs, and nothing that goes on.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    teardownTimeout: 60_000,
    expect: { poll: { timeout: 60_000 } },
    passWithNoTests: false,
    allowOnly: process.env.CI !== 'true',
    env: { TZ: 'UTC' },
  },
})
