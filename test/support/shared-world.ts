import { afterAll, beforeAll } from 'vitest'
import { rolledBack } from './matrix.ts'
import type { TestWorld } from './world.ts'
import { startWorld, stopAmid, type WorldOptions } from './world-file.ts'

export interface SharedWorld {
  /** Inside tests and hooks only. */
  readonly world: TestWorld
  /** A test on the world as it was built: what it writes is rolled back. */
  alone(work: (world: TestWorld) => Promise<void>): () => Promise<void>
  /** The same for a test that rolls back by itself. What the test is given for its case comes after the world. */
  owned<C extends readonly unknown[]>(
    work: (world: TestWorld, ...given: C) => Promise<void>,
  ): (...given: C) => Promise<void>
}

/** One server and one world for the tests of a file. */
export function shareWorld(options: WorldOptions = {}): SharedWorld {
  let world: TestWorld
  let busy = false
  const start = async (): Promise<void> => {
    world = await startWorld(options)
  }
  beforeAll(start)
  afterAll(() => world.server.stop())
  const owned: SharedWorld['owned'] =
    (work) =>
    async (...given) => {
      // A test that ran out of time goes on. It keeps its server, which is stopped under it, and this one begins on another.
      if (busy) {
        const left = world
        await start()
        await stopAmid(left)
      }
      busy = true
      const mine = world
      try {
        await work(mine, ...given)
      } finally {
        if (mine === world) busy = false
      }
    }
  return {
    get world() {
      return world
    },
    owned,
    alone: (work) => owned((mine) => rolledBack(mine, () => work(mine))),
  }
}
