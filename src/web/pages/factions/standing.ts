/** How the party stands with somebody, in a word, for each stretch from an enemy to a friend. */
const words: readonly (readonly [from: number, word: string, look: string])[] = [
  [-100, 'Would sell you', 'bad'],
  [-60, 'Hostile', 'bad'],
  [-30, 'Wary', 'brass'],
  [-9, 'Indifferent', 'faint'],
  [10, 'Well disposed', 'ok'],
  [40, 'Trusting', 'ok'],
  [75, 'Would hide you', 'ok'],
]

export function standingOf(reputation: number): { readonly word: string; readonly look: string } {
  const [, word, look] = words.findLast(([from]) => reputation >= from) ?? words[0] ?? [0, '', '']
  return { word, look }
}

/** A number with its sign, as it is printed: `+15`, `−20`, `0`. */
export const signed = (value: number): string => (value === 0 ? '0' : `${value > 0 ? '+' : '\u2212'}${Math.abs(value)}`)
