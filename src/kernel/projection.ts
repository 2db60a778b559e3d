import type * as z from 'zod'
import { type SchemaMarks, schemaMarks } from './fields.ts'
import { atLeast, type Viewer } from './viewer.ts'

type Source = Readonly<Record<string, unknown>> & { readonly [cleared]?: Readonly<Record<string, unknown>> }
type Project = (value: unknown, viewer: Viewer) => unknown
const compiled = new WeakMap<z.ZodType, Compiled>()

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
  return compiledOf(schema).project
}

/** What is made of a schema. */
interface Compiled {
  readonly project: Project
  /** Whether a value is received as it is. Most rows are, and to look is a third of what a copy costs. */
  isWhole(value: unknown, viewer: Viewer): boolean
}

function compiledOf(schema: z.ZodType): Compiled {
  const known = compiled.get(schema)
  if (known) return known
  const made = compile(schema)
  compiled.set(schema, made)
  return made
}

/** What has no members, and most members have none, is answered as it is. */
const asIs: Compiled = { project: (value) => value, isWhole: () => true }

function compile(schema: z.ZodType): Compiled {
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
      const element = compiledOf((schema as z.ZodArray<z.ZodType>).element)
      if (element === asIs) return asIs
      const isWhole: Compiled['isWhole'] = (value, viewer) =>
        !Array.isArray(value) || value.every((item) => element.isWhole(item, viewer))
      return {
        isWhole,
        project: (value, viewer) => (Array.isArray(value) ? value.map((item) => element.project(item, viewer)) : value),
      }
    }
    case 'nullable':
    case 'optional':
    case 'readonly': {
      const inner = compiledOf((schema as z.ZodNullable<z.ZodType>)._zod.def.innerType)
      if (inner === asIs) return asIs
      const isNone = (value: unknown): boolean => value === null || value === undefined
      return {
        isWhole: (value, viewer) => isNone(value) || inner.isWhole(value, viewer),
        project: (value, viewer) => (isNone(value) ? value : inner.project(value, viewer)),
      }
    }
    case 'union':
      return compileUnion(schema as z.ZodUnion<z.ZodType[]>)
    default:
      throw new Error(`projection does not know the schema kind ${def.type}`)
  }
}

interface Member {
  readonly key: string
  readonly audience: SchemaMarks['audience']
  readonly inner: Compiled
}

function compileObject(schema: z.ZodObject): Compiled {
  const members: readonly Member[] = Object.entries(schema.shape).map(([key, member]) => {
    const audience = schemaMarks.get(member)?.audience
    return { key, audience, inner: compiledOf(member) }
  })
  const byKey = new Map(members.map((member) => [member.key, member]))
  const isWhole: Compiled['isWhole'] = (value, viewer) => {
    if (typeof value !== 'object' || value === null) return true
    const source = value as Source
    // What was noted for this net is no part of an answer.
    if (source[cleared] !== undefined) return false
    for (const key in source) {
      const member = byKey.get(key)
      if (member === undefined) return false
      const { audience, inner } = member
      if (audience !== undefined && !mayReceive(audience, key, source, viewer)) return false
      if (inner !== asIs && !inner.isWhole(source[key], viewer)) return false
    }
    return true
  }
  return {
    isWhole,
    project(value, viewer) {
      if (isWhole(value, viewer)) return value
      const source = value as Source
      const result: Record<string, unknown> = {}
      for (const { key, audience, inner } of members) {
        const member = source[key]
        if (member === undefined) continue
        if (audience !== undefined && !mayReceive(audience, key, source, viewer)) continue
        result[key] = inner.project(member, viewer)
      }
      return result
    },
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

function compileUnion(schema: z.ZodUnion<z.ZodType[]>): Compiled {
  const options = schema.options.map((option) => ({ option, inner: compiledOf(option) }))
  const optionOf = (value: unknown): Compiled => {
    const match = options.find(({ option }) => option.safeParse(value).success)
    if (!match) throw new Error('a union in an answer matched none of its options')
    return match.inner
  }
  return {
    isWhole: (value, viewer) => optionOf(value).isWhole(value, viewer),
    project: (value, viewer) => optionOf(value).project(value, viewer),
  }
}
