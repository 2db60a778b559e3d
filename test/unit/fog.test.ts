import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { countingStrokes, fingerprint, shapeOf, strokesOf } from '../../src/domain/map/rules.ts'
import { covers, type FogStroke, isFogged, visiblePixels } from '../../src/kernel/fog.ts'
import { paintOver } from '../../src/storage/images-of-maps.ts'

const rectangle = (effect: FogStroke['effect'], ...points: number[]): FogStroke => ({
  effect,
  shape: 'rectangle',
  points,
})
const polygon = (effect: FogStroke['effect'], ...points: number[]): FogStroke => ({ effect, shape: 'polygon', points })
const share = fc.integer({ min: 0, max: 1000 }).map((value) => value / 1000)
const stroke: fc.Arbitrary<FogStroke> = fc.oneof(
  fc.record({
    effect: fc.constantFrom('reveal' as const, 'conceal' as const),
    shape: fc.constant('rectangle' as const),
    points: fc.array(share, { minLength: 4, maxLength: 4 }),
  }),
  fc.record({
    effect: fc.constantFrom('reveal' as const, 'conceal' as const),
    shape: fc.constant('polygon' as const),
    points: fc.array(share, { minLength: 6, maxLength: 16 }).map((all) => all.slice(0, all.length - (all.length % 2))),
  }),
)

describe('fog', () => {
  test('covers everything until it is uncovered, and the last stroke over a point counts', () => {
    expect(isFogged([], 0.5, 0.5)).toBe(true)
    const open = rectangle('reveal', 0.2, 0.2, 0.8, 0.8)
    expect(isFogged([open], 0.5, 0.5)).toBe(false)
    expect(isFogged([open], 0.9, 0.5)).toBe(true)
    const closed = rectangle('conceal', 0.4, 0.4, 0.6, 0.6)
    expect(isFogged([open, closed], 0.5, 0.5)).toBe(true)
    expect(isFogged([closed, open], 0.5, 0.5)).toBe(false)
  })

  test('a polygon uncovers what it encloses, and not the box around it', () => {
    const triangle = polygon('reveal', 0.1, 0.1, 0.9, 0.1, 0.1, 0.9)
    expect(isFogged([triangle], 0.2, 0.2)).toBe(false)
    expect(isFogged([triangle], 0.8, 0.8)).toBe(true)
    // A star of one line, which crosses itself.
    const star = polygon('reveal', 0.5, 0.05, 0.78, 0.9, 0.05, 0.38, 0.95, 0.38, 0.22, 0.9)
    expect(covers(star, 0.5, 0.5)).toBe(false)
    expect(covers(star, 0.5, 0.2)).toBe(true)
  })

  test('is the same for a point as for the pixel that it is the middle of', () => {
    fc.assert(
      fc.property(
        fc.array(stroke, { maxLength: 6 }),
        fc.integer({ min: 1, max: 23 }),
        fc.integer({ min: 1, max: 17 }),
        (strokes, width, height) => {
          const pixels = visiblePixels(strokes, width, height)
          for (let row = 0; row < height; row++)
            for (let column = 0; column < width; column++) {
              const [x, y] = [(column + 0.5) / width, (row + 0.5) / height]
              const atEdge = strokes.some(({ points }) => points.some((value, at) => value === (at % 2 ? y : x)))
              if (atEdge) continue
              expect(pixels[row * width + column]).toBe(isFogged(strokes, x, y) ? 0 : 1)
            }
        },
      ),
    )
  })

  test('paints every channel of what is hidden, and nothing of what is seen', () => {
    const pixels = new Uint8Array([1, 2, 3, 4, 5, 6, 7, 8])
    paintOver(pixels, 4, new Uint8Array([1, 0]))
    expect([...pixels]).toEqual([1, 2, 3, 4, 16, 15, 19, 255])
  })
})

describe('strokes', () => {
  test('come in the order covered, uncovered, covered, and go back as they were given', () => {
    const made = strokesOf({
      conceal: [{ x: 0, y: 0, width: 0.2, height: 0.1 }],
      reveal: [
        {
          points: [
            { x: 0, y: 0 },
            { x: 1, y: 0 },
            { x: 0.333333333, y: 1 },
          ],
        },
      ],
      reset: true,
    })
    expect(made.map(({ effect, whole }) => [effect, whole])).toEqual([
      ['conceal', true],
      ['reveal', false],
      ['conceal', false],
    ])
    expect(made.map(shapeOf)[1]).toEqual({
      points: [
        { x: 0, y: 0 },
        { x: 1, y: 0 },
        { x: 0.33333, y: 1 },
      ],
    })
    expect(made.map(shapeOf)[2]).toEqual({ x: 0, y: 0, width: 0.2, height: 0.1 })
  })

  test('before one over everything count no more', () => {
    const [whole, part] = strokesOf({ reset: true, reveal: [{ x: 0, y: 0, width: 0.5, height: 1 }] })
    if (!whole || !part) throw new Error('two strokes were asked for')
    expect(countingStrokes(2000, [part])).toBe(2001)
    expect(countingStrokes(2000, [part, whole, part])).toBe(2)
  })

  test('that reach over the edge end at it', () => {
    expect(strokesOf({ reveal: [{ x: 0.9, y: 0.5, width: 0.9, height: 0.9 }] })[0]?.points).toEqual([0.9, 0.5, 1, 1])
  })
})

test('versions differ where what they are made of does', () => {
  const all = Array.from({ length: 5000 }, (_, at) => fingerprint(`salt ${at}`))
  expect(new Set(all).size).toBe(5000)
})
