import { setImmediate as turn } from 'node:timers/promises'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { entities, operations } from '../../src/catalogue.ts'
import { type ErrorCode, errorBody, errorTable, fail } from '../../src/kernel/errors.ts'
import { idOf, line, name, prose, tags } from '../../src/kernel/fields.ts'
import { parseInput } from '../../src/kernel/input.ts'
import { createMaintenanceLock, runSharedSoon } from '../../src/kernel/maintenance-lock.ts'
import { mentionsIn } from '../../src/kernel/mentions.ts'
import { routeOf } from '../../src/kernel/operation.ts'
import { type CursorKey, decodeCursor, encodeCursor } from '../../src/kernel/paging.ts'
import { leastCpuOf } from '../support/within.ts'

describe('cursors', () => {
  const part = fc.oneof(fc.string({ unit: 'grapheme' }), fc.integer(), fc.constant(null))
  test('come back as they went out', () => {
    const property = fc.property(fc.array(part, { minLength: 1, maxLength: 6 }), (key) => {
      const cursor = encodeCursor(key as CursorKey)
      expect(cursor).toMatch(/^[\w-]+$/)
      expect(decodeCursor(cursor, key.length)).toEqual(key)
    })
    fc.assert(property, { seed: 20261120 })
  })

  test('of other text are refused, and never a failure of the server', () => {
    const property = fc.property(fc.string({ unit: 'binary' }), fc.integer({ min: 1, max: 6 }), (text, parts) => {
      try {
        expect(decodeCursor(text, parts)).toHaveLength(parts)
      } catch (error) {
        expect(error).toMatchObject({ code: 'validation_failed' })
      }
    })
    fc.assert(property, { seed: 20261120, numRuns: 500 })
  })
})

describe('mentions', () => {
  test('are links to kinds and ids, each once, in order', () => {
    const text =
      '[Marta](npc:3) and [the wall](location:12), [her](npc:3), [x](npc:0), [y](npc:01), [z](https://a.b:1), [](npc:4)'
    expect(mentionsIn(text)).toEqual([
      { entityType: 'npc', entityId: 3 },
      { entityType: 'location', entityId: 12 },
    ])
  })

  test.each([
    ['brackets', (length: number) => '['.repeat(length)],
    ['links that do not end', (length: number) => '[a]('.repeat(length / 4)],
    ['a long name', (length: number) => `[${'a'.repeat(length)}](npc:1)`],
  ])('are found in linear time in %s', (_, textOf) => {
    const [short, long] = [2000, 32_000].map((length) => {
      const text = textOf(length)
      return leastCpuOf(() => mentionsIn(text))
    }) as [number, number]
    // Sixteen times the text; the square of it would be 256 times the work. Less than a millisecond cannot be told apart.
    expect(long / Math.max(short, 1000)).toBeLessThan(80)
  })
})

describe('the maintenance lock', () => {
  test('makes nobody wait where nobody holds it alone', async () => {
    const lock = createMaintenanceLock()
    const leave = lock.acquireShared()
    expect(leave).toBeTypeOf('function')
    expect(runSharedSoon(lock, () => 'read')).toBe('read')
    const held = lock.acquireExclusive()
    await (await leave)()
    await held
    const later = runSharedSoon(lock, () => 'read later')
    expect(later).toBeInstanceOf(Promise)
    lock.releaseExclusive()
    expect(await later).toBe('read later')
  })

  test('lets calls through until those that were inside have ended, then holds those that come', async () => {
    const lock = createMaintenanceLock()
    const order: string[] = []
    const leave = await lock.acquireShared()
    const held = lock.acquireExclusive().then(() => order.push('held'))
    const leaveMeanwhile = await lock.acquireShared()
    leave()
    // Leaving twice counts once.
    leave()
    await turn()
    const late = Promise.resolve(lock.acquireShared()).then((leaveLate) => {
      order.push('late')
      leaveLate()
    })
    await turn()
    expect(order).toEqual([])
    leaveMeanwhile()
    await held
    await turn()
    expect(order).toEqual(['held'])
    lock.releaseExclusive()
    await late
    expect(order).toEqual(['held', 'late'])
  })

  test('is held by one at a time: the next waits for its release', async () => {
    const lock = createMaintenanceLock()
    const order: string[] = []
    await lock.acquireExclusive()
    const second = lock.acquireExclusive().then(() => order.push('second'))
    await turn()
    expect(order).toEqual([])
    lock.releaseExclusive()
    await second
    const late = Promise.resolve(lock.acquireShared()).then(() => order.push('late'))
    await turn()
    expect(order).toEqual(['second'])
    lock.releaseExclusive()
    await late
  })
})

