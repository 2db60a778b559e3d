import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { errorTable } from '../../src/kernel/errors.ts'
import { archiveWithCheapKey, makeFolder, serverWith } from './fixture.ts'
import { codeOf, fresh, namesIn, old, passphrase, uploadOf } from './install.ts'
import { bytesUnder, watchMemory } from './unchanged.ts'

const long = process.env.TALEKEEPER_TEST_LONG === '1'

/** Mulberry32: small, seeded, good enough to choose places. */
function randomOf(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

const small = { ...fresh, uploads: [uploadOf(Buffer.from('one')), uploadOf(Buffer.from('two'))] }

type Mutation = (bytes: Buffer, random: (below: number) => number) => Buffer

const mutations: Readonly<Record<string, Mutation>> = {
  'a flipped bit'(bytes, random) {
    const at = random(bytes.length)
    bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << random(8)), at)
    return bytes
  },
  'a changed byte'(bytes, random) {
    const at = random(bytes.length)
    bytes.writeUInt8((bytes.readUInt8(at) + 1 + random(255)) % 256, at)
    return bytes
  },
  'a changed byte near the end, where the directory is'(bytes, random) {
    const at = bytes.length - 1 - random(Math.min(bytes.length, 600))
    bytes.writeUInt8((bytes.readUInt8(at) + 1 + random(255)) % 256, at)
    return bytes
  },
  'bytes left out'(bytes, random) {
    const at = random(bytes.length)
    return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + random(40))])
  },
  'bytes put in'(bytes, random) {
    const at = random(bytes.length)
    return Buffer.concat([bytes.subarray(0, at), Buffer.from([random(256), random(256)]), bytes.subarray(at)])
  },
  'a run of zeros'(bytes, random) {
    const at = random(bytes.length - 64)
    const before = Buffer.from(bytes)
    bytes.fill(0, at, at + 1 + random(64))
    // A run that was zeros already is not a change.
    return bytes.equals(before) ? Buffer.concat([bytes, Buffer.alloc(1)]) : bytes
  },
  'a part doubled'(bytes, random) {
    const from = random(bytes.length)
    const part = bytes.subarray(from, from + 1 + random(200))
    return Buffer.concat([bytes.subarray(0, from), part, bytes.subarray(from)])
  },
  'an end cut off'(bytes, random) {
    return bytes.subarray(0, random(bytes.length))
  },
}

async function setUp() {
  const bytes = readFileSync(await archiveWithCheapKey(small))
  const { archive, dataDir, tempDir, events } = serverWith(old)
  const file = path.join(makeFolder(), 'a.zip')
  const before = bytesUnder(dataDir)
  const memory = watchMemory()
  return {
    bytes,
    async inspect(mutated: Buffer): Promise<unknown> {
      writeFileSync(file, mutated)
      return await codeOf(archive.inspect(file))
    },
    async restore(mutated: Buffer): Promise<unknown> {
      writeFileSync(file, mutated)
      return await codeOf(archive.restore(file, { passphrase, actor: null }))
    },
    expectUntouched() {
      expect(memory()).toBeLessThan(150)
      expect(bytesUnder(dataDir)).toEqual(before)
      expect(namesIn(tempDir)).toEqual([])
      expect(events).toEqual([])
    },
  }
}

function expectRefusal(code: unknown, where: string): void {
  expect(code, where).toMatch(/^archive_/)
  expect(errorTable[code as keyof typeof errorTable]?.status, where).toBe(400)
}

test('thousands of random changes are all refused, each with a code of its own kind', {
  timeout: 1_800_000,
}, async () => {
  const { bytes, inspect, restore, expectUntouched } = await setUp()
  expect(await inspect(bytes)).toMatchObject({ resolved: { sealed: true } })
  const random = randomOf(20_261_121)
  const kinds = Object.entries(mutations)
  const codes = new Map<unknown, number>()
  for (let round = 0; round < (long ? 5000 : 500); round += 1) {
    const [kind, mutate] = kinds[round % kinds.length]!
    const mutated = mutate(Buffer.from(bytes), random)
    const code = await restore(mutated)
    expectRefusal(code, `${kind}, round ${round}`)
    codes.set(code, (codes.get(code) ?? 0) + 1)
    // Inspecting says the same; it is the same validator.
    if (round % 10 === 0) expect(await inspect(mutated), `${kind}, round ${round}`).toBe(code)
  }
  expectUntouched()
  expect(codes.size).toBeGreaterThanOrEqual(4)
})

test('every single byte counts', { timeout: 3_600_000 }, async () => {
  const { bytes, inspect, expectUntouched } = await setUp()
  // All of the last part, where headers and the seal are; of the rest some, and all where that was asked for.
  const step = long ? 1 : 31
  for (let at = 0; at < bytes.length; at += at < bytes.length - 900 ? step : long ? 1 : 5) {
    const mutated = Buffer.from(bytes)
    mutated.writeUInt8(mutated.readUInt8(at) ^ 0x01, at)
    expectRefusal(await inspect(mutated), `byte ${at} of ${bytes.length}`)
  }
  expectUntouched()
})
