import type { Context } from '../../kernel/context.ts'
import type { RowOf } from '../../kernel/entity.ts'
import { fail } from '../../kernel/errors.ts'
import { member } from './entity.ts'

/** Throws `last_dm` where taking this member's role away would leave the campaign without a Dungeon Master. */
export function keepOneDungeonMaster(context: Context, row: RowOf<typeof member>): void {
  const isOne = row.role === 'dm' && row.accepted
  if (isOne && context.unfiltered(member).count({ role: 'dm', accepted: true }) === 1) throw fail('last_dm')
}
