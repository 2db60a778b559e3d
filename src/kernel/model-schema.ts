import * as z from 'zod'
import type { JsonSchema } from './model-port.ts'

/**
 * A schema as models are asked for it (draft 7): objects are strict, every member is required and an optional one may be null,
 * since providers hold models to a schema by grammars that fail on many optional members. Patterns, formats and the bounds that
 * zod adds to every whole number are left out; the answer is judged by the real schema anyway.
 */
export function modelSchema(schema: z.ZodType): JsonSchema {
  return simplified(z.toJSONSchema(schema, { target: 'draft-7', io: 'input' })) as JsonSchema
}

function simplified(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(simplified)
  if (typeof node !== 'object' || node === null) return node
  const {
    $schema: _,
    pattern: __,
    format: ___,
    default: ____,
    properties,
    ...rest
  } = node as Readonly<Record<string, unknown>>
  const kept = Object.entries(rest).filter(
    ([name, value]) =>
      !((name === 'maximum' || name === 'minimum') && Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER),
  )
  const plain = Object.fromEntries(kept.map(([name, value]) => [name, simplified(value)]))
  if (typeof properties !== 'object' || properties === null) return plain
  const required = new Set(Array.isArray(rest.required) ? (rest.required as readonly string[]) : [])
  const members = Object.entries(properties).map(([name, each]) => [
    name,
    required.has(name) ? simplified(each) : orNull(simplified(each)),
  ])
  return {
    ...plain,
    properties: Object.fromEntries(members),
    required: Object.keys(properties),
    additionalProperties: false,
  }
}

function orNull(schema: unknown): unknown {
  const { anyOf } = schema as { readonly anyOf?: readonly { readonly type?: unknown }[] }
  if (anyOf?.some(({ type }) => type === 'null') === true) return schema
  return { anyOf: [schema, { type: 'null' }] }
}
