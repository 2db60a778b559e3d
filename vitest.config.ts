import { defineConfig } from 'vitest/config'

export default defineConfig({
  // The tests run the sources as they are; Vite's own cache has no place in the build folder.
  cacheDir: 'node_modules/.cache/vitest',
  test: {
    include: ['test/**/*.test.ts', 'test/**/*.test.tsx'],
    globalSetup: 'test/support/global-setup.ts',
    // Processes, not threads: a test that loads SQLite, argon2 or sharp must not share one address space with others.
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 20_000,
    hookTimeout: 20_000,
    teardownTimeout: 10_000,
    passWithNoTests: false,
    allowOnly: process.env.CI !== 'true',
    env: { TZ: 'UTC' },
  },
})
