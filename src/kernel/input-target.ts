import type * as z from 'zod'
import type { ProposedInput } from './context.ts'
import { schemaMarks } from './fields.ts'
import { type AnyOperation, routeOf } from './operation.ts'

// What the input of an operation names, as far as its declaration says it.

/** The member of an operation's input that says what a call is about, and which entity that is. */
export interface Target {
  readonly member: string
  readonly entity: string
}

/** Declarations do not change, and each call asks. */
const targets = new WeakMap<AnyOperation, Target | null>()

export function targetOf(operation: AnyOperation): Target | null {
  const known = targets.get(operation)
  if (known !== undefined) return known
  const { placeholders } = routeOf(operation.route)
  // What a person or an administrator does with the server lies in no campaign, whatever ids it names.
  const isOfServer = operation.access === 'admin' || operation.access === 'session'
  const inCampaign = 'campaignId' in operation.input.shape ? 'campaignId' : undefined
  const member = isOfServer
    ? undefined
    : (placeholders.find((key) => entityOf(operation, key) !== undefined) ?? inCampaign)
  const target = member === undefined ? null : { member, entity: entityOf(operation, member) ?? 'campaign' }
  targets.set(operation, target)
  return target
}

export function entityOf(operation: AnyOperation, member: string): string | undefined {
  const schema = operation.input.shape[member] as z.ZodType | undefined
  return schema === undefined ? undefined : markedEntity(schema)
}

/** The entity whose id a schema takes: as it is, where it may be left away or null, or in a list. */
function markedEntity(schema: z.ZodType): string | undefined {
  const { innerType, element } = schema._zod.def as { readonly innerType?: z.ZodType; readonly element?: z.ZodType }
  const inner = innerType ?? element
  return schemaMarks.get(schema)?.entity ?? (inner === undefined ? undefined : markedEntity(inner))
}

/** What the members of an operation's input name. */
export function describeInput(operation: AnyOperation): ProposedInput {
  const named = Object.keys(operation.input.shape).flatMap((key) => {
    const entity = entityOf(operation, key)
    return entity === undefined ? [] : [[key, entity] as const]
  })
  return {
    title: operation.title,
    toolset: operation.toolset,
    about: targetOf(operation),
    creates: operation.creates ?? false,
    references: Object.fromEntries(named),
  }
}
