import { describe, expect, test } from 'vitest'
import { wholeState } from '../support/matrix.ts'
import { shareWorld } from '../support/shared-world.ts'
import type { TestWorld } from '../support/world.ts'
import { startWorld, type WorldLayer } from '../support/world-file.ts'

// What all generated tests stand on: each of them begins on the same world, whatever became of the one before.

const names = async ({ callers, id }: TestWorld): Promise<readonly string[]> => {
  const { body } = await callers.dm.get(`/api/v1/campaigns/${id('campaign')}/npcs?limit=200`)
  return body.items.map(({ name }: { readonly name: string }) => name)
}
const make = ({ as, id }: TestWorld, name: string) => as('dm', 'create_npc', { campaignId: id('campaign'), name })

describe('a shared world', () => {
  const shared = shareWorld()

  test('is as it was after a test that wrote', async () => {
    const before = await names(shared.world)
    await shared.alone(async (world) => {
      await make(world, 'Somebody new')
      expect(await names(world)).toContain('Somebody new')
    })()
    expect(await names(shared.world)).toEqual(before)
  })

  test('is as it was after a test that failed amid its writes', async () => {
    const before = await names(shared.world)
    const failing = shared.alone(async (world) => {
      await make(world, 'Somebody new')
      throw new Error('midway')
    })
    await expect(failing()).rejects.toThrow('midway')
    expect(await names(shared.world)).toEqual(before)
  })

  test('is as it was for the test after one that ran out of time and goes on', async () => {
    const before = await names(shared.world)
    const goOn = Promise.withResolvers<void>()
    const written = Promise.withResolvers<void>()
    const late = shared.alone(async (world) => {
      await make(world, 'Somebody new')
      written.resolve()
      await goOn.promise
      await make(world, 'Somebody later')
    })()
    const ended = expect(late).rejects.toThrow()
    await written.promise
    await shared.alone(async (world) => {
      expect(await names(world)).toEqual(before)
      await make(world, 'Somebody of mine')
      goOn.resolve()
      await ended
      expect((await names(world)).toSorted()).toEqual([...before, 'Somebody of mine'].toSorted())
    })()
    expect(await names(shared.world)).toEqual(before)
  })
})

describe('a world from the file', () => {
  test('is the same for everybody, with the same ids, credentials and hour', async () => {
    const [one, other] = [await startWorld(), await startWorld()]
    expect(wholeState(one)).toBe(wholeState(other))
    expect(one.callers.dm.headers).toEqual(other.callers.dm.headers)
    expect(one.server.clock()).toEqual(other.server.clock())
    await make(one, 'Somebody new')
    expect(await names(other)).not.toContain('Somebody new')
    for (const { server } of [one, other]) await server.stop()
  })

  test('has what the layers below it and its own added, and their names', async () => {
    const below: WorldLayer = {
      name: 'test-below',
      add: async (world) => world.name((await make(world, 'From below')).id, 'npc', 'from below'),
    }
    let times = 0
    const layer: WorldLayer = {
      name: 'test-above',
      below,
      async add(world) {
        times += 1
        await make(world, 'From above')
      },
    }
    const worlds = [await startWorld({ layer }), await startWorld({ layer })]
    for (const world of worlds) {
      expect(await names(world)).toEqual(expect.arrayContaining(['From below', 'From above']))
      expect(world.row('npcs', world.id('npc', 'from below'))).toMatchObject({ name: 'From below' })
      await world.server.stop()
    }
    expect(times).toBe(1)
  })
})
