import { afterAll, beforeAll, expect, test } from 'vitest'
import { restCall, rolledBack } from '../support/matrix.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { buildWorld, type CallerName, type TestWorld } from '../support/world.ts'
import { wordsFor, wordsIn } from './canaries.ts'
import { addHiddenThings, addOpenThings } from './content.ts'
import { sayQuestion, targetsOf } from './questions.ts'

// A write tells too: by its answer, and by how it fails. Each is tried at every id there is, and undone.

const callers = [
  'outsider',
  'viewer',
  'player',
  'otherPlayer',
  'capped',
  'bound',
] as const satisfies readonly CallerName[]

let server: TestServer
let world: TestWorld
let calls = 0

beforeAll(async () => {
  server = await startServer({ env: { LOG_LEVEL: 'debug' } })
  world = await buildWorld(server)
  await addHiddenThings(world, await addOpenThings(world))
})
afterAll(async () => {
  console.log(`writes: ${calls} calls by ${callers.length} callers`)
  await server.stop()
})

test.each(callers)(
  'no write tells the %s a word that is not theirs, whatever it is tried on',
  { timeout: 60_000 },
  async (name) => {
    const mine = new Set(wordsFor(name))
    const leaks: string[] = []
    const statuses = new Set<number>()
    const writes = [...server.app.system().operations.values()].filter(({ effect }) => effect !== 'read')
    for (const question of writes.flatMap((declared) => targetsOf(world, declared))) {
      const { status, text, headers } = await rolledBack(world, () =>
        restCall(world.callers[name], question.declared, question.input),
      )
      calls += 1
      statuses.add(status)
      const found = [...wordsIn(`${text} ${JSON.stringify(headers)}`)].filter((word) => !mine.has(word))
      if (found.length > 0) leaks.push(`${found.join(', ')}: ${status} ${sayQuestion(question)}`)
    }
    expect(leaks).toEqual([])
    expect([...statuses].filter((status) => status >= 500)).toEqual([])
    expect(statuses).toContain(404)
  },
)

test('what was logged of them holds no word', () => {
  expect([...wordsIn(server.logs())]).toEqual([])
})
