import * as z from 'zod'
import { schemaWords } from '../kernel/fields.ts'
import { limits } from '../kernel/limits.ts'

type Json = null | boolean | number | string | Json[] | { [key: string]: Json }
export interface ObjectSchema {
  readonly type: 'object'
  readonly [keyword: string]: Json
}

/**
 * The JSON Schema (draft 2020-12) of a tool's arguments, without what only costs bytes: zod checks every call anyway.
 * Throws where it would need a reference or a choice at its root, which makes clients drop the tool.
 */
export function inputSchemaOf(input: z.ZodObject): ObjectSchema {
  const schema = trimmed(
    z.toJSONSchema(input, { io: 'input', reused: 'inline', cycles: 'throw', override: spokenOf }) as Json,
  )
  if (!isPlainObject(schema)) throw new Error('the input of a tool is not a plain object')
  return schema
}

/** What has words for its form is an object with these. */
function spokenOf({
  zodSchema,
  jsonSchema,
}: {
  zodSchema: z.core.$ZodTypes
  jsonSchema: Record<string, unknown>
}): void {
  const words = schemaWords.get(zodSchema as unknown as z.ZodType)?.words
  if (words === undefined) return
  for (const keyword of Object.keys(jsonSchema)) delete jsonSchema[keyword]
  Object.assign(jsonSchema, { type: 'object', description: words })
}

function isPlainObject(schema: Json): schema is { type: 'object'; [keyword: string]: Json } {
  return isRecord(schema) && schema.type === 'object' && !('anyOf' in schema || 'oneOf' in schema || 'allOf' in schema)
}

function isRecord(value: Json): value is { [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function trimmed(node: Json): Json {
  if (Array.isArray(node)) return node.map(trimmed)
  if (!isRecord(node)) return node
  const kept = Object.entries(node).filter(([keyword, value]) => !isIdle(keyword, value, node))
  return withoutTypeList(Object.fromEntries(kept.map(([keyword, value]) => [keyword, trimmedKeyword(keyword, value)])))
}

/** Names of members and literal values are data, not keywords. */
function trimmedKeyword(keyword: string, value: Json): Json {
  if (keyword === 'properties' && isRecord(value)) {
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, trimmed(member)]))
  }
  return keyword === 'enum' || keyword === 'const' ? value : trimmed(value)
}

/** Bounds beyond it are for who means no good. */
const farAway = 1000
const longestPattern = 80

function isIdle(keyword: string, value: Json, node: { readonly [key: string]: Json }): boolean {
  switch (keyword) {
    case '$schema':
    case 'propertyNames':
      return true
    // A client that fills in defaults would overwrite what an update leaves alone.
    case 'default':
      return true
    // Bounds that zod adds to every integer by itself.
    case 'maximum':
      return typeof value === 'number' && (value >= farAway || value === limits.page.most)
    case 'minimum':
      return typeof value === 'number' && (value <= -farAway || value === 1)
    // Who is too long or empty is told so; nobody writes to the limit of a name, nor asks for the longest page.
    case 'minLength':
    case 'maxLength':
    case 'maxItems':
      return true
    // The format says the same in fewer bytes; a long pattern says nothing to a reader, and the refusal shows the form.
    case 'pattern':
      return 'format' in node || (typeof value === 'string' && value.length > longestPattern)
    // A strange member is refused with the nearest there is, which says more than that there is none; or the object is open.
    case 'additionalProperties':
      return value === false || (isRecord(value) && Object.keys(value).length === 0)
    case 'required':
      return Array.isArray(value) && value.length === 0
    default:
      return false
  }
}

/** A list of types is refused by some hosts (Gemini's among them); `anyOf` says the same and is taken by all. */
function withoutTypeList(node: { [key: string]: Json }): Json {
  const { type, ...rest } = node
  return Array.isArray(type) ? { ...rest, anyOf: type.map((each) => ({ type: each })) } : node
}
