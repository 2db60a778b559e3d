import * as z from 'zod'
import { schemaWords } from '../kernel/fields.ts'
import { typeHint } from './input-hint.ts'

type Json = null | boolean | number | string | Json[] | { [key: string]: Json }
export interface ObjectSchema {
  readonly type: 'object'
  readonly [keyword: string]: Json
}

/** What pages take besides `cursor`: the instructions tell it once. No schema forbids what it does not name. */
const ofPages: ReadonlySet<string> = new Set(['limit', 'view'])
/** What changes take: told once as well. */
const ofChanges: ReadonlySet<string> = new Set(['expectedRevision', 'idempotencyKey'])

/**
 * The JSON Schema (draft 2020-12) of a tool's arguments, without what only costs bytes: zod checks every call anyway.
 * It refuses nothing that a call accepts. `omitted`: what a call fills in by itself. Throws where it would need a reference or a choice at its root, which makes
 * clients drop the tool.
 */
export function inputSchemaOf(input: z.ZodObject, omitted: readonly string[] = []): ObjectSchema {
  const schema = trimmed(
    z.toJSONSchema(input, { io: 'input', reused: 'inline', cycles: 'throw', override: spokenOf }) as Json,
  )
  if (!isPlainObject(schema)) throw new Error('the input of a tool is not a plain object')
  const { properties, required, ...rest } = schema
  const needed = Array.isArray(required) ? required.filter((name) => !omitted.some((other) => other === name)) : []
  return {
    ...rest,
    ...(properties !== undefined && isRecord(properties) ? { properties: membersOf(properties, needed) } : {}),
    ...(needed.length > 0 ? { required: needed } : {}),
  }
}

/** Those that the instructions do not tell; what is an object with members of its own says them on one line. */
function membersOf(properties: { readonly [name: string]: Json }, needed: readonly Json[]): { [name: string]: Json } {
  const isToldOnce = (name: string): boolean =>
    !needed.includes(name) && (ofChanges.has(name) || ('cursor' in properties && ofPages.has(name)))
  const told = Object.entries(properties).filter(([name]) => !isToldOnce(name))
  return Object.fromEntries(told.map(([name, schema]) => [name, spelled(schema)]))
}

function spelled(schema: Json): Json {
  if (!isRecord(schema)) return schema
  if (schema.type === 'array' && schema.items !== undefined) return { ...schema, items: spelled(schema.items) }
  if (Array.isArray(schema.anyOf)) {
    const choices = schema.anyOf.filter(isRecord)
    if (choices.every(hasMembers)) return { type: 'object', description: choices.map(typeHint).join(' or ') }
    return { ...schema, anyOf: choices.map(spelled) }
  }
  return hasMembers(schema) ? { type: 'object', description: typeHint(schema) } : schema
}

function hasMembers(schema: { readonly [keyword: string]: Json }): boolean {
  return schema.type === 'object' && 'properties' in schema
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
  const kept = Object.entries(node).filter(([keyword, value]) => !isIdle(keyword, value))
  return withoutTypeList(Object.fromEntries(kept.map(([keyword, value]) => [keyword, trimmedKeyword(keyword, value)])))
}

/** Names of members and literal values are data, not keywords. */
function trimmedKeyword(keyword: string, value: Json): Json {
  if (keyword === 'properties' && isRecord(value)) {
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, trimmed(member)]))
  }
  return keyword === 'enum' || keyword === 'const' ? value : trimmed(value)
}

function isIdle(keyword: string, value: Json): boolean {
  switch (keyword) {
    case '$schema':
    case 'propertyNames':
      return true
    // A client that fills in defaults would overwrite what an update leaves alone.
    case 'default':
      return true
    // Who goes beyond a bound or misses a form is told it; few ever do, and every model would read it each time.
    case 'minimum':
    case 'maximum':
    case 'exclusiveMinimum':
    case 'exclusiveMaximum':
    case 'minLength':
    case 'maxLength':
    case 'minItems':
    case 'maxItems':
    case 'pattern':
    // Times and days have one form everywhere.
    case 'format':
      return true
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
