import { existsSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { builtProgram } from '../support/built-program.ts'

// What a phone fetches before it shows anything: the page names it, and it comes compressed.

/** The smallest files are served as they are. */
const sizeOf = (file: string): number => statSync(existsSync(`${file}.br`) ? `${file}.br` : file).size

const most = { js: 60_000, css: 12 * 1024 }

test('scripts and styles of the first view stay small over the wire', () => {
  const web = path.join(path.dirname(builtProgram()), 'web')
  const page = readFileSync(path.join(web, 'index.html'), 'utf8')
  const files = Array.from(page.matchAll(/(?:src|href)="\/(app\/[^"]+\.(js|css))"/g), ([, file = '', kind = '']) => ({
    kind,
    bytes: sizeOf(path.join(web, file)),
  }))
  const sum = (kind: string): number =>
    files.filter((file) => file.kind === kind).reduce((all, { bytes }) => all + bytes, 0)
  expect(sum('js')).toBeGreaterThan(10_000)
  expect(sum('css')).toBeGreaterThan(1000)
  expect(sum('js')).toBeLessThanOrEqual(most.js)
  expect(sum('css')).toBeLessThanOrEqual(most.css)
})
