import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'

// No test may fail because a machine is slow or busy: vitest.config.ts gives each as much time as ends what hangs, and
// nobody gives a test less, or holds a duration against a limit but with `expectOnceWithin` (test/support/within.ts).

const folder = path.join(import.meta.dirname, '..')
const leastMs = 180_000
const files = globSync('**/*.test.ts', { cwd: folder, exclude: ['**/node_modules/**'] })
const linesOf = (file: string): readonly string[] => readFileSync(path.join(folder, file), 'utf8').split('\n')
const found = (offends: (line: string) => boolean): readonly string[] =>
  files.flatMap((file) =>
    linesOf(file).flatMap((line, at) => (offends(line) ? [`${file}:${at + 1}: ${line.trim()}`] : [])),
  )

test('no test has less time than all have', () => {
  // As an option, or behind the function.
  const limit = /\btimeout: ([\d_]+)|^\s*\}, ([\d_]+)\)$/
  const offends = (line: string): boolean => {
    const [, option, last] = limit.exec(line) ?? []
    const given = option ?? last
    // Less than a second is the interval of a timer and not the time of a test.
    const milliseconds = Number(given?.replaceAll('_', '') ?? leastMs)
    return milliseconds < leastMs && (option !== undefined || milliseconds >= 1000)
  }
  expect(found(offends)).toEqual([])
})

test('no test holds a duration against a limit by itself', () => {
  expect(found((line) => /performance\.now\(\) - .*toBeLess|[mM]illiseconds\)\.toBeLess/.test(line))).toEqual([])
})
