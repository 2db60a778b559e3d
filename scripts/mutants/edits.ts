/** One guard that is taken away, and the tests that must notice. */
export interface Mutant {
  /** What is missing then. */
  readonly without: string
  readonly file: string
  /** Texts and what replaces them; each must be there exactly once. */
  readonly edits: readonly (readonly [from: string, to: string])[]
  /** The first of them is enough; the others are named where it takes two to notice. */
  readonly tests: readonly string[]
}

/** Applies the edits to a text, or says what is wrong with them: a mutant whose text is gone guards nothing any more. */
export function mutate(
  original: string,
  edits: Mutant['edits'],
): { readonly text: string } | { readonly problem: string } {
  let text = original
  for (const [from, to] of edits) {
    const times = text.split(from).length - 1
    if (times !== 1) return { problem: `this stands there ${times} times instead of once: ${from}` }
    text = text.replace(from, () => to)
  }
  return { text }
}
