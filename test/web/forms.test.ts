import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'

// What every form of the app keeps to. That a `Form` names what it sends the compiler sees to.

const web = path.resolve(import.meta.dirname, '..', '..', 'src', 'web')

/** The text of a tag, from its name to its end. */
function tagAt(source: string, start: number): string {
  let depth = 0
  for (let at = start; at < source.length; at++) {
    const letter = source[at]
    if (letter === '{') depth++
    else if (letter === '}') depth--
    else if (letter === '>' && depth === 0) return source.slice(start, at)
  }
  throw new Error(`a tag without an end: ${source.slice(start, start + 60)}`)
}

test('every text says how long it may be: by the member that it fills, or itself', () => {
  const without = globSync('**/*.tsx', { cwd: web }).flatMap((file) => {
    const source = readFileSync(path.join(web, file), 'utf8')
    return Array.from(source.matchAll(/<(?:TextField|AreaField|MarkdownField)\b/g), ({ index }) => tagAt(source, index))
      .filter((tag) => !/\bname=|\bfield\(|\bmaxLength=/.test(tag))
      .map((tag) => `${file}: ${tag.replace(/\s+/g, ' ').slice(0, 90)}`)
  })
  expect(without).toEqual([])
})
