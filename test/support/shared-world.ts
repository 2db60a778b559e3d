import { afterAll, beforeAll } from 'vitest'
import { rolledBack } from './matrix.ts'
import { startServer, type TestServer, type TestServerOptions } from './server.ts'
import { buildWorld, type TestWorld } from './world.ts'

export interface SharedWorld {
  /** Inside tests and hooks only. */
  readonly world: TestWorld
  /** A test on the world as it was built: what it writes is rolled back. */
  alone(work: (world: TestWorld) => Promise<void>): () => Promise<void>
}

/** One server and one world for the tests of a file. */
export function shareWorld(options: TestServerOptions = {}): SharedWorld {
  let server: TestServer
  let world: TestWorld
  beforeAll(async () => {
    server = await startServer(options)
    world = await buildWorld(server)
  })
  afterAll(() => server.stop())
  return {
    get world() {
      return world
    },
    alone: (work) => () => rolledBack(world, () => work(world)),
  }
}
