import type { Random } from '../../src/kernel/random.ts'

/** Chance that comes out the same in every run (mulberry32): dice and ids can be expected by value. */
export function seededRandom(seed = 20261120): Random {
  let state = seed
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const bytes = (count: number): Uint8Array => Uint8Array.from({ length: count }, () => Math.floor(next() * 256))
  return {
    bytes,
    integer: (from, to) => from + Math.floor(next() * (to - from + 1)),
    id: () => Buffer.from(bytes(16)).toString('base64url'),
  }
}
