import { expect, test } from 'vitest'
import { excerptLength, excerptOf } from '../../src/kernel/excerpt.ts'
import { seededRandom } from '../support/random.ts'

test.each([
  ['Plain words.', 'Plain words.'],
  ['# The mill\n\nIt *stands* **still**.', 'The mill It stands still.'],
  ['Ask [Marta](npc:12) about [the ledger](https://example.org/x).', 'Ask Marta about the ledger.'],
  ['![A map](attachment:3)\n> said the clerk', 'said the clerk'],
  ['- one\n- ~~two~~\n1. three', 'one two three'],
  ['a snake_case name and _stress_', 'a snake_case name and stress'],
  ['', ''],
])('%j reads %j', (markdown, plain) => {
  expect(excerptOf(markdown)).toBe(plain)
})

test('a long text is cut between words and says that it goes on', () => {
  const text = 'The winter of four hundred and twelve was sold by the pound, '.repeat(20)
  const excerpt = excerptOf(text)
  expect(excerpt.length).toBeLessThanOrEqual(excerptLength)
  expect(excerpt.length).toBeGreaterThan(excerptLength / 2)
  expect(excerpt).toMatch(/\p{L}…$/u)
  expect(text.startsWith(excerpt.slice(0, -1))).toBe(true)
})

test('a text of one endless word is cut within it, and never within a character', () => {
  expect(excerptOf('a'.repeat(1000)).length).toBeLessThanOrEqual(excerptLength)
  expect(excerptOf('😀'.repeat(500)).isWellFormed()).toBe(true)
  expect(excerptOf(`x${'😀'.repeat(500)}`).isWellFormed()).toBe(true)
})

test('whatever stands there: one line, short, well-formed, and soon', () => {
  const random = seededRandom(7)
  const parts = ['word ', '[', '](', ')', '*', '_', '# ', '\n', '`', '~~', '![', '😀', '> ', '- ', '1. ', 'é']
  for (let round = 0; round < 2000; round++) {
    const text = Array.from({ length: 400 }, () => parts[random.integer(0, parts.length - 1)]).join('')
    const excerpt = excerptOf(text)
    expect(excerpt.length).toBeLessThanOrEqual(excerptLength)
    expect(excerpt.isWellFormed()).toBe(true)
    expect(excerpt).not.toMatch(/[\n\t]/)
  }
})
