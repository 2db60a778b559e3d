import { describe, expect, it, test } from 'vitest'
import * as z from 'zod'
import { inputSchemaOf } from '../../src/mcp/input-schema.ts'

const memberOf = (member: z.ZodType) =>
  (inputSchemaOf(z.strictObject({ member })).properties as Record<string, unknown>).member

describe('the schema of a member', () => {
  test.each([
    ['an integer loses the bounds that zod adds', z.int(), { type: 'integer' }],
    ['whoever goes beyond a bound is told so', z.int().min(-9).max(20), { type: 'integer' }],
    ['an integer from one on is like every id', z.int().min(1), { type: 'integer' }],
    ['the length of a text is no matter of the list', z.string().min(1).max(9), { type: 'string' }],
    ['a default is not advertised', z.boolean().default(true), { type: 'boolean' }],
    ['times have one form everywhere', z.iso.datetime(), { type: 'string' }],
    ['whoever misses a pattern is told it', z.string().regex(/^d[0-9]+$/), { type: 'string' }],
    [
      'what may be null is no list of types',
      z.boolean().nullable(),
      { anyOf: [{ type: 'boolean' }, { type: 'null' }] },
    ],
    [
      'an inner object says its members on one line',
      z.strictObject({ a: z.int().optional(), b: z.string(), c: z.array(z.strictObject({ d: z.boolean() })) }),
      { type: 'object', description: '{a?: int, b, c: {d: boolean}[]}' },
    ],
    [
      'so does one in an array, or beside null',
      z.array(z.strictObject({ a: z.int() })).nullable(),
      { anyOf: [{ type: 'array', items: { type: 'object', description: '{a: int}' } }, { type: 'null' }] },
    ],
    [
      'and a choice of objects',
      z.union([z.strictObject({ x: z.number() }), z.strictObject({ points: z.array(z.int()) })]),
      { type: 'object', description: '{x: number} or {points: int[]}' },
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

it('leaves out what the instructions tell of all pages and changes, unless it is needed', () => {
  const page = { query: z.string(), cursor: z.string().optional(), limit: z.int().optional() }
  expect(inputSchemaOf(z.strictObject({ ...page, view: z.enum(['brief', 'full']).optional() }))).toEqual({
    type: 'object',
    properties: { query: { type: 'string' }, cursor: { type: 'string' } },
    required: ['query'],
  })
  const change = { expectedRevision: z.int().optional(), idempotencyKey: z.string().optional(), limit: z.int() }
  expect(inputSchemaOf(z.strictObject(change))).toEqual({
    type: 'object',
    properties: { limit: { type: 'integer' } },
    required: ['limit'],
  })
})

it('does not ask for what a call fills in', () => {
  const input = z.strictObject({ campaignId: z.int(), name: z.string() })
  expect(inputSchemaOf(input, ['campaignId'])).toMatchObject({
    properties: { campaignId: { type: 'integer' } },
    required: ['name'],
  })
  expect(inputSchemaOf(z.strictObject({ campaignId: z.int() }), ['campaignId'])).not.toHaveProperty('required')
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
