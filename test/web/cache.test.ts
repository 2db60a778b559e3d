import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createCache, stableKey } from '../../src/web/api/cache.ts'
import { CallError, type Client } from '../../src/web/api/call.ts'
import type { OperationName } from '../../src/web/api/contract.ts'
import { createDependencies, overlap } from '../../src/web/api/dependencies.ts'

type Read = (name: string, input: Record<string, unknown>) => Promise<unknown>

const clientOf = (read: Read) => ({ read, write: vi.fn(), send: vi.fn() }) as unknown as Client
const settle = () => vi.advanceTimersByTimeAsync(500)

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const dependencies = createDependencies({
  get_npc: ['GET /npcs/{npcId}', 'npc location', ''],
  list_npcs: ['GET /campaigns/{campaignId}/npcs', 'npc location', ''],
  search_campaign: ['GET /campaigns/{campaignId}/search', '*', ''],
  update_npc: ['PATCH /npcs/{npcId}', '', 'npc'],
  update_quest: ['PATCH /quests/{questId}', '', 'quest'],
  revert_change: ['POST /audit-records/{auditRecordId}/revert', '', '*'],
  mark_read: ['POST /read', '', ''],
})

describe('dependencies', () => {
  const old = (change: string, reading: string) =>
    overlap(dependencies.writesOf(change as OperationName), dependencies.readsOf(reading as OperationName))

  test('a change makes old what reads what it writes, and what reads or writes everything', () => {
    expect(old('update_npc', 'get_npc')).toBe(true)
    expect(old('update_quest', 'get_npc')).toBe(false)
    expect(old('update_quest', 'search_campaign')).toBe(true)
    expect(old('revert_change', 'list_npcs')).toBe(true)
    expect(old('mark_read', 'search_campaign')).toBe(false)
    expect(overlap(new Set(['location']), dependencies.readsOf('list_npcs'))).toBe(true)
  })

  test('an operation that was not recorded may read and write anything', () => {
    expect(old('bless_npc', 'list_quests')).toBe(true)
  })
})

describe('cache', () => {
  test('asks once for what is watched twice, and equal inputs are one entry', async () => {
    const read = vi.fn(async () => ({ id: 3, name: 'Marta' }))
    const cache = createCache(clientOf(read), dependencies)
    const entry = cache.one('get_npc', { npcId: 3 })
    expect(cache.one('get_npc', { npcId: 3 })).toBe(entry)
    expect(stableKey('x', { b: 1, a: 2, c: undefined })).toBe(stableKey('x', { a: 2, b: 1 }))
    cache.watch(entry)
    cache.watch(entry)
    await settle()
    expect(read).toHaveBeenCalledTimes(1)
    expect(entry.state.value).toMatchObject({ data: { name: 'Marta' }, loading: false })
  })

  test('a list that shows some kinds of what it could hold is read again for those alone', async () => {
    const read = vi.fn(async () => ({ items: [], nextCursor: null }))
    const cache = createCache(clientOf(read), dependencies)
    cache.watch(cache.pages('list_recent_changes', { campaignId: 1 }, new Set(['npc', 'quest'])))
    await settle()
    for (const changed of [['dice_roll'], ['encounter', 'combatant'], ['note']]) {
      cache.invalidate(new Set(changed))
      await settle()
    }
    expect(read).toHaveBeenCalledTimes(1)
    cache.invalidateBy('update_quest')
    await settle()
    expect(read).toHaveBeenCalledTimes(2)
  })

  test('reads again what is on screen when it is touched, and leaves the rest until it is watched', async () => {
    let reads = 0
    const read = vi.fn(async () => ({ reads: ++reads }))
    const cache = createCache(clientOf(read), dependencies)
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
    const cache = createCache(
      clientOf(() => new Promise((resolve) => answers.push(resolve))),
      dependencies,
    )
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
      dependencies,
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
      dependencies,
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
      dependencies,
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

  describe('a change that is shown ahead of the answer', () => {
    const npcOf = (name: string) => ({ id: 3, name }) as never
    const named = (name: string) => (now: object) => ({ ...now, name }) as never

    test('stands until an answer that was asked for after it was taken', async () => {
      const answers = ['Marta', 'Marta', 'Marta the Elder']
      const cache = createCache(
        clientOf(async () => npcOf(answers.shift() ?? '')),
        dependencies,
      )
      const entry = cache.one('get_npc', { npcId: 3 })
      cache.watch(entry)
      await settle()
      const change = entry.overlay(named('Marta Quill'))
      expect(entry.state.value.data).toMatchObject({ name: 'Marta Quill' })
      // Somebody else's event makes it be read while the change is on its way: the old answer does not show through.
      cache.invalidate(new Set(['npc']))
      await settle()
      expect(entry.state.value.data).toMatchObject({ name: 'Marta Quill' })
      change.keep()
      expect(entry.state.value.data).toMatchObject({ name: 'Marta Quill' })
      // What the server says after it took the change holds, whatever it has made of it.
      cache.invalidateBy('update_npc')
      await settle()
      expect(entry.state.value.data).toMatchObject({ name: 'Marta the Elder' })
    })

    test('is taken back to what the server says by then, and leaves other changes alone', async () => {
      const answers = [
        { name: 'Marta', voice: 'low' },
        { name: 'Old Marta', voice: 'low' },
      ]
      const cache = createCache(
        clientOf(async () => answers.shift()),
        dependencies,
      )
      const entry = cache.one('get_npc', { npcId: 3 })
      cache.watch(entry)
      await settle()
      const refused = entry.overlay(named('Mirta'))
      const taken = entry.overlay((now) => ({ ...now, voice: 'dry' }))
      cache.invalidate(new Set(['npc']))
      await settle()
      expect(entry.state.value.data).toMatchObject({ name: 'Mirta', voice: 'dry' })
      refused.takeBack()
      expect(entry.state.value.data).toMatchObject({ name: 'Old Marta', voice: 'dry' })
      taken.keep()
      expect(entry.state.value.data).toMatchObject({ name: 'Old Marta', voice: 'dry' })
    })

    test('is there again when the page of a list behind it arrives, and gone for somebody else', async () => {
      const cache = createCache(
        clientOf(async (_, { cursor }) =>
          cursor === undefined ? { items: [1, 2], nextCursor: 'p2' } : { items: [3], nextCursor: null },
        ),
        dependencies,
      )
      const list = cache.pages('list_npcs', { campaignId: 1 })
      cache.watch(list)
      await settle()
      const change = list.overlay((now) => ({ ...now, items: [...now.items].reverse() }))
      await list.more()
      expect(list.state.value.data?.items).toEqual([3, 2, 1])
      cache.purge()
      change.takeBack()
      expect(list.state.value.data).toBeUndefined()
    })
  })
})
