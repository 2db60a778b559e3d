import { describe, expect, it, test } from 'vitest'
import * as z from 'zod'
import { inputSchemaOf } from '../../src/mcp/input-schema.ts'

const memberOf = (member: z.ZodType) =>
  (inputSchemaOf(z.strictObject({ member })).properties as Record<string, unknown>).member

describe('the schema of a member', () => {
  test.each([
    ['an integer loses the bounds that zod adds', z.int(), { type: 'integer' }],
    [
      'an integer keeps bounds that one could miss',
      z.int().min(-9).max(20),
      { type: 'integer', minimum: -9, maximum: 20 },
    ],
    ['an integer from one on is like every id', z.int().min(1), { type: 'integer' }],
    ['the length of a text is no matter of the list', z.string().min(1).max(9), { type: 'string' }],
    ['a default is not advertised', z.boolean().default(true), { type: 'boolean' }],
    ['a format needs no pattern', z.iso.datetime(), { type: 'string', format: 'date-time' }],
    ['a pattern of its own stays', z.string().regex(/^d[0-9]+$/), { type: 'string', pattern: '^d[0-9]+$' }],
    [
      'what may be null is no list of types',
      z.boolean().nullable(),
      { anyOf: [{ type: 'boolean' }, { type: 'null' }] },
    ],
    [
      'bounds beside null stay',
      z.int().max(9).nullable(),
      { anyOf: [{ type: 'integer', maximum: 9 }, { type: 'null' }] },
    ],
    [
      'an inner object is strict too',
      z.strictObject({ a: z.int().optional() }),
      { type: 'object', properties: { a: { type: 'integer' } } },
    ],
    ['a free object is just an object', z.record(z.string(), z.unknown()), { type: 'object' }],
    [
      'a map keeps what its values are',
      z.record(z.string(), z.int()),
      { type: 'object', additionalProperties: { type: 'integer' } },
    ],
    [
      'an array says what it holds',
      z.array(z.enum(['a', 'b'])),
      { type: 'array', items: { type: 'string', enum: ['a', 'b'] } },
    ],
    [
      'values that look like keywords are values',
      z.enum(['default', '$schema']),
      { type: 'string', enum: ['default', '$schema'] },
    ],
  ])('%s', (_, member, expected) => {
    expect(memberOf(member)).toEqual(expected)
  })
})

it('keeps members that are named like keywords', () => {
  const schema = inputSchemaOf(
    z.strictObject({ default: z.int(), pattern: z.string(), required: z.boolean().optional() }),
  )
  expect(schema).toEqual({
    type: 'object',
    properties: { default: { type: 'integer' }, pattern: { type: 'string' }, required: { type: 'boolean' } },
    required: ['default', 'pattern'],
  })
})

it('has no members to name in an empty input', () => {
  expect(inputSchemaOf(z.strictObject({}))).toEqual({ type: 'object', properties: {} })
})

it('refuses at start what clients would refuse: a reference', () => {
  const node: z.ZodType = z.strictObject({
    get children() {
      return z.array(node)
    },
  })
  expect(() => inputSchemaOf(z.strictObject({ node }))).toThrow()
})
