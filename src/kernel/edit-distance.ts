/**
 * How many letters have to be put in, taken out, changed or swapped with their neighbour (the distance of Damerau and
 * Levenshtein, optimal string alignment); anything above `most` is told as infinite.
 */
export function editDistance(one: string, other: string, most: number = Number.POSITIVE_INFINITY): number {
  if (one === other) return 0
  if (Math.abs(one.length - other.length) > most) return Number.POSITIVE_INFINITY
  let [before, last]: [number[], number[]] = [[], Array.from({ length: other.length + 1 }, (_, index) => index)]
  for (let row = 1; row <= one.length; row += 1) {
    const line = [row]
    for (let column = 1; column <= other.length; column += 1) {
      const same = one[row - 1] === other[column - 1]
      let least = Math.min(
        (last[column] as number) + 1,
        (line[column - 1] as number) + 1,
        (last[column - 1] as number) + (same ? 0 : 1),
      )
      const swapped = row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1]
      if (swapped) least = Math.min(least, (before[column - 2] as number) + 1)
      line.push(least)
    }
    if (Math.min(...line) > most) return Number.POSITIVE_INFINITY
    ;[before, last] = [last, line]
  }
  const distance = last[other.length] as number
  return distance <= most ? distance : Number.POSITIVE_INFINITY
}

/** The nearest of what there is, where it is near enough to be what was meant. */
export function nearest(given: string, known: readonly string[]): string | null {
  const [near] = known
    .filter((name) => name !== '')
    .map((name) => ({ name, distance: editDistance(given, name, Math.max(1, Math.floor(name.length / 3))) }))
    .filter(({ distance }) => Number.isFinite(distance))
    .sort((a, b) => a.distance - b.distance)
  return near?.name ?? null
}
