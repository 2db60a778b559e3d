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

/** The forms of the app, each with its file, the tag that begins it, and what stands in it. */
const forms = globSync('**/*.tsx', { cwd: web }).flatMap((file) => {
  const source = readFileSync(path.join(web, file), 'utf8')
  return Array.from(source.matchAll(/<(form|Form)(?=[\s>])/g), ({ index, 1: tag = '' }) => {
    const begin = tagAt(source, index)
    const end = source.indexOf(`</${tag}>`, index)
    return { file, source, tag, begin, inside: source.slice(index + begin.length, end) }
  })
})

/** Doors, accounts and the server: what is typed there is kept nowhere. */
const withSecrets = ['pages/account', 'pages/admin', 'pages/auth']

test('what is typed into a form is kept: by the form, or by whoever draws it', () => {
  const keepsItself = /\b(?:useWords|useDraft)\b|talekeeper-capture/
  const unkept = forms
    .filter(({ file }) => !file.startsWith('kit/form.') && !withSecrets.includes(path.dirname(file)))
    .filter(({ tag, begin, inside, source }) => {
      if (tag === 'form')
        return /<(?:TextField|AreaField|MarkdownField|TagField)\b/.test(inside) && !keepsItself.test(source)
      return /\bownWords\b/.test(begin) && !keepsItself.test(source)
    })
    .map(({ file, begin }) => `${file}: ${begin.replace(/\s+/g, ' ').slice(0, 90)}`)
  expect(unkept).toEqual([])
})

test('forms that keep nothing send no operation, and stand where secrets are typed', () => {
  const places = forms.filter(({ begin }) => /\boperation=\{null\}/.test(begin)).map(({ file }) => path.dirname(file))
  expect([...new Set(places)].sort()).toEqual(withSecrets)
})
