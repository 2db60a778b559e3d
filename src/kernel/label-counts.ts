/** A label that rows bear. */
export interface LabelCount {
  /** What makes two spellings the same. */
  readonly key: string
  /** The spelling that most have, and how many have it. */
  readonly label: string
  readonly most: number
  /** How many have it in any spelling. */
  readonly count: number
}

/** The labels of several lists as one, sorted by their keys. Of spellings that as many have, the first list's counts. */
export function mergedLabels(lists: readonly (readonly LabelCount[])[]): LabelCount[] {
  const found = new Map<string, LabelCount>()
  for (const label of lists.flat()) {
    const known = found.get(label.key)
    const named = known === undefined || label.most > known.most ? label : known
    found.set(label.key, { ...named, count: label.count + (known?.count ?? 0) })
  }
  return Array.from(found.values()).sort((one, other) => byCharacters(one.key, other.key))
}

/** The order of SQLite, which compares the bytes of UTF-8: by characters, and not by halves of them as JavaScript has it. */
function byCharacters(one: string, other: string): number {
  const [left, right] = [Array.from(one), Array.from(other)]
  for (const [at, character] of left.entries()) {
    if (character !== right[at]) return (character.codePointAt(0) ?? 0) - (right[at]?.codePointAt(0) ?? -1)
  }
  return left.length - right.length
}
