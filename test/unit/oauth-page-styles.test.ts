import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { pageStyles } from '../../src/oauth/style.ts'

// The pages of the OAuth server are made without the web app and wear its style sheet: a class that is renamed there must not
// leave them bare.

const folder = 'src/web/styles'

test('every class of the sign-in and consent pages is in the style sheet that they get', () => {
  const shared = readdirSync(folder).filter((name) => name.endsWith('.css') && !name.endsWith('.page.css'))
  const styles = shared.map((name) => readFileSync(path.join(folder, name), 'utf8')).join('') + pageStyles(undefined)
  const source = readFileSync('src/oauth/pages.ts', 'utf8')
  const used = new Set(Array.from(source.matchAll(/class="([^"$]+)"/g)).flatMap(([, names = '']) => names.split(' ')))
  expect(used.size).toBeGreaterThan(20)
  const known = new Set(Array.from(styles.matchAll(/\.([\w-]+)/g), ([, name]) => name))
  expect([...used].filter((name) => !known.has(name))).toEqual([])
})
