import { setImmediate } from 'node:timers/promises'

// A message between threads copies the bytes that it holds, in one go and on the thread that sends it: for a large picture that
// is as long as a hundred requests. Bytes in shared memory are handed over as they lie.

const copiedAtOnce = 1024 * 1024

export interface SharedRoom {
  /** Copies the bytes, a little at a time, to where another thread reads them too; `use` may until it has settled. */
  holding<Result>(bytes: Uint8Array, use: (shared: Uint8Array) => Promise<Result>): Promise<Result>
}

/**
 * Shared memory that is used again: what is made of it anew each time is collected far too late, since engines do not count it.
 * It is let go when nothing has used it for a while.
 */
export function createSharedRoom(): SharedRoom {
  let free: WeakRef<SharedArrayBuffer> | undefined
  const take = (size: number): SharedArrayBuffer => {
    const known = free?.deref()
    free = undefined
    return known !== undefined && known.byteLength >= size ? known : new SharedArrayBuffer(size)
  }
  return {
    async holding(bytes, use) {
      const room = take(bytes.length)
      try {
        const shared = new Uint8Array(room, 0, bytes.length)
        for (let at = 0; at < bytes.length; at += copiedAtOnce) {
          if (at > 0) await setImmediate()
          shared.set(bytes.subarray(at, at + copiedAtOnce), at)
        }
        return await use(shared)
      } finally {
        free = new WeakRef(room)
      }
    },
  }
}
