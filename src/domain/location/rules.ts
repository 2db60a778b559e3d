import { upwards } from '../tree.ts'

interface Place {
  readonly id: number
  readonly parentLocationId: number | null
}

/** The places that a place lies in, the outermost first. */
export function placesAbove<T extends Place>(place: T, find: (id: number | null) => T | null): T[] {
  return [...upwards(place, ({ parentLocationId }) => find(parentLocationId))].slice(1).reverse()
}
