import * as z from 'zod'
import type { Context } from '../kernel/context.ts'
import { fail } from '../kernel/errors.ts'
import { instant } from '../kernel/fields.ts'
import { safetySignal, safetySignalKind } from './safety/entity.ts'

/** What everybody at the table sees while somebody wants it to stop. */
export const safetyOutput = z.object({ kind: safetySignalKind, since: instant() }).nullable()

/** The signal that stands in the campaign of the call; null while the table plays. */
export function standingSignal(context: Pick<Context, 'unfiltered'>): z.output<typeof safetyOutput> {
  // Everybody sees it, whatever is closed to their app: what would go on must know.
  const row = context.unfiltered(safetySignal).first()
  return row && { kind: row.kind, since: row.createdAt }
}

/**
 * For what must not go on while the table is still: turns, and whatever the AI seat does. Asked in its own transaction.
 * Throws `invalid_state` while a signal stands.
 */
export function refuseWhileStill(context: Pick<Context, 'unfiltered'>): void {
  if (standingSignal(context) !== null)
    throw fail(
      'invalid_state',
      'Somebody asked to stop: the table is still. A Dungeon Master lets it go on with clear_safety_signal.',
    )
}
