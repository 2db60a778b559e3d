import type { ImportReport } from '../domain/campaign/arrival.ts'

type Dropped = ImportReport['dropped'][number]

/** Members that say the same are told together. */
const mostPlaces = 5
const mostKinds = 200

export interface DropLog {
  add(entityType: string, member: string, reason: string, place: string): void
  list(): Dropped[]
}

export function createDropLog(): DropLog {
  const known = new Map<string, Dropped>()
  return {
    add(entityType, member, reason, place) {
      const key = JSON.stringify([entityType, member, reason])
      const entry = known.get(key) ?? { entityType, member, count: 0, reason, places: [] }
      if (!known.has(key) && known.size >= mostKinds) return
      const places = entry.places.length < mostPlaces ? [...entry.places, place] : entry.places
      known.set(key, { ...entry, count: entry.count + 1, places })
    },
    list: () => Array.from(known.values()),
  }
}
