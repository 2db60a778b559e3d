import { computed, type ReadonlySignal, signal } from '@preact/signals'

/** A part of the page that did not come. */
export interface FailedPart {
  retry(): void
}

/** What of a page did not come, so that it is said once and asked for again with one press. */
export interface Failures {
  readonly first: ReadonlySignal<FailedPart | null>
  /** Answers what takes it away again. */
  add(part: FailedPart): () => void
  retryAll(): void
}

export function createFailures(): Failures {
  const parts = signal<readonly FailedPart[]>([])
  return {
    first: computed(() => parts.value[0] ?? null),
    add(part) {
      parts.value = [...parts.value, part]
      return () => {
        parts.value = parts.value.filter((each) => each !== part)
      }
    },
    retryAll() {
      for (const part of parts.peek()) part.retry()
    },
  }
}
