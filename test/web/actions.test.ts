import { expect, test, vi } from 'vitest'
import { createCache } from '../../src/web/api/cache.ts'
import { CallError, type Client, type Written } from '../../src/web/api/call.ts'
import { createConnection } from '../../src/web/api/connection.ts'
import { createDependencies } from '../../src/web/api/dependencies.ts'
import type { Toasts } from '../../src/web/kit/toast.tsx'
import { createAction } from '../../src/web/shell/actions.ts'

const step = (done: boolean) => ({ id: 7, done })
const dependencies = createDependencies({
  get_quest: ['GET /quests/{questId}', 'quest objective', ''],
  set_objective_done: ['PUT /objectives/{objectiveId}/done', '', 'objective'],
})

/** A quest with one step on the page, and a press on it that the server answers with `answer`. */
async function ticked(answer: () => Promise<Written<unknown>>) {
  const said: string[] = []
  const offered: string[] = []
  const client = {
    read: async () => ({ objectives: [step(false)] }),
    write: vi.fn(answer),
  } as unknown as Client
  const cache = createCache(client, dependencies)
  const toasts = {
    say: (text: string, offer?: { word: string }) => {
      said.push(text)
      if (offer) offered.push(offer.word)
    },
    fail: (text: string) => said.push(`!${text}`),
  } as unknown as Toasts
  const entry = cache.one('get_quest', { questId: 1 })
  await entry.fetch()
  const isDone = () => entry.state.value.data?.objectives[0]?.done
  const shown = [isDone()]
  const act = createAction({ client, cache, toasts })
  const done = act(
    'set_objective_done',
    { objectiveId: 7, done: true },
    {
      message: 'Done.',
      undo: async () => {},
      ahead: {
        what: 'The tick',
        show: (cache) => [
          cache
            .one('get_quest', { questId: 1 })
            .overlay((now) => ({ ...now, objectives: now.objectives.map((one) => ({ ...one, done: true })) })),
        ],
      },
    },
  )
  shown.push(isDone())
  const written = await done
  shown.push(isDone())
  return { shown, said, offered, written, write: client.write }
}

test('what one press changes is shown at once and stays when the server takes it', async () => {
  const { shown, said, offered, write } = await ticked(async () => ({ kind: 'done', value: step(true) }))
  expect(shown).toEqual([false, true, true])
  expect([said, offered]).toEqual([['Done.'], ['Undo']])
  expect(write).toHaveBeenCalledWith('set_objective_done', expect.anything(), {
    limit: expect.any(AbortSignal),
    inTurn: true,
  })
})

test('what the server refuses goes back, and says why', async () => {
  const { shown, said, written } = await ticked(async () => {
    throw new CallError(403, 'forbidden', 'This campaign is archived.')
  })
  expect(shown).toEqual([false, true, false])
  expect(said).toEqual(['!The tick was taken back. This campaign is archived.'])
  expect(written).toBeNull()
})

test('what could not be sent goes back, and says that it did not arrive', async () => {
  const { shown, said } = await ticked(async () => {
    throw new CallError(0, 'offline', 'The server does not answer.')
  })
  expect(shown).toEqual([false, true, false])
  expect(said).toEqual([
    '!The tick did not reach the server and was taken back. Try again when the connection is there.',
  ])
})

test('what became a proposal is no change yet', async () => {
  const { shown, said } = await ticked(async () => ({ kind: 'proposed', proposal: {} as never }))
  expect(shown).toEqual([false, true, false])
  expect(said).toEqual(['Sent to the DM as a proposal.'])
})

test('nothing is called saved that was refused or is on its way', () => {
  const connection = createConnection()
  const states = [connection.state.value]
  const after = (run: () => void) => {
    run()
    states.push(connection.state.value)
  }
  after(() => connection.wrote('sent'))
  after(() => connection.wrote('sent'))
  after(() => connection.wrote('failed'))
  after(() => connection.wrote('taken'))
  after(() => connection.wrote('sent'))
  after(() => connection.wrote('taken'))
  after(() => connection.reached(false))
  after(() => connection.reached(true))
  expect(states).toEqual(['saved', 'sending', 'sending', 'sending', 'unsaved', 'sending', 'saved', 'offline', 'saved'])
  connection.wrote('sent')
  connection.wrote('failed')
  connection.movedOn()
  expect(connection.state.value).toBe('saved')
})
