import { setImmediate } from 'node:timers/promises'
import type { ImageSource } from '../kernel/context.ts'

// A message between threads copies the bytes that it holds, in one go and on the thread that sends it: for a large picture that
// is as long as a hundred requests. Bytes in shared memory are handed over as they lie.

/** What the main thread does with bytes in one go. */
export const pieceBytes = 1024 * 1024

export interface SharedRoom {
  /** Puts bytes where another thread reads them too, each piece as it comes; `use` may read them until it has settled. */
  gathering<Result>(source: ImageSource, use: (shared: Uint8Array) => Promise<Result>): Promise<Result>
}

/**
 * Shared memory that is used again: what is made of it anew each time is collected far too late, since engines do not count it.
 * It is let go when nothing has used it for a while. One at a time may use it.
 */
export function createSharedRoom(): SharedRoom {
  let free: WeakRef<SharedArrayBuffer> | undefined
  const take = (size: number): Uint8Array => {
    const known = free?.deref()
    free = undefined
    return new Uint8Array(known !== undefined && known.byteLength >= size ? known : new SharedArrayBuffer(size))
  }
  return {
    async gathering({ size, pieces }, use) {
      let room = take(size)
      try {
        let length = 0
        for await (const piece of pieces) {
          if (length + piece.length > room.length) {
            // More than was told. So much at once that it is not copied again with each piece.
            const larger = new Uint8Array(new SharedArrayBuffer(2 * (length + piece.length)))
            larger.set(room.subarray(0, length))
            room = larger
          }
          room.set(piece, length)
          length += piece.length
        }
        return await use(room.subarray(0, length))
      } finally {
        free = new WeakRef(room.buffer as SharedArrayBuffer)
      }
    },
  }
}

/** Bytes that are there already, a little at a time. */
export function inPieces(bytes: Uint8Array): ImageSource {
  return {
    size: bytes.length,
    pieces: (async function* () {
      for (let at = 0; at < bytes.length; at += pieceBytes) {
        if (at > 0) await setImmediate()
        yield bytes.subarray(at, at + pieceBytes)
      }
    })(),
  }
}
