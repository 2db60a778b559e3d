import { expect, onTestFinished, test } from 'vitest'
import { operations } from '../../src/catalogue.ts'
import { measureCost } from '../support/cost.ts'
import { walkLimitMs } from '../support/long.ts'
import { restCall, rolledBack } from '../support/matrix.ts'
import type { CallerName } from '../support/world.ts'
import { startWorld, stopAmid } from '../support/world-file.ts'
import { wordsFor, wordsIn } from './canaries.ts'
import { poolsOf } from './pools.ts'
import { sayQuestion, targetsOf } from './questions.ts'
import { hiddenThings } from './worlds.ts'

// A write tells too: by its answer, and by how it fails. Each is tried at every id there is, and undone.

const callers = [
  'outsider',
  'viewer',
  'player',
  'otherPlayer',
  'capped',
  'bound',
] as const satisfies readonly CallerName[]

const cost = measureCost('writes', () => operations.size)

test.each(callers)(
  'no write tells the %s a word that is not theirs, whatever it is tried on, and none is logged',
  { timeout: walkLimitMs },
  async (name) => {
    const world = await startWorld({ layer: hiddenThings, env: { LOG_LEVEL: 'debug' } })
    onTestFinished(() => stopAmid(world))
    const mine = new Set(wordsFor(name))
    const leaks: string[] = []
    const statuses = new Set<number>()
    const pools = poolsOf(world)
    const writes = [...operations.values()].filter(({ effect }) => effect !== 'read')
    for (const question of writes.flatMap((declared) => targetsOf(world, declared, pools))) {
      const { status, text, headers } = await rolledBack(world, () =>
        restCall(world.callers[name], question.declared, question.input),
      )
      cost.add(1)
      statuses.add(status)
      const found = [...wordsIn(`${text} ${JSON.stringify(headers)}`)].filter((word) => !mine.has(word))
      if (found.length > 0) leaks.push(`${found.join(', ')}: ${status} ${sayQuestion(question)}`)
    }
    expect(leaks).toEqual([])
    expect([...statuses].filter((status) => status >= 500)).toEqual([])
    expect(statuses).toContain(404)
    expect([...wordsIn(world.server.logs())]).toEqual([])
  },
)
