/**
 * Lets calls through, and holds them while the database is replaced: held calls wait, they do not fail.
 */
export interface Gate {
  /** Resolves when the gate is open; the returned function ends the call and may be called once. */
  enter(): Promise<() => void>
  /**
   * Lets the calls that are inside end, then closes the gate and resolves when those that came meanwhile have ended too.
   * Waits for whoever holds it already.
   */
  hold(): Promise<void>
  release(): void
}

interface Calls {
  inside: number
  emptied: (() => void) | null
}

export function createGate(): Gate {
  /** All that are inside, and of these the ones that came after the last who asked to hold. */
  const all: Calls = { inside: 0, emptied: null }
  let latest: Calls = { inside: 0, emptied: null }
  let closed: { readonly opened: Promise<void>; open(): void } | null = null

  const leaveOnce = (calls: Calls): (() => void) => {
    let left = false
    return () => {
      if (left) return
      left = true
      for (const each of [calls, all]) {
        each.inside -= 1
        if (each.inside === 0) each.emptied?.()
      }
    }
  }
  const empty = async (calls: Calls): Promise<void> => {
    if (calls.inside === 0) return
    const { promise, resolve } = Promise.withResolvers<void>()
    calls.emptied = resolve
    await promise
    calls.emptied = null
  }

  return {
    async enter() {
      while (closed !== null) await closed.opened
      all.inside += 1
      latest.inside += 1
      return leaveOnce(latest)
    },
    async hold() {
      // Who is inside already may take long, as an upload does: until they have ended, nobody else waits for them.
      const before = latest
      latest = { inside: 0, emptied: null }
      await empty(before)
      while (closed !== null) await closed.opened
      const { promise, resolve } = Promise.withResolvers<void>()
      closed = { opened: promise, open: resolve }
      await empty(all)
    },
    release() {
      const waiting = closed
      closed = null
      waiting?.open()
    },
  }
}

/** Runs `work` as a call that is inside: it waits while the gate is held, and the gate waits for its end. */
export async function inside<T>(gate: Pick<Gate, 'enter'>, work: () => T | Promise<T>): Promise<T> {
  const leave = await gate.enter()
  try {
    return await work()
  } finally {
    leave()
  }
}
