import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createCache, stableKey } from '../../src/web/api/cache.ts'
import { CallError, type Client } from '../../src/web/api/call.ts'
import { subjects, touches } from '../../src/web/api/subjects.ts'

type Read = (name: string, input: Record<string, unknown>) => Promise<unknown>

const clientOf = (read: Read) => ({ read, write: vi.fn(), send: vi.fn() }) as unknown as Client
const settle = () => vi.advanceTimersByTimeAsync(500)

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

describe('subjects', () => {
  test('come from the name of the operation, or from the list of exceptions', () => {
    expect(subjects('update_npc')).toEqual(new Set(['npc']))
    expect(subjects('list_inbox_items')).toEqual(new Set(['inboxitem']))
    expect(subjects('list_quests')).toEqual(new Set(['quest', 'objective']))
    expect(touches(subjects('set_objective_done'), subjects('get_quest'))).toBe(true)
    expect(touches(subjects('update_npc'), subjects('get_quest'))).toBe(false)
    expect(touches(subjects('restore_from_trash'), subjects('list_npcs'))).toBe(true)
  })
})

describe('cache', () => {
  test('asks once for what is watched twice, and equal inputs are one entry', async () => {
    const read = vi.fn(async () => ({ id: 3, name: 'Marta' }))
    const cache = createCache(clientOf(read))
    const entry = cache.one('get_npc', { npcId: 3 })
    expect(cache.one('get_npc', { npcId: 3 })).toBe(entry)
    expect(stableKey('x', { b: 1, a: 2, c: undefined })).toBe(stableKey('x', { a: 2, b: 1 }))
    cache.watch(entry)
    cache.watch(entry)
    await settle()
    expect(read).toHaveBeenCalledTimes(1)
    expect(entry.state.value).toMatchObject({ data: { name: 'Marta' }, loading: false })
  })

  test('reads again what is on screen when it is touched, and leaves the rest until it is watched', async () => {
    let reads = 0
    const read = vi.fn(async () => ({ reads: ++reads }))
    const cache = createCache(clientOf(read))
    const stop = cache.watch(cache.one('get_npc', { npcId: 3 }))
    await settle()
    cache.invalidate(new Set(['quest']))
    await settle()
    expect(read).toHaveBeenCalledTimes(1)
    cache.invalidate(new Set(['npc']))
    cache.invalidate(new Set(['npc']))
    await settle()
    expect(read).toHaveBeenCalledTimes(2)
    stop()
    cache.invalidate(new Set(['npc']))
    await settle()
    expect(read).toHaveBeenCalledTimes(2)
    cache.watch(cache.one('get_npc', { npcId: 3 }))
    await settle()
    expect(read).toHaveBeenCalledTimes(3)
  })

  test('a change that comes while a read is under way is read after it', async () => {
    const answers: ((value: unknown) => void)[] = []
    const cache = createCache(clientOf(() => new Promise((resolve) => answers.push(resolve))))
    const entry = cache.one('get_npc', { npcId: 3 })
    cache.watch(entry)
    cache.invalidate(new Set(['npc']))
    await settle()
    expect(answers).toHaveLength(1)
    answers[0]?.({ name: 'old' })
    await settle()
    answers[1]?.({ name: 'new' })
    await settle()
    expect(entry.state.value.data).toEqual({ name: 'new' })
  })

  test('drops what arrives for somebody who has gone', async () => {
    let answer: (value: unknown) => void = () => {}
    const cache = createCache(
      clientOf(
        () =>
          new Promise((resolve) => {
            answer = resolve
          }),
      ),
    )
    const entry = cache.one('get_npc', { npcId: 3 })
    cache.watch(entry)
    cache.purge()
    answer({ name: 'Marta', dmSecret: 'hers' })
    await settle()
    expect(entry.state.value.data).toBeUndefined()
    expect(cache.one('get_npc', { npcId: 3 })).not.toBe(entry)
  })

  test('keeps what was read when the server is out of reach, and forgets what may no longer be seen', async () => {
    const answers: unknown[] = [{ name: 'Marta' }, new CallError(0, 'offline', ''), new CallError(404, 'not_found', '')]
    const cache = createCache(
      clientOf(async () => {
        const next = answers.shift()
        if (next instanceof CallError) throw next
        return next
      }),
    )
    const entry = cache.one('get_npc', { npcId: 3 })
    cache.watch(entry)
    await settle()
    cache.invalidate(new Set(['npc']))
    await settle()
    expect(entry.state.value).toMatchObject({ data: { name: 'Marta' }, error: { code: 'offline' } })
    cache.invalidate(new Set(['npc']))
    await settle()
    expect(entry.state.value).toMatchObject({ data: undefined, error: { code: 'not_found' } })
  })

  test('a list reads on from its cursor, and a change reads all of its pages again', async () => {
    const asked: unknown[] = []
    const cache = createCache(
      clientOf(async (_, { cursor }) => {
        asked.push(cursor)
        return cursor === undefined ? { items: [1, 2], nextCursor: 'p2' } : { items: [3], nextCursor: null }
      }),
    )
    const list = cache.pages('list_npcs', { campaignId: 1 })
    cache.watch(list)
    await settle()
    expect(list.state.value.data).toEqual({ items: [1, 2], more: true })
    await list.more()
    expect(list.state.value.data).toEqual({ items: [1, 2, 3], more: false })
    await list.more()
    cache.invalidate(new Set(['npc']))
    await settle()
    expect(list.state.value.data).toEqual({ items: [1, 2, 3], more: false })
    expect(asked).toEqual([undefined, 'p2', undefined, 'p2'])
  })
})
