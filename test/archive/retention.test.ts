import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type KeptArchive, planRetention, type RetentionSettings } from '../../src/archive/retention.ts'

const now = new Date('2026-11-21T00:00:00Z')
const day = 24 * 60 * 60 * 1000
const standard: RetentionSettings = { keepCount: 14, keepDays: 30, maxTotalBytes: null, protectLastGood: true }

function aged(days: number, more: Partial<KeptArchive> = {}): KeptArchive {
  return {
    name: `a${days}`,
    bytes: 10,
    createdAt: new Date(now.getTime() - days * day).toISOString(),
    sequence: null,
    pinned: false,
    ...more,
  }
}

function pruned(archives: readonly KeptArchive[], settings: Partial<RetentionSettings>): readonly string[] {
  return planRetention(archives, { ...standard, ...settings }, now)
    .prune.map(({ name, reason }) => `${name} ${reason}`)
    .sort()
}

describe('retention', () => {
  test('keeps the newest and prunes the rest', () => {
    expect(pruned([aged(1), aged(2), aged(3)], { keepCount: 2 })).toEqual(['a3 count'])
    expect(pruned([aged(1), aged(2), aged(3)], { keepCount: 0 })).toEqual([])
  })
  test('prunes what is older than the days, not what is as old', () => {
    expect(pruned([aged(29), aged(30), aged(31)], {})).toEqual(['a31 age'])
    expect(pruned([aged(29), aged(31)], { keepDays: 0 })).toEqual([])
  })
  test('never prunes the last good one, however old, unless told to', () => {
    expect(pruned([aged(100), aged(200)], {})).toEqual(['a200 age'])
    expect(pruned([aged(100), aged(200)], { protectLastGood: false })).toEqual(['a100 age', 'a200 age'])
    expect(pruned([aged(1)], { maxTotalBytes: 1 })).toEqual([])
  })
  test('leaves malformed and marked archives, and counts their bytes', () => {
    const malformed = { ...aged(90), createdAt: null }
    expect(pruned([aged(1), malformed], {})).toEqual([])
    expect(pruned([aged(1), aged(90, { pinned: true })], {})).toEqual([])
    expect(pruned([aged(1), aged(2), malformed], { maxTotalBytes: 20 })).toEqual(['a2 total'])
  })
  test('a newer one is newer whatever the clock said when they were made', () => {
    const ofTheFuture = aged(-3000, { name: 'future', sequence: 1 })
    const [second, third] = [aged(1, { name: 'second', sequence: 2 }), aged(20_000, { name: 'third', sequence: 3 })]
    expect(pruned([ofTheFuture, second, third], { keepCount: 2, keepDays: 0 })).toEqual(['future count'])
    expect(pruned([ofTheFuture, second, third], { keepCount: 1 })).toEqual(['future count', 'second count'])
    expect(pruned([ofTheFuture, third], { keepDays: 0, maxTotalBytes: 10 })).toEqual(['future total'])
  })
  test('says by how much it stays above the cap', () => {
    const plan = planRetention([aged(1), aged(2, { pinned: true })], { ...standard, maxTotalBytes: 15 }, now)
    expect(plan).toEqual({ prune: [], excessBytes: 5 })
  })
})

/** The rules word for word, with every possible number of victims of the cap tried in turn. */
function oracle(archives: readonly KeptArchive[], settings: RetentionSettings): ReadonlySet<string> {
  const verified = archives.filter((archive) => archive.createdAt !== null)
  const newer = (a: KeptArchive, b: KeptArchive): boolean => {
    const [timeA, timeB] = [Date.parse(a.createdAt ?? ''), Date.parse(b.createdAt ?? '')]
    if ((a.sequence ?? 0) !== (b.sequence ?? 0)) return (a.sequence ?? 0) > (b.sequence ?? 0)
    return timeA === timeB ? a.name > b.name : timeA > timeB
  }
  const newerThan = (archive: KeptArchive): number => verified.filter((other) => newer(other, archive)).length
  const mayGo = (archive: KeptArchive): boolean =>
    archive.createdAt !== null && !archive.pinned && !(settings.protectLastGood && newerThan(archive) === 0)
  const mustGo = (archive: KeptArchive): boolean =>
    (settings.keepCount > 0 && newerThan(archive) >= settings.keepCount) ||
    (settings.keepDays > 0 && Date.parse(archive.createdAt ?? '') < now.getTime() - settings.keepDays * day)
  const gone = new Set(archives.filter((archive) => mayGo(archive) && mustGo(archive)).map((archive) => archive.name))
  if (settings.maxTotalBytes === null) return gone
  const candidates = archives
    .filter((archive) => mayGo(archive) && !gone.has(archive.name))
    .sort((a, b) => newerThan(b) - newerThan(a))
  for (let victims = 0; victims <= candidates.length; victims += 1) {
    const all = new Set([...gone, ...candidates.slice(0, victims).map((archive) => archive.name)])
    const left = archives.filter((archive) => !all.has(archive.name)).reduce((sum, archive) => sum + archive.bytes, 0)
    if (left <= settings.maxTotalBytes || victims === candidates.length) return all
  }
  return gone
}

const archives = fc.uniqueArray(
  fc.record({
    name: fc.stringMatching(/^[a-z]{1,3}$/),
    bytes: fc.integer({ min: 0, max: 100 }),
    createdAt: fc.option(
      fc.integer({ min: -3, max: 40 }).map((days) => new Date(now.getTime() - days * day).toISOString()),
      { freq: 5 },
    ),
    sequence: fc.option(fc.integer({ min: 1, max: 9 })),
    pinned: fc.boolean(),
  }),
  { selector: (archive) => archive.name, maxLength: 12 },
)
const settings = fc.record({
  keepCount: fc.integer({ min: 0, max: 6 }),
  keepDays: fc.integer({ min: 0, max: 30 }),
  maxTotalBytes: fc.option(fc.integer({ min: 0, max: 500 })),
  protectLastGood: fc.boolean(),
})

test('retention does what its rules say, for any archives and settings', () => {
  fc.assert(
    fc.property(archives, settings, (given, rules) => {
      const plan = planRetention(given, rules, now)
      expect(new Set(plan.prune.map(({ name }) => name))).toEqual(oracle(given, rules))
      const left = given.filter((archive) => !plan.prune.some(({ name }) => name === archive.name))
      for (const { name } of plan.prune) {
        const archive = given.find((each) => each.name === name)
        expect([archive?.pinned, archive?.createdAt === null]).toEqual([false, false])
      }
      const bytes = left.reduce((sum, archive) => sum + archive.bytes, 0)
      expect(plan.excessBytes).toBe(Math.max(0, bytes - (rules.maxTotalBytes ?? bytes)))
    }),
    { numRuns: 10_000, seed: 20261121 },
  )
})