describe('failures', () => {
  test('carry the status of their code, and details where there are any', () => {
    for (const code of Object.keys(errorTable) as ErrorCode[]) {
      const { error } = errorBody(fail(code))
      expect(error).toEqual({ status: errorTable[code].status, code, message: errorTable[code].message })
    }
    const details = [{ path: 'name', message: 'is missing' }]
    expect(errorBody(fail('validation_failed', 'No.', { details })).error.details).toEqual(details)
  })

  test('that nobody foresaw say nothing of themselves', () => {
    for (const thrown of [
      new Error('SELECT password_hash FROM users'),
      'text',
      null,
      { code: 'not_found', message: 'x' },
    ]) {
      const text = JSON.stringify(errorBody(thrown, 'request-7'))
      expect(text).toContain('internal_error')
      expect(text).toContain('request-7')
      expect(text).not.toMatch(/SELECT|text"|not_found/)
    }
  })
})

describe('fields', () => {
  const accepts = (schema: z.ZodType, value: unknown): boolean => schema.safeParse(value).success
  test('of one line are trimmed, whole and without control characters', () => {
    expect(name().parse('  Marta  ')).toBe('Marta')
    for (const bad of ['', ' ', 'a\nb', 'a\u0000', 'a\u001b[31m', '\ud800', 'x'.repeat(121)])
      expect(accepts(name(), bad), JSON.stringify(bad)).toBe(false)
    for (const good of ['x'.repeat(120), 'Ž', '東京', '👩‍👩‍👧', 'a\tb']) expect(accepts(name(), good), good).toBe(true)
    expect(accepts(line(), '')).toBe(true)
  })

  test('of text keep their lines', () => {
    expect(accepts(prose(), 'a\r\nb\n\n\tc')).toBe(true)
    expect(accepts(prose(), 'a\u0008b')).toBe(false)
    expect(accepts(prose(5), 'abcdef')).toBe(false)
  })

  test('of tags have none twice, and at most thirty', () => {
    expect(accepts(tags(), ['a', 'B', 'b'])).toBe(false)
    expect(
      accepts(
        tags(),
        Array.from({ length: 30 }, (_, n) => `t${n}`),
      ),
    ).toBe(true)
    expect(
      accepts(
        tags(),
        Array.from({ length: 31 }, (_, n) => `t${n}`),
      ),
    ).toBe(false)
  })

  test('of ids are whole numbers from one up that a double holds', () => {
    for (const good of [1, 2 ** 53 - 1]) expect(accepts(idOf('npc'), good)).toBe(true)
    for (const bad of [0, -1, 1.5, 2 ** 53, Number.NaN, Infinity, '1', null, true])
      expect(accepts(idOf('npc'), bad), String(bad)).toBe(false)
  })
})

describe('inputs', () => {
  test('are strict in every operation of the catalogue, and none has a default', () => {
    for (const { name: operation, input } of operations.values()) {
      expect(input._zod.def.catchall?._zod.def.type, operation).toBe('never')
      for (const [key, member] of Object.entries(input.shape)) {
        const kinds = JSON.stringify(z.toJSONSchema(member as z.ZodType, { io: 'input', unrepresentable: 'any' }))
        expect(kinds, `${operation}.${key}`).not.toContain('"default"')
      }
    }
  })

  test('bound every text and every list', () => {
    for (const { name: operation, input } of operations.values()) {
      const text = z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' })
      const unbounded: string[] = []
      const walk = (schema: Record<string, unknown>, at: string): void => {
        const fixed = 'enum' in schema || 'const' in schema || 'format' in schema || 'pattern' in schema
        if (schema.type === 'string' && !fixed && schema.maxLength === undefined) unbounded.push(at)
        if (schema.type === 'array' && schema.maxItems === undefined) unbounded.push(at)
        for (const [key, inner] of Object.entries((schema.properties ?? {}) as Record<string, Record<string, unknown>>))
          walk(inner, `${at}.${key}`)
        for (const inner of (schema.anyOf ?? []) as Record<string, unknown>[]) walk(inner, at)
        if (schema.items) walk(schema.items as Record<string, unknown>, `${at}[]`)
      }
      walk(text as Record<string, unknown>, operation)
      expect(unbounded).toEqual([])
    }
  })

  test('name what is wrong with them, at most twenty things', () => {
    const schema = z.strictObject({ list: z.array(z.int()) })
    try {
      parseInput(schema, { list: Array.from({ length: 50 }, () => 'x') })
      expect.unreachable()
    } catch (error) {
      expect(error).toMatchObject({ code: 'validation_failed', details: { length: 20, 0: { path: 'list.0' } } })
      expect((error as Error).message.length).toBeLessThan(600)
    }
  })
})

test('every path names members of its input, and every entity is declared once', () => {
  for (const { name: operation, route, input } of operations.values()) {
    for (const placeholder of routeOf(route).placeholders)
      expect(placeholder in input.shape, `${operation} ${placeholder}`).toBe(true)
  }
  expect(new Set(entities.map((entity) => entity.table)).size).toBe(entities.length)
})
