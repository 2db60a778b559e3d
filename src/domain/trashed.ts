import * as z from 'zod'
import type { Context } from '../kernel/context.ts'
import type { Entity } from '../kernel/entity.ts'

/** The answer of every delete: what restore_from_trash needs to bring it back. */
export const trashedOutput = z.object({ trashed: z.object({ entityType: z.string(), entityId: z.int() }) })

/** Moves a row and what it owns to the trash. */
export function trashed(context: Context, entity: Entity, id: number): z.input<typeof trashedOutput> {
  context.write(entity).trash(id)
  return { trashed: { entityType: entity.name, entityId: id } }
}
