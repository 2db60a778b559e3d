import type * as z from 'zod'
import { type SchemaMarks, schemaMarks } from './fields.ts'
import { atLeast, type Viewer } from './viewer.ts'

type Source = Readonly<Record<string, unknown>> & { readonly [cleared]?: Readonly<Record<string, unknown>> }
type Project = (value: unknown, viewer: Viewer) => unknown
const compiled = new WeakMap<z.ZodType, Project>()

/**
 * On a row that was read through a viewer's eyes: the members that only some may read, as far as this viewer may. A spread
 * copies it, so it stays with the row in an answer that adds to it.
 */
export const cleared: unique symbol = Symbol('cleared')

/**
 * What `viewer` receives of an answer: declared members only, secret ones only for their audience. Rows are projected
 * when they are read; this second pass is the net under that. A schema kind that the walk does not know throws at start.
 */
export function project(schema: z.ZodType, value: unknown, viewer: Viewer): unknown {
  return projectionOf(schema)(value, viewer)
}

/** Compiles a schema once. Throws on a schema kind that it could only pass through unseen. */
export function projectionOf(schema: z.ZodType): Project {
  const known = compiled.get(schema)
  if (known) return known
  const made = compile(schema)
  compiled.set(schema, made)
  return made
}

/** What has no members, and most members have none, is answered as it is. */
const asIs: Project = (value) => value

function compile(schema: z.ZodType): Project {
  const def = schema._zod.def
  switch (def.type) {
    case 'string':
    case 'number':
    case 'int':
    case 'boolean':
    case 'null':
    case 'literal':
    case 'enum':
    case 'custom':
    case 'undefined':
    case 'void':
      return asIs
    case 'record':
    case 'unknown':
    case 'any':
      // Free-form members (the input of a proposal, the fields of a revision) are projected where they are read.
      return asIs
    case 'object':
      return compileObject(schema as z.ZodObject)
    case 'array': {
      const element = projectionOf((schema as z.ZodArray<z.ZodType>).element)
      if (element === asIs) return asIs
      return (value, viewer) => (Array.isArray(value) ? value.map((item) => element(item, viewer)) : value)
    }
    case 'nullable':
    case 'optional':
    case 'readonly': {
      const inner = projectionOf((schema as z.ZodNullable<z.ZodType>)._zod.def.innerType)
      if (inner === asIs) return asIs
      return (value, viewer) => (value === null || value === undefined ? value : inner(value, viewer))
    }
    case 'union':
      return compileUnion(schema as z.ZodUnion<z.ZodType[]>)
    default:
      throw new Error(`projection does not know the schema kind ${def.type}`)
  }
}

function compileObject(schema: z.ZodObject): Project {
  const members = Object.entries(schema.shape).map(([key, member]) => {
    const audience = schemaMarks.get(member)?.audience
    return { key, audience, inner: projectionOf(member) }
  })
  return (value, viewer) => {
    if (typeof value !== 'object' || value === null) return value
    const source = value as Source
    const result: Record<string, unknown> = {}
    for (const { key, audience, inner } of members) {
      const member = source[key]
      if (member === undefined) continue
      if (audience !== undefined && !mayReceive(audience, key, source, viewer)) continue
      result[key] = inner === asIs ? member : inner(member, viewer)
    }
    return result
  }
}

/** `cleared` holds for the very value that was read: one that came from anywhere else is dropped. */
function mayReceive(
  audience: NonNullable<SchemaMarks['audience']>,
  key: string,
  source: Source,
  viewer: Viewer,
): boolean {
  if (audience === 'cleared') return source[cleared] !== undefined && source[cleared][key] === source[key]
  return atLeast(viewer.role, 'dm') || (audience !== 'dm' && source[audience.owner] === viewer.userId)
}

function compileUnion(schema: z.ZodUnion<z.ZodType[]>): Project {
  const options = schema.options.map((option) => ({ option, inner: projectionOf(option) }))
  return (value, viewer) => {
    const match = options.find(({ option }) => option.safeParse(value).success)
    if (!match) throw new Error('a union in an answer matched none of its options')
    return match.inner(value, viewer)
  }
}
