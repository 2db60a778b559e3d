/**
 * A readers-writer lock around the database: every call holds it shared, whoever replaces the database or deletes files
 * holds it exclusively. Calls that meet an exclusive holder wait, they do not fail.
 */
export interface MaintenanceLock {
  /**
   * The function that releases it, which may be called once: at once where nobody holds it exclusively, as nearly always,
   * else as soon as nobody does.
   */
  acquireShared(): SharedHold | Promise<SharedHold>
  /**
   * Lets the present shared holders end, then keeps new ones out and resolves when those that came meanwhile have ended
   * too. Waits for another exclusive holder.
   */
  acquireExclusive(): Promise<void>
  releaseExclusive(): void
}

export type SharedHold = () => void

interface Holders {
  count: number
  onEmpty: (() => void) | null
}

export function createMaintenanceLock(): MaintenanceLock {
  /** All shared holders, and of these the ones that came after the last who asked for it exclusively. */
  const all: Holders = { count: 0, onEmpty: null }
  let latest: Holders = { count: 0, onEmpty: null }
  let exclusive: { readonly released: Promise<void>; release(): void } | null = null

  const leave = (holders: Holders): void => {
    holders.count -= 1
    if (holders.count === 0) holders.onEmpty?.()
  }
  const hold = (): SharedHold => {
    const own = latest
    let released = false
    all.count += 1
    own.count += 1
    return () => {
      if (released) return
      released = true
      leave(own)
      leave(all)
    }
  }
  const holdLater = async (): Promise<SharedHold> => {
    while (exclusive !== null) await exclusive.released
    return hold()
  }
  const untilEmpty = async (holders: Holders): Promise<void> => {
    if (holders.count === 0) return
    const { promise, resolve } = Promise.withResolvers<void>()
    holders.onEmpty = resolve
    await promise
    holders.onEmpty = null
  }

  return {
    acquireShared: () => (exclusive === null ? hold() : holdLater()),
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
  const held = lock.acquireShared()
  const release = held instanceof Promise ? await held : held
  try {
    return await work()
  } finally {
    release()
  }
}

/** The same of work that waits for nothing itself: its result, without a promise where the lock was free. */
export function runSharedSoon<T>(lock: Pick<MaintenanceLock, 'acquireShared'>, work: () => T): T | Promise<T> {
  const held = lock.acquireShared()
  if (held instanceof Promise) return held.then((release) => released(release, work))
  return released(held, work)
}

function released<T>(release: SharedHold, work: () => T): T {
  try {
    return work()
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
