import type * as z from 'zod'

type Kind = { readonly type: string; readonly [key: string]: unknown }

/** Path and query members arrive as text; this gives each the type its field asks for, and leaves the judging to the parse. */
export function coerceStrings(
  shape: Readonly<Record<string, z.ZodType>>,
  raw: readonly (readonly [member: string, value: unknown])[],
): Record<string, unknown> {
  const typed: Record<string, unknown> = {}
  for (const [key, given] of raw) {
    // A member may be called "constructor" or "__proto__": what every object has is no field.
    const schema = Object.hasOwn(shape, key) ? shape[key] : undefined
    const value = schema ? coerce(schema, given) : given
    if (key !== '__proto__') typed[key] = value
    else Object.defineProperty(typed, key, { value, enumerable: true })
  }
  return typed
}

function coerce(schema: z.ZodType, value: unknown): unknown {
  const def = unwrapped(schema)._zod.def as unknown as Kind
  if (def.type === 'array') {
    const list = Array.isArray(value)
      ? value
      : typeof value === 'string'
        ? value.split(',').filter((part) => part !== '')
        : [value]
    return list.map((item) => coerce(def.element as z.ZodType, item))
  }
  if (typeof value !== 'string') return value
  // Only the canonical spelling of a number counts: '1e3', ' 7' and '' stay text and are refused.
  if (def.type === 'number') return /^-?(0|[1-9][0-9]*)(\.[0-9]+)?$/.test(value) ? Number(value) : value
  if (def.type === 'boolean') return value === 'true' ? true : value === 'false' ? false : value
  return value
}

function unwrapped(schema: z.ZodType): z.ZodType {
  const def = schema._zod.def as unknown as Kind
  return def.type === 'optional' || def.type === 'nullable' ? unwrapped(def.innerType as z.ZodType) : schema
}
