/**
 * A readers-writer lock around the database: every call holds it shared, whoever replaces the database or deletes files
 * holds it exclusively. Calls that meet an exclusive holder wait, they do not fail.
 */
export interface MaintenanceLock {
  /** Resolves once nobody holds it exclusively; the returned function releases it and may be called once. */
  acquireShared(): Promise<() => void>
  /**
   * Lets the present shared holders end, then keeps new ones out and resolves when those that came meanwhile have ended
   * too. Waits for another exclusive holder.
   */
  acquireExclusive(): Promise<void>
  releaseExclusive(): void
}

interface Holders {
  count: number
  onEmpty: (() => void) | null
}

export function createMaintenanceLock(): MaintenanceLock {
  /** All shared holders, and of these the ones that came after the last who asked for it exclusively. */
  const all: Holders = { count: 0, onEmpty: null }
  let latest: Holders = { count: 0, onEmpty: null }
  let exclusive: { readonly released: Promise<void>; release(): void } | null = null

  const releaseOnce = (holders: Holders): (() => void) => {
    let released = false
    return () => {
      if (released) return
      released = true
      for (const each of [holders, all]) {
        each.count -= 1
        if (each.count === 0) each.onEmpty?.()
      }
    }
  }
  const untilEmpty = async (holders: Holders): Promise<void> => {
    if (holders.count === 0) return
    const { promise, resolve } = Promise.withResolvers<void>()
    holders.onEmpty = resolve
    await promise
    holders.onEmpty = null
  }

  return {
    async acquireShared() {
      while (exclusive !== null) await exclusive.released
      all.count += 1
      latest.count += 1
      return releaseOnce(latest)
    },
    async acquireExclusive() {
      // A present holder may take long, as an upload does: until they have ended, nobody else waits for them.
      const before = latest
      latest = { count: 0, onEmpty: null }
      await untilEmpty(before)
      while (exclusive !== null) await exclusive.released
      const { promise, resolve } = Promise.withResolvers<void>()
      exclusive = { released: promise, release: resolve }
      await untilEmpty(all)
    },
    releaseExclusive() {
      const held = exclusive
      exclusive = null
      held?.release()
    },
  }
}

/** Runs `work` as a shared holder of the lock. */
export async function runShared<T>(
  lock: Pick<MaintenanceLock, 'acquireShared'>,
  work: () => T | Promise<T>,
): Promise<T> {
  const release = await lock.acquireShared()
  try {
    return await work()
  } finally {
    release()
  }
}

/** Runs work beside which nothing else may run. */
export async function runExclusive<T>(
  lock: Pick<MaintenanceLock, 'acquireExclusive' | 'releaseExclusive'>,
  work: () => Promise<T>,
): Promise<T> {
  await lock.acquireExclusive()
  return work().finally(() => lock.releaseExclusive())
}
