import { expect, test } from 'vitest'
import { operations } from '../../src/catalogue.ts'
import { restCall } from '../support/matrix.ts'
import { shareWorld } from '../support/shared-world.ts'

// Two people change the same thing: who read the older revision is told so, and nothing is lost.

const { alone } = shareWorld()
const updates = [...operations.values()].filter(({ name }) => name.startsWith('update_'))

test.each(updates.map((operation) => [operation.name, operation] as const))(
  '%s takes the revision that was read, and refuses an older one',
  (_, operation) =>
    alone(async (world) => {
      const caller = operation.access === 'author' ? world.callers.player : world.callers.dm
      const input = operation.example(world) as Record<string, unknown>
      const stale = await restCall(caller, operation, { ...input, expectedRevision: 999_999 })
      expect([stale.status, stale.body.error.code]).toEqual([409, 'stale_revision'])
      const current = Number(/at revision (\d+) now/.exec(stale.body.error.message)?.[1])
      const done = await restCall(caller, operation, { ...input, expectedRevision: current })
      expect([done.status, done.body.revision]).toEqual([200, current + 1])
      if (operation.mcp !== undefined) return
      const { content } = await caller.tool(operation.name, { ...input, expectedRevision: current })
      expect(content.error).toMatchObject({ status: 409, code: 'stale_revision' })
    })(),
)

test(
  'a proposal that was read too early is refused when it is filed',
  alone(async (world) => {
    const npcId = world.id('npc')
    const { status, body } = await world.callers.player.request('PATCH', `/api/v1/npcs/${npcId}`, {
      voice: 'Loud.',
      expectedRevision: 1,
    })
    expect([status, body.error.code]).toEqual([409, 'stale_revision'])
  }),
)
