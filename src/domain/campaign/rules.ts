const dayMs = 24 * 3600 * 1000

/** Days between each date and the one before that is known; null for the first, and where one is missing. */
export function gapsBetween(dates: readonly (string | null)[]): readonly (number | null)[] {
  let before: string | null = null
  return dates.map((date) => {
    const gap = date === null || before === null ? null : Math.round((Date.parse(date) - Date.parse(before)) / dayMs)
    before = date ?? before
    return gap === null ? null : Math.max(0, gap)
  })
}

/** The one in the middle and the longest of some gaps; nulls where there is none. */
export function middleOf(gaps: readonly (number | null)[]): {
  readonly median: number | null
  readonly longest: number | null
} {
  const known = gaps.filter((gap) => gap !== null).sort((a, b) => a - b)
  if (known.length === 0) return { median: null, longest: null }
  const half = Math.floor(known.length / 2)
  const upper = known[half] as number
  const median = known.length % 2 === 1 ? upper : ((known[half - 1] as number) + upper) / 2
  return { median, longest: known.at(-1) as number }
}
