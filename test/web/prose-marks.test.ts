import { EditorSelection, type EditorState } from '@codemirror/state'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { proseState, shownOf } from '../../src/web/kit/prose-editor.ts'
import { blockOf, continuation, spansOf } from '../../src/web/kit/prose-marks.ts'

// What an editor for prose makes of Markdown: shown as what it means, and stored as it was.

const read = (line: string) =>
  spansOf(line).map(({ kind, from, to, open, close }) => [kind, line.slice(from + open, to - close)])

describe('a line', () => {
  test('has its emphasis, links and mentions, one inside of the other', () => {
    expect(read('**Marta *Quill*** has `x*y*` and _more_')).toEqual([
      ['strong', 'Marta *Quill*'],
      ['em', 'Quill'],
      ['code', 'x*y*'],
      ['em', 'more'],
    ])
    expect(read('[The mill](location:3) burns ~~twice~~, see [there](https://example.org/a_b_c)')).toEqual([
      ['mention', '[The mill](location:3)'],
      ['strike', 'twice'],
      ['link', 'there'],
    ])
    const [mention] = spansOf('ask [Old \\[Marrin\\]](npc:12)!')
    expect(mention).toMatchObject({ name: 'Old [Marrin]', entityType: 'npc', from: 4, to: 28 })
  })

  test('has none where signs are letters', () => {
    for (const line of [
      '2 * 3 * 4',
      'snake_case_name',
      '\\*not\\*',
      'a ** b ** c',
      '[x](npc:0)',
      '![x](/api/v1/a)',
      '* * *',
    ])
      expect(read(line), line).toEqual([])
  })

  test('is a heading, spoken words, an item or nothing of it', () => {
    expect(blockOf('## The mill')).toEqual({ kind: 'heading', signs: 3, level: 2 })
    expect(blockOf('> > Ring it')).toEqual({ kind: 'quote', signs: 4, level: 2 })
    expect(blockOf('  - a coin')).toEqual({ kind: 'bullet', signs: 4, level: 1 })
    expect(blockOf('12. a coin')).toEqual({ kind: 'number', signs: 4, level: 0 })
    for (const line of ['#tag', '-5 degrees', '* * *', '---', '3.5 miles', ' plain']) expect(blockOf(line)).toBeNull()
    expect(['- a', '  * b', '9. c', '> d', '# e', 'f'].map(continuation)).toEqual([
      '- ',
      '  * ',
      '10. ',
      '> ',
      null,
      null,
    ])
  })
})

/** Texts of what people and programs write, and of whatever else there is. */
const pieces = fc.constantFrom(
  ...[
    '**',
    '*',
    '_',
    '~~',
    '`',
    '```',
    '# ',
    '## ',
    '> ',
    '- ',
    '1. ',
    '  ',
    '\t',
    '\n',
    '\n\n',
    '\r\n',
    '\r',
    '\\',
    '[',
    ']',
  ],
  ...['(', ')', '![', '[Marta](npc:1)', '[x](npc:', 'https://example.org', '| a | b |', '---', '<b>', '&amp;', 'Ärger'],
  ...['bell', 'ö', '👩‍👩‍👧', '\u200b', '\u00a0', 'שלום', '日本語', '\u2028', '\0', ' '],
)
const texts = fc.oneof(
  fc.array(pieces, { maxLength: 40 }).map((all) => all.join('')),
  fc.string({ unit: 'binary', maxLength: 60 }),
)

describe('any text', () => {
  test('is the same when it comes out again, and shown without an error wherever the caret is', () => {
    fc.assert(
      fc.property(texts, fc.nat(), (text, place) => {
        const state = proseState(text)
        expect(state.doc.toString()).toBe(text)
        const moved = state.update({ selection: EditorSelection.cursor(place % (text.length + 1)) }).state
        expect(moved.doc.toString()).toBe(text)
        const view = { state: moved, hasFocus: true, visibleRanges: [{ from: 0, to: text.length }] }
        const { decorations, atoms } = shownOf(view, (kind) => kind)
        let hidden = 0
        for (let each = atoms.iter(); each.value !== null; each.next()) hidden += each.to - each.from
        expect(hidden).toBeLessThanOrEqual(text.length)
        expect(decorations.size).toBeGreaterThanOrEqual(atoms.size)
      }),
      { numRuns: 400, seed: 20_261_122 },
    )
  })

  test('keeps every other letter where one is written and taken away again', () => {
    fc.assert(
      fc.property(texts, fc.nat(), (text, at) => {
        const place = at % (text.length + 1)
        const state: EditorState = proseState(text)
        const written = state.update({ changes: { from: place, insert: 'x' } }).state
        expect(written.doc.toString()).toBe(`${text.slice(0, place)}x${text.slice(place)}`)
        const again = written.update({ changes: { from: place, to: place + 1 } }).state
        expect(again.doc.toString()).toBe(text)
      }),
      { numRuns: 200, seed: 20_261_122 },
    )
  })
})
