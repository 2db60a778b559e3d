import * as z from 'zod'
import { defineOperation } from '../../kernel/operation.ts'
import { campaign } from '../campaign/entity.ts'
import { safetyOutput, standingSignal } from '../safety-state.ts'
import { safetySignal, safetySignalKind } from './entity.ts'

const inCampaign = { campaignId: campaign.id }
const route = '/campaigns/{campaignId}/safety-signals'
const output = z.object({ campaignId: z.int(), safetySignal: safetyOutput })

export const safetyOperations = {
  raise_safety_signal: defineOperation({
    name: 'raise_safety_signal',
    title: 'Raise a safety signal',
    description: 'X-card or pause: screens, turns and AI stop. Nobody learns who.',
    toolset: 'table',
    access: 'viewer',
    effect: 'write',
    route: `POST ${route}`,
    anonymous: true,
    viewerMay: true,
    allowedWhen: ['archived'],
    input: z.strictObject({ ...inCampaign, kind: safetySignalKind }),
    output,
    example: (world) => ({ campaignId: world.id('campaign'), kind: 'x_card' as const }),
    handle(context, { campaignId, kind }) {
      const standing = context.unfiltered(safetySignal).first()
      if (standing === null) context.write(safetySignal).insert({ kind })
      // Whoever ends a scene ends it, also where somebody else asked for less.
      else if (kind === 'x_card') context.write(safetySignal).update(standing.id, { kind })
      return { campaignId, safetySignal: standingSignal(context) }
    },
  }),
  clear_safety_signal: defineOperation({
    name: 'clear_safety_signal',
    title: 'Go on',
    description: 'The table goes on; nothing of the signal stays.',
    toolset: 'table',
    access: 'dm',
    effect: 'write',
    route: `DELETE ${route}`,
    byPerson: 'a person lets the table go on',
    allowedWhen: ['archived'],
    input: z.strictObject(inCampaign),
    output,
    example: (world) => ({ campaignId: world.id('campaign') }),
    handle(context, { campaignId }) {
      const standing = context.unfiltered(safetySignal).first()
      if (standing !== null) context.write(safetySignal).remove(standing.id)
      return { campaignId, safetySignal: null }
    },
  }),
}
