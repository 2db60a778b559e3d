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
