interface Place {
  readonly id: number
  readonly parentLocationId: number | null
}

/**
 * The places that a place lies in, the outermost first. It ends where `find` gives null: at the top, or at a parent that
 * the reader does not see. A circle, which a restored revision can make, ends it too.
 */
export function placesAbove<T extends Place>(place: Place, find: (id: number | null) => T | null): T[] {
  const above: T[] = []
  const met = new Set([place.id])
  for (
    let next = find(place.parentLocationId);
    next !== null && !met.has(next.id);
    next = find(next.parentLocationId)
  ) {
    met.add(next.id)
    above.unshift(next)
  }
  return above
}

/** Whether putting the place `id` into `parent` would close a circle. */
export function makesCircle(id: number, parent: Place, find: (id: number | null) => Place | null): boolean {
  return parent.id === id || placesAbove(parent, find).some((place) => place.id === id)
}
