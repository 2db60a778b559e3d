import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Cache } from '../../src/web/api/cache.ts'
import { createLive, type Stream } from '../../src/web/api/live.ts'

interface FakeStream extends Stream {
  path: string
  closed: boolean
  readyState: number
  emit(type: string, data?: object): void
}

function house() {
  const streams: FakeStream[] = []
  const invalidated: string[][] = []
  const page = {
    hidden: false,
    listener: () => {},
    addEventListener(_: string, run: () => void) {
      page.listener = run
    },
  }
  const onClosed = vi.fn()
  const onLost = vi.fn()
  const live = createLive({
    open(path) {
      const listeners = new Map<string, (event: { data?: string }) => void>()
      const stream: FakeStream = {
        path,
        closed: false,
        readyState: 1,
        addEventListener: (type, run) => listeners.set(type, run),
        close() {
          stream.closed = true
        },
        emit: (type, data) => listeners.get(type)?.(data ? { data: JSON.stringify(data) } : {}),
      }
      streams.push(stream)
      return stream
    },
    cache: { invalidate: (changed: ReadonlySet<string>) => invalidated.push([...changed]) } as unknown as Cache,
    page: page as unknown as Document,
    onClosed,
    onReach: () => {},
    onLost,
  })
  const look = (hidden: boolean) => {
    page.hidden = hidden
    page.listener()
  }
  return { live, streams, invalidated, look, onClosed, onLost }
}

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

test('what an event names is old, and a reset makes everything old', () => {
  const { live, streams, invalidated } = house()
  live.follow(4)
  expect(streams[0]?.path).toBe('/api/v1/campaigns/4/events')
  streams[0]?.emit('changed', { entityType: 'inbox_item', entityId: 2 })
  streams[0]?.emit('removed', { entityType: 'npc', entityId: 2 })
  streams[0]?.emit('reset')
  expect(invalidated).toEqual([['inbox_item'], ['npc'], ['*']])
})

test('another campaign is another stream, and leaving ends it', () => {
  const { live, streams } = house()
  live.follow(4)
  live.follow(4)
  live.follow(5)
  live.follow(null)
  expect(streams.map(({ path, closed }) => [path, closed])).toEqual([
    ['/api/v1/campaigns/4/events', true],
    ['/api/v1/campaigns/5/events', true],
  ])
})

test('a tab that nobody looks at gives its stream up after 30 s and reads everything anew when it is seen again', () => {
  const { live, streams, invalidated, look } = house()
  live.follow(4)
  streams[0]?.emit('open')
  look(true)
  vi.advanceTimersByTime(29_000)
  look(false)
  vi.advanceTimersByTime(60_000)
  expect(streams[0]?.closed).toBe(false)
  look(true)
  vi.advanceTimersByTime(31_000)
  expect(streams[0]?.closed).toBe(true)
  look(false)
  expect(streams).toHaveLength(2)
  streams[1]?.emit('open')
  expect(invalidated).toEqual([['*']])
})

test('a stream that broke off reads everything anew when it is back; one that was refused asks who is signed in', () => {
  const { live, streams, invalidated, onClosed } = house()
  live.follow(4)
  const [stream] = streams as [FakeStream]
  stream.readyState = 0
  stream.emit('error')
  expect(onClosed).not.toHaveBeenCalled()
  stream.readyState = 1
  stream.emit('open')
  expect(invalidated).toEqual([['*']])
  stream.readyState = 2
  stream.emit('error')
  expect(onClosed).toHaveBeenCalledTimes(1)
})

test('a stream that breaks off and is tried again asks at once whether the server is there', () => {
  const { live, streams, onLost, onClosed } = house()
  live.follow(4)
  const [stream] = streams
  if (stream) stream.readyState = 0
  stream?.emit('error')
  expect([onLost.mock.calls.length, onClosed.mock.calls.length]).toEqual([1, 0])
})
