import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'vitest'

/**
 * Holds lines against a file in test/pins. A change of the surface is then a line of the file in a review: UPDATE_PINS=1
 * writes it anew. The message shows what to add and what to take away.
 */
export function expectPinned(name: string, lines: readonly string[]): void {
  const file = path.join(import.meta.dirname, '../pins', name)
  if (process.env.UPDATE_PINS === '1') writeFileSync(file, `${lines.join('\n')}\n`)
  const pinned = existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : []
  const [before, now] = [new Set(pinned), new Set(lines)]
  const added = lines.filter((line) => !before.has(line)).map((line) => `+ ${line}`)
  const gone = pinned.filter((line) => !now.has(line)).map((line) => `- ${line}`)
  expect([...gone, ...added], `test/pins/${name} differs (UPDATE_PINS=1 writes it)`).toEqual([])
  expect(lines, `the order of test/pins/${name}`).toEqual(pinned)
}
