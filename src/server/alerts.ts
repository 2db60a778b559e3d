/** What whoever keeps the server has to know of the running program. */
export interface Alert {
  /** What it is about; a later one of the same kind takes its place. */
  readonly kind: string
  readonly message: string
  /** When it happened last. */
  readonly at: string
}

/**
 * What goes wrong beside the requests: in writing the log, in housekeeping, with the data folder. None of it stops the
 * server; it is counted, and told to its administrators until it is over.
 */
export interface Alerts {
  /** `message` gets how often this has happened since it last went well, where that is more than once. */
  raise(kind: string, message: string): void
  clear(kind: string): void
  list(): readonly Alert[]
}

export function createAlerts(clock: () => Date): Alerts {
  const known = new Map<string, { readonly message: string; readonly at: string; readonly times: number }>()
  return {
    raise(kind, message) {
      known.set(kind, { message, at: clock().toISOString(), times: (known.get(kind)?.times ?? 0) + 1 })
    },
    clear: (kind) => void known.delete(kind),
    list: () =>
      Array.from(known, ([kind, { message, at, times }]) => ({
        kind,
        at,
        message: times === 1 ? message : `${message} This has happened ${times} times.`,
      })),
  }
}
