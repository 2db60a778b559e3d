import { expect, test } from 'vitest'
import { jsonParts } from '../../src/transfer/json-stream.ts'

// A large document, read part by part: what comes of each, and where it stops.

const bounds = { partBytes: 100, depth: 3, elements: 4 }
const parts = (text: string) => Array.from(jsonParts(Buffer.from(text), new Set(['rows']), bounds))
const refusal = (text: string): string => {
  try {
    parts(text)
    return 'read'
  } catch (error) {
    return (error as Error).message
  }
}

test('members come as they stand, and the elements of a list one by one', () => {
  expect(parts(' {"a": 1.5, "rows": [{"b": "x]\\"}"}, [2]], "c": "\u00e4" } ')).toEqual([
    { member: 'a', index: null, value: 1.5 },
    { member: 'rows', index: 0, value: { b: 'x]"}' } },
    { member: 'rows', index: 1, value: [2] },
    { member: 'c', index: null, value: '\u00e4' },
  ])
})

test('a part may have as many bytes as are allowed, and one more is refused with its place', () => {
  const element = (bytes: number): string => JSON.stringify('x'.repeat(bytes - 2))
  expect(parts(`{"rows":[${element(100)}]}`)).toHaveLength(1)
  expect(refusal(`{"rows":[1,${element(101)}]}`)).toContain('rows[1]: larger than')
  expect(refusal(`{"notes":${element(101)}}`)).toContain('notes: larger than')
  // One that goes on and on is left before its end.
  expect(refusal(`{"rows":[[${'1,'.repeat(200)}`)).toContain('rows[0]: larger than')
})

test('a part may go as deep as is allowed, and no deeper', () => {
  const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels)
  expect(parts(`{"rows":[${nested(3)}]}`)).toEqual([{ member: 'rows', index: 0, value: [[[]]] }])
  expect(refusal(`{"rows":[${nested(4)}]}`)).toContain('rows[0]: more than 3 levels deep')
})

test('no more elements, no member twice, nothing behind the end, and no prototype', () => {
  expect(refusal('{"rows":[1,2,3,4,5]}')).toContain('rows: more than 4 of them')
  expect(refusal('{"a":1,"a":2}')).toContain('"a" stands there twice')
  expect(refusal('{"a":1} 2')).toContain('something stands behind its end')
  expect(refusal('{"a":{"__proto__":1}}')).toContain('this cannot be read')
  expect(refusal('[1]')).toContain('a list')
  expect(refusal('{"a":"x')).toContain('a text does not end')
})
