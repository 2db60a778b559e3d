import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { entityLabel } from '../../src/web/kinds.ts'
import { diffWords, markChanges, marks } from '../../src/web/kit/diff-words.ts'
import { bytes, calendarDay, count, initials, localeOf, span, when } from '../../src/web/kit/format.ts'
import { fieldLabel, operationLabel, valueLabel } from '../../src/web/kit/labels.ts'

const squeeze = (text: string) => text.replace(/\s+/gu, '')

describe('markChanges', () => {
  const shown = (before: string, after: string) =>
    markChanges(before, after)
      .replaceAll(marks.gone[0], '<')
      .replaceAll(marks.gone[1], '>')
      .replaceAll(marks.new[0], '{')
      .replaceAll(marks.new[1], '}')

  test('keeps what Markdown makes one thing of together, and signs behind what a line begins with', () => {
    expect(shown('Ask [Marta](npc:1) now', 'Ask [Osk](npc:2) now')).toBe('Ask <[Marta](npc:1)>{[Osk](npc:2)} now')
    expect(shown('It is **dark** here', 'It is **very dark** here')).toBe('It is <**dark**>{**very dark**} here')
    expect(shown('', '- a bell\n- a key')).toBe('- {a bell}\n- {a key}')
    expect(shown('One', 'One\n\n> a quotation\n\n| a | b |\n| --- | --- |')).toBe(
      'One\n\n> {a quotation}\n\n| a | b |\n| --- | --- |',
    )
    expect(shown('the same', 'the same')).toBe('the same')
  })
})

test('dates are written as in the reader’s country, in English words', () => {
  expect(localeOf('de-DE')).toBe('en-DE')
  expect(localeOf('de')).toBe('en-DE')
  expect(localeOf('en-US')).toBe('en-US')
  expect(localeOf('en')).toBe('en-GB')
  expect(localeOf('not a language')).toBe('en-GB')
  const december = new Intl.DateTimeFormat(localeOf('de-DE'), { day: 'numeric', month: 'long' })
  expect(december.format(new Date(2026, 11, 9))).toBe('9 December')
})

test('a value that has parts is said in words', () => {
  expect(valueLabel({ hpMax: 12, ac: null, tags: ['mill'] })).toBe('Hit points at most: 12; Tags: mill')
})

describe('diffWords', () => {
  test('strikes and adds words in their sentence', () => {
    expect(diffWords('He has never asked a name.', 'He has often asked a name.')).toEqual([
      { kind: 'same', text: 'He has ' },
      { kind: 'gone', text: 'never' },
      { kind: 'new', text: 'often' },
      { kind: 'same', text: ' asked a name.' },
    ])
  })

  test('is nothing but the text where nothing changed, and all of it where there was none', () => {
    expect(diffWords('one two', 'one two')).toEqual([{ kind: 'same', text: 'one two' }])
    expect(diffWords('', 'one two')).toEqual([{ kind: 'new', text: 'one two' }])
    expect(diffWords('one two', '')).toEqual([{ kind: 'gone', text: 'one two' }])
  })

  test('both texts can be read from it, but for spaces', () => {
    const words = fc.array(fc.constantFrom('the', 'bell', 'rang', 'twice', '.', ' ', '\n\n', '“Ring”'), {
      maxLength: 30,
    })
    fc.assert(
      fc.property(words, words, (before, after) => {
        const pieces = diffWords(before.join(' '), after.join(' '))
        const read = (kind: 'gone' | 'new') =>
          pieces
            .filter((piece) => piece.kind === 'same' || piece.kind === kind)
            .map((piece) => piece.text)
            .join('')
        expect(squeeze(read('gone'))).toBe(squeeze(before.join(' ')))
        expect(squeeze(read('new'))).toBe(squeeze(after.join(' ')))
      }),
    )
  })
})

describe('format', () => {
  const now = new Date('2026-11-21T12:00:00Z')

  test('says when, in the words of somebody who was there', () => {
    expect(when('2026-11-21T11:59:30Z', now)).toBe('just now')
    expect(when('2026-11-21T11:40:00Z', now)).toBe('20 minutes ago')
    expect(when('2026-11-21T09:00:00Z', now)).toBe('3 hours ago')
    expect(when('2026-11-20T22:40:00Z', now)).toMatch(/^yesterday, (22:40|10:40)/)
    expect(when('2026-11-17T09:12:00Z', now)).toMatch(/^Tuesday, 0?9:12/)
    expect(when('2025-11-17T09:12:00Z', now)).toMatch(/2025/)
    expect(span('2026-11-24T09:00:00Z', now)).toBe('in 3 days')
  })

  test('a calendar day is the same day everywhere', () => {
    expect(calendarDay('2026-11-01', now)).toMatch(/\b1\b/)
    expect(calendarDay('2026-11-01', now)).toMatch(/November/)
  })

  test('counts, sizes and initials', () => {
    expect([count(0, 'note'), count(1, 'note'), count(1200, 'note')]).toEqual(['no notes', '1 note', '1,200 notes'])
    expect([bytes(512), bytes(86_400_000), bytes(2_000_000_000)]).toEqual(['512 bytes', '86.4 MB', '2 GB'])
    expect([initials('Imke'), initials('Marta Quill')]).toEqual(['IM', 'MQ'])
  })
})

test('operations, fields and kinds have words, known or not', () => {
  expect(operationLabel('update_npc')).toBe('changes a person')
  expect(operationLabel('create_objective')).toBe('adds a step')
  expect(operationLabel('set_objective_done')).toBe('ticks a step')
  expect(fieldLabel('dmSecret')).toBe('Secret')
  expect(fieldLabel('rewardCoins')).toBe('Reward coins')
  expect(entityLabel('inbox_item')).toBe('note to the DM')
})
