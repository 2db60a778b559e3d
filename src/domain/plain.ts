import * as z from 'zod'
import type { Context } from '../kernel/context.ts'
import type { Entity, FieldsOf, NewRowOf, Patch, VisibleRowOf } from '../kernel/entity.ts'
import { fail } from '../kernel/errors.ts'
import { campaign } from './campaign/entity.ts'

// Handlers of operations that do no more than their names say. Route, access, input and output stay with the operation.

type Named<K extends string> = { readonly [P in K]: number }

/** Answers the row that a member of the input names. */
export function gets<E extends Entity, K extends string>(entity: E, member: K) {
  return (context: Context, input: Named<K>): VisibleRowOf<E> => context.read(entity).get(input[member])
}

/** Makes a row of what the input holds besides the campaign, and answers it. */
export function creates<E extends Entity>(entity: E) {
  return (context: Context, input: { readonly campaignId: number } & NewRowOf<E>): VisibleRowOf<E> => {
    const { campaignId: _, ...values } = input
    refuseStrangers(entity, values)
    const made = 'hidden' in entity.fields ? asNew(context, values) : values
    return changed(context, entity, context.write(entity).insert(made as unknown as NewRowOf<E>))
  }
}

/**
 * A new thing of the tale, seen by players or not as its input says. Where that says nothing, what a Dungeon Master makes is
 * as their campaign begins such things; what a player proposed they know already.
 */
export function asNew<V extends object>(context: Context, values: V & { readonly hidden?: boolean | undefined }): V {
  if (values.hidden !== undefined || context.authorRole !== 'dm') return values
  return context.read(campaign).get(context.campaignId).hidesNewThings === true ? { ...values, hidden: true } : values
}

/** Changes the row that a member of the input names to what the rest of it says, and answers it. */
export function updates<E extends Entity, K extends string>(entity: E, member: K) {
  return (
    context: Context,
    input: Named<K> & { readonly expectedRevision?: number | undefined } & Patch<FieldsOf<E>>,
  ): VisibleRowOf<E> => {
    const { [member]: id, expectedRevision, ...patch } = input
    refuseStrangers(entity, patch)
    context.write(entity).update(id, patch as Patch<FieldsOf<E>>, expectedRevision)
    return changed(context, entity, id)
  }
}

/**
 * Changes the only row of its kind that a campaign has, or makes it: until then it is at revision 0, and holds what the entity
 * says. Throws `stale_revision`.
 */
export function changeOnly<E extends Entity>(
  context: Context,
  entity: E,
  patch: Patch<FieldsOf<E>> & NewRowOf<E>,
  expectedRevision?: number,
): void {
  const row = context.read(entity).first()
  if (row !== null) context.write(entity).update(Number(row.id), patch, expectedRevision)
  else if (expectedRevision === undefined || expectedRevision === 0) context.write(entity).insert(patch)
  else
    throw fail(
      'stale_revision',
      `This ${entity.label} is at revision 0 now, not ${expectedRevision}. Read it again, then repeat your change.`,
    )
}

/** Moves the row that a member of the input names to the trash, with what it owns. */
export function deletes<K extends string>(entity: Entity, member: K) {
  return (context: Context, input: Named<K>): z.input<typeof trashedOutput> => trashed(context, entity, input[member])
}

/** A member of the input that is no field would be lost without a word: such an operation does more than its name says. */
function refuseStrangers(entity: Entity, values: object): void {
  const stranger = Object.keys(values).find((key) => !(key in entity.fields))
  if (stranger !== undefined) throw new Error(`${entity.name} has no field ${stranger}: write its handler out`)
}

/**
 * A row after a change. Throws `forbidden` where somebody asks for one that they would not see: hiding is the Dungeon
 * Master's.
 */
export function changed<E extends Entity>(context: Context, entity: E, id: number): VisibleRowOf<E> {
  const row = context.read(entity).find(id)
  if (row !== null) return row
  throw fail(
    'forbidden',
    `This would hide the ${entity.label} from players. Only a Dungeon Master does that: leave it away.`,
  )
}

/** The answer of every delete: what restore_from_trash needs to bring it back. */
export const trashedOutput = z.object({ trashed: z.object({ entityType: z.string(), entityId: z.int() }) })

/** Moves a row and what it owns to the trash. */
export function trashed(context: Context, entity: Entity, id: number): z.input<typeof trashedOutput> {
  context.write(entity).trash(id)
  return { trashed: { entityType: entity.name, entityId: id } }
}
