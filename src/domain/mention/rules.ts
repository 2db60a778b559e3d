export interface TagCount {
  /** What makes two spellings the same tag. */
  readonly key: string
  /** As the first thing spells it. */
  readonly tag: string
  readonly count: number
}

/** How many things have each tag, whatever its case, out of how many have each spelling; sorted by key. */
export function countTags(spellings: readonly (readonly [tag: string, count: number])[]): TagCount[] {
  const counts = new Map<string, TagCount>()
  for (const [tag, count] of spellings) {
    const key = tag.toLowerCase()
    const known = counts.get(key)
    counts.set(key, { key, tag: known?.tag ?? tag, count: (known?.count ?? 0) + count })
  }
  return Array.from(counts.values()).sort((one, other) => (one.key < other.key ? -1 : 1))
}
