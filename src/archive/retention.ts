/** A scheduled archive, as far as retention is concerned. */
export interface KeptArchive {
  readonly name: string
  readonly bytes: number
  /** From its manifest; null when the archive cannot be read as one, so that it is not verified. */
  readonly createdAt: string | null
  /** Of its manifest; null in one that has none. */
  readonly sequence: number | null
  /** A marker file beside it says that it must stay (SPEC 8.3.5). */
  readonly pinned: boolean
}

export interface RetentionSettings {
  /** 0 keeps any number. */
  readonly keepCount: number
  /** 0 keeps any age. */
  readonly keepDays: number
  readonly maxTotalBytes: number | null
  readonly protectLastGood: boolean
}

export type PruneReason = 'count' | 'age' | 'total'

export interface RetentionPlan {
  readonly prune: readonly { readonly name: string; readonly reason: PruneReason }[]
  /** By how many bytes the rest is still larger than `maxTotalBytes`: nothing more may be pruned. */
  readonly excessBytes: number
}

const dayMs = 24 * 60 * 60 * 1000

/** What tells which of two backups is newer. */
export type Age = Pick<KeptArchive, 'name' | 'createdAt' | 'sequence'>

/** Newest first: by the sequence, since a clock may once have been wrong, then by time and name; those without a manifest last. */
export function newestFirst(a: Age, b: Age): number {
  const bySequence = (b.sequence ?? 0) - (a.sequence ?? 0)
  if (bySequence !== 0) return bySequence
  if (timeOf(a) !== timeOf(b)) return timeOf(a) < timeOf(b) ? 1 : -1
  return stampIn(a.name) < stampIn(b.name) ? 1 : -1
}

/** What of a name tells when it was made; the occasion stands before it. */
function stampIn(name: string): string {
  return /\d{8}T.*/.exec(name)?.[0] ?? name
}

function timeOf({ createdAt }: Age): number {
  return createdAt === null ? Number.NEGATIVE_INFINITY : Date.parse(createdAt)
}

/**
 * Which scheduled archives to delete (SPEC 8.2, 8.3.4, 8.3.5):
 * 1. only verified ones without a marker; never the newest verified one while `protectLastGood` is set
 * 2. those beyond the newest `keepCount` verified ones, markers counted in
 * 3. those older than `keepDays`
 * 4. then the oldest, until all files together, malformed ones counted in, are within `maxTotalBytes`
 */
export function planRetention(archives: readonly KeptArchive[], settings: RetentionSettings, now: Date): RetentionPlan {
  const { keepCount, keepDays, maxTotalBytes, protectLastGood } = settings
  const verified = archives.filter(({ createdAt }) => createdAt !== null).sort(newestFirst)
  const lastGood = verified[0]
  const prune = new Map<string, PruneReason>()

  for (const [rank, archive] of verified.entries()) {
    if (archive.pinned || (protectLastGood && archive === lastGood)) continue
    if (keepCount > 0 && rank >= keepCount) prune.set(archive.name, 'count')
    else if (keepDays > 0 && now.getTime() - timeOf(archive) > keepDays * dayMs) prune.set(archive.name, 'age')
  }

  const kept = archives.filter((archive) => !prune.has(archive.name)).reduce((sum, archive) => sum + archive.bytes, 0)
  let excess = maxTotalBytes === null ? 0 : kept - maxTotalBytes
  for (const archive of verified.toReversed()) {
    if (excess <= 0) break
    if (prune.has(archive.name) || archive.pinned || (protectLastGood && archive === lastGood)) continue
    prune.set(archive.name, 'total')
    excess -= archive.bytes
  }
  return {
    prune: [...prune].map(([name, reason]) => ({ name, reason })),
    excessBytes: Math.max(0, excess),
  }
}
