import type * as z from 'zod'
import { schemaMarks } from './fields.ts'

type Input = Readonly<Record<string, unknown>>

/** An input and the passwords in it, apart: what is kept of a call, and be it a hash, is made of the rest. */
export interface ApartInput {
  readonly rest: Input
  /** Null where it has none. */
  readonly passwords: Input | null
}

const passwordMembers = new WeakMap<z.ZodObject, ReadonlySet<string>>()

export function withoutPasswords(schema: z.ZodObject, input: Input): ApartInput {
  const members = passwordMembers.get(schema) ?? passwordsOf(schema)
  passwordMembers.set(schema, members)
  if (members.size === 0) return { rest: input, passwords: null }
  const entries = Object.entries(input)
  const secret = entries.filter(([member]) => members.has(member))
  return {
    rest: Object.fromEntries(entries.filter(([member]) => !members.has(member))),
    passwords: secret.length === 0 ? null : Object.fromEntries(secret),
  }
}

function passwordsOf({ shape }: z.ZodObject): ReadonlySet<string> {
  const isPassword = (schema: z.ZodType): boolean => {
    const { innerType } = schema._zod.def as { readonly innerType?: z.ZodType }
    return schemaMarks.get(schema)?.secret === true || (innerType !== undefined && isPassword(innerType))
  }
  return new Set(Object.keys(shape).filter((member) => isPassword(shape[member] as z.ZodType)))
}
