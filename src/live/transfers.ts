import * as z from 'zod'
import { fail } from '../kernel/errors.ts'
import { execute } from '../kernel/execute.ts'
import { idOf } from '../kernel/fields.ts'
import { throughEyes } from '../kernel/looking-as.ts'
import { runShared } from '../kernel/maintenance-lock.ts'
import type { System } from '../kernel/system.ts'
import { type AnyTransfer, defineTransfer } from '../kernel/transfer.ts'
import type { Store } from '../storage/store.ts'
import type { Hub, LiveEvent } from './hub.ts'

export interface LiveParts {
  readonly hub: Hub
  system(): System
  store(): Store
  clock(): Date
}

export function liveTransfers({ hub, system, store, clock }: LiveParts): readonly AnyTransfer[] {
  return [
    defineTransfer({
      name: 'campaign_events',
      title: 'Live changes of a campaign',
      description:
        'Server-sent events: `changed`, `removed` and `reset`, with the type, id and revision of what changed and never its fields.',
      access: 'viewer',
      effect: 'read',
      route: 'GET /campaigns/{campaignId}/events',
      carries: 'events',
      throughEyes: true,
      input: z.strictObject({ campaignId: idOf('campaign') }),
      example: (world) => ({ campaignId: world.id('campaign') }),
      async handle(context, { campaignId }) {
        const current = system()
        const open = current.operations.get('get_campaign')
        if (open === undefined || context.actor === null) throw fail('unauthenticated')
        // The same answer as for reading the campaign: hidden, foreign and absent ones are one 404.
        const { actor, viewAs } = context
        await execute(current, open, { campaignId }, { ...context, actor, door: 'rest' })
        const looking = { ...context, actor, door: 'rest' as const }
        const eyes = viewAs === undefined ? undefined : current.view((unit) => throughEyes(unit, open, looking).actor)
        const { stream, leave, visited } = await runShared(current, () => {
          hub.requireRoom(actor)
          const opened = context.events()
          const subscriber = {
            actor,
            campaignId,
            ...(eyes === undefined ? {} : { eyes }),
            send: (event: LiveEvent) => opened.send({ event: event.kind, data: event, id: event.id }),
            close: () => opened.close(),
          }
          return { stream: opened, leave: hub.subscribe(subscriber, context.lastEventId), visited: store() }
        })
        await stream.closed
        leave()
        // What `list_recent_changes` starts from next time. It is bookkeeping of a visit, not a change of the campaign.
        await runShared(current, () => {
          // A restore ends streams; who visited what is not of the database that comes then.
          if (store() !== visited || eyes !== undefined) return
          visited.run(
            'UPDATE memberships SET last_visit_at = @now WHERE user_id = @userId AND campaign_id = @campaignId',
            { now: clock().toISOString(), userId: actor.userId, campaignId },
          )
        })
        return undefined
      },
    }),
  ] as unknown as readonly AnyTransfer[]
}
