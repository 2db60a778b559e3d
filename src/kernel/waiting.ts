import type * as z from 'zod'
import { schemaMarks } from './fields.ts'
import { targetOf } from './input-target.ts'
import type { AnyOperation } from './operation.ts'

/** Declarations do not change, and each call asks. */
const reasons = new WeakMap<AnyOperation, string | null>()

/**
 * Why a change can never wait as a proposal, to stand behind "it cannot wait, since"; null where it can. Everything of a
 * campaign can, but what is a person's, holds or answers a secret, leaves no name, or has no campaign to wait in.
 */
export function whyNotWaiting(operation: AnyOperation): string | null {
  const known = reasons.get(operation)
  if (known !== undefined) return known
  const why = reasonOf(operation)
  reasons.set(operation, why)
  return why
}

function reasonOf(operation: AnyOperation): string | null {
  const { effect, access, byPerson, anonymous, secretAnswer, allowedWhen, proposes, input } = operation
  if (effect === 'read') return 'it changes nothing'
  if (proposes) return 'it is how changes are asked for'
  if (byPerson !== undefined) return byPerson
  const isOfServer = ['public', 'user', 'session', 'admin'].includes(access)
  if (isOfServer || targetOf(operation) === null) return 'it belongs to no campaign'
  if (anonymous) return 'nothing may say who asked for it'
  if (secretAnswer || Object.values(input.shape).some(isSecret)) return 'it holds a secret'
  return allowedWhen?.includes('trashed') ? 'a campaign in the trash has no inbox' : null
}

function isSecret(schema: z.core.$ZodType): boolean {
  const { innerType } = schema._zod.def as { readonly innerType?: z.ZodType }
  return schemaMarks.get(schema as z.ZodType)?.secret === true || (innerType !== undefined && isSecret(innerType))
}
