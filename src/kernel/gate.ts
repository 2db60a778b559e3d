/**
 * Lets calls through, and holds them while the database is replaced: held calls wait, they do not fail.
 */
export interface Gate {
  /** Resolves when the gate is open; the returned function ends the call and may be called once. */
  enter(): Promise<() => void>
  /** Closes the gate and resolves when every call that was inside has ended. Waits for whoever holds it already. */
  hold(): Promise<void>
  release(): void
}

export function createGate(): Gate {
  let inside = 0
  let closed: { readonly opened: Promise<void>; open(): void } | null = null
  let emptied: (() => void) | null = null

  const leaveOnce = (): (() => void) => {
    let left = false
    return () => {
      if (left) return
      left = true
      inside -= 1
      if (inside === 0) emptied?.()
    }
  }

  return {
    async enter() {
      while (closed !== null) await closed.opened
      inside += 1
      return leaveOnce()
    },
    async hold() {
      while (closed !== null) await closed.opened
      const { promise, resolve } = Promise.withResolvers<void>()
      closed = { opened: promise, open: resolve }
      if (inside > 0) {
        const empty = Promise.withResolvers<void>()
        emptied = empty.resolve
        await empty.promise
        emptied = null
      }
    },
    release() {
      const waiting = closed
      closed = null
      waiting?.open()
    },
  }
}
