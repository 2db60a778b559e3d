import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { screenScript, screenStyle } from '../../src/transfer/display-html.ts'
import { builtProgram } from '../support/built-program.ts'

// What a phone fetches before it shows anything: the page names it, and it comes compressed.

const web = (): string => path.join(path.dirname(builtProgram()), 'web')

/** The smallest files are served as they are. */
const sizeOf = (file: string): number => statSync(existsSync(`${file}.br`) ? `${file}.br` : file).size

const most = { js: 60_000, css: 12 * 1024 }

/** What the page of the app names, relative to `web`. */
function firstFiles(): readonly string[] {
  const page = readFileSync(path.join(web(), 'index.html'), 'utf8')
  return Array.from(page.matchAll(/(?:src|href)="\/(app\/[^"]+\.(?:js|css))"/g), ([, file = '']) => file)
}

/** These files and all that they import at once, with the style sheets that they name. */
function withImports(files: readonly string[]): readonly string[] {
  const all = new Set<string>()
  const queue = [...files]
  for (let file = queue.pop(); file !== undefined; file = queue.pop()) {
    if (all.has(file)) continue
    all.add(file)
    if (!file.endsWith('.js')) continue
    const text = readFileSync(path.join(web(), file), 'utf8')
    // What is fetched only when it is asked for stands in parentheses.
    for (const [, name = ''] of text.matchAll(/(?:from|import)\s*"\/(app\/[^"]+\.js)"/g)) queue.push(name)
    for (const [, sheet = ''] of text.matchAll(/"\/(app\/[^"]+\.css)"/g)) queue.push(sheet)
  }
  return [...all]
}

const bytesOf = (kind: 'js' | 'css', files: readonly string[]): number =>
  files.filter((file) => file.endsWith(`.${kind}`)).reduce((sum, file) => sum + sizeOf(path.join(web(), file)), 0)

test('scripts and styles of the first view stay small over the wire', () => {
  const files = firstFiles()
  expect(bytesOf('js', files)).toBeGreaterThan(10_000)
  expect(bytesOf('css', files)).toBeGreaterThan(1000)
  expect(bytesOf('js', files)).toBeLessThanOrEqual(most.js)
  expect(bytesOf('css', files)).toBeLessThanOrEqual(most.css)
})

/** What a phone may fetch until its Table stands: 90 and 20 KB over the wire. */
const atTable = { js: 90 * 1024, css: 20 * 1024 }

test('a phone at the table fetches no more than its budget', () => {
  const chunks = readdirSync(path.join(web(), 'app')).filter((file) => /^at-table-.*\.js$/.test(file))
  expect(chunks, 'the page is fetched when it is first opened').toHaveLength(1)
  const files = withImports([...firstFiles(), ...chunks.map((file) => `app/${file}`)])
  const found = { js: bytesOf('js', files), css: bytesOf('css', files) }
  console.info(`the table of a phone: ${found.js} bytes of scripts, ${found.css} of styles`)
  expect(found.js).toBeGreaterThan(most.js)
  expect(found.js).toBeLessThanOrEqual(atTable.js)
  expect(found.css).toBeLessThanOrEqual(atTable.css)
})

test('a television fetches next to nothing', () => {
  const styles = firstFiles().filter((file) => file.endsWith('.css'))
  const sheet = `${styles.map((file) => readFileSync(path.join(web(), file), 'utf8')).join('\n')}\n${screenStyle}`
  const [script, style] = [screenScript, sheet].map((text) => brotliCompressSync(text).length)
  console.info(`a television: ${script} bytes of scripts, ${style} of styles`)
  expect(script).toBeLessThanOrEqual(2000)
  expect(style).toBeLessThanOrEqual(atTable.css)
})
