import * as z from 'zod'
import { defineEntity } from '../../kernel/entity.ts'
import { required } from '../../kernel/fields.ts'
import type { Notice } from '../../kernel/notices.ts'
import { everyone } from '../../kernel/visibility.ts'

/** `x_card`: the scene ends here. `pause`: everybody breathes, and then it goes on. */
export const safetySignalKind = z.enum(['x_card', 'pause'])

function tellsOfSignal(): readonly Notice[] {
  return [{ kind: 'safety', to: { least: 'viewer' } }]
}

/**
 * That somebody wants it to stop. Nothing of it, and nothing that is written with it, says who; there is one at a time, so that
 * nobody counts how many did, and it is gone for good when a Dungeon Master lets the table go on.
 */
export const safetySignal = defineEntity({
  name: 'safety_signal',
  table: 'safety_signals',
  label: 'safety signal',
  listedBy: 'get_campaign',
  title: 'kind',
  journal: 'anonymous',
  visible: everyone,
  tells: tellsOfSignal,
  lists: { orders: [[]] },
  since: 4,
  fields: {
    kind: required(safetySignalKind, { carry: { drop: 'it is of an evening, not of the tale' } }),
  },
})
