import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { mentionsIn } from '../../src/kernel/mentions.ts'
import { beginsWith, isNamedBy, mentionAt, mentionText } from '../../src/web/kit/mention-query.ts'

const atEnd = (text: string) => mentionAt(text, text.length)

describe('a mention that is being written', () => {
  test.each([
    ['@', { start: 0, query: '' }],
    ['@mar', { start: 0, query: 'mar' }],
    ['Ask @Marta Qu', { start: 4, query: 'Marta Qu' }],
    ['Ask (@O’Bri', { start: 5, query: 'O’Bri' }],
    ['one line\n@ärger', { start: 9, query: 'ärger' }],
    ['@one @two', { start: 5, query: 'two' }],
  ])('begins at %j', (text, mention) => {
    expect(atEnd(text)).toEqual(mention)
  })

  test.each([
    ['', 'nothing'],
    ['mar', 'no sign'],
    ['write to marta@example.org', 'an address of mail'],
    ['see https://example.org/@marta', 'an address of the web'],
    ['at five @ the mill', 'a sign that stands alone'],
    ['@mar\n', 'the line after it'],
    ['[@Marta](npc:1)', 'a link that is there'],
    ['@Marta said that the bell was never cast', 'a sentence'],
    ['@!', 'no name'],
  ])('does not begin at %j: %s', (text) => {
    expect(atEnd(text)).toBeNull()
  })

  test('ends at the caret, whatever stands behind it', () => {
    expect(mentionAt('Ask @mar about the bell', 8)).toEqual({ start: 4, query: 'mar' })
    expect(mentionAt('Ask @mar about the bell', 3)).toBeNull()
    expect(mentionAt('@mar', 0)).toBeNull()
  })

  test('never reaches outside of the text', () => {
    void fc.assert(
      fc.property(fc.string(), fc.nat(40), (text, place) => {
        const caret = Math.min(place, text.length)
        const found = mentionAt(text, caret)
        if (found) expect(text.slice(found.start, caret)).toBe(`@${found.query}`)
      }),
    )
  })
})

test('a name is found by the beginnings of its words, in any order, case and accent', () => {
  expect(isNamedBy('mar', 'Marta Quill')).toBe(true)
  expect(isNamedBy('qu mar', 'Marta Quill')).toBe(true)
  expect(isNamedBy('arger', 'Der Ärger')).toBe(true)
  expect(isNamedBy('arta', 'Marta Quill')).toBe(false)
  expect(isNamedBy('marta said', 'Marta Quill')).toBe(false)
  expect(beginsWith('mar', 'Marta')).toBe(true)
  expect(beginsWith('mar', 'Old Marta')).toBe(false)
})

test('what is written is a mention for the server, whatever the name', () => {
  void fc.assert(
    fc.property(fc.string({ minLength: 1 }), fc.nat(), (name, id) => {
      const text = mentionText({ entityType: 'npc', entityId: id + 1, title: name })
      expect(mentionsIn(`before ${text} after`)).toEqual([{ entityType: 'npc', entityId: id + 1 }])
    }),
  )
})
