import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/**
 * How much may be added to what is in use before the next whole collection. V8 counts the bytes of pictures and archives that
 * pass through; so soon after the start it would allow a few MiB, and collect all of a small heap at every larger picture.
 * Measured on an export and import of 1 GiB: 57 collections instead of 251, at most 6 ms instead of 20, in no more memory.
 */
const growingPercent = 100

/**
 * Gives back, once, what starting took: V8 would keep its garbage until the heap grows again, which in a quiet week is never.
 * It is done at once when the server is ready, since nobody has asked anything of it yet: everything stands still meanwhile.
 * Measured: 12 MiB of 80, in 60 ms.
 */
export async function releaseStartMemory(): Promise<void> {
  // What was told of the start goes out first.
  await setImmediate()
  // Before the collection, which decides when the next one is due.
  setFlagsFromString(`--heap-growing-percent=${growingPercent}`)
  setFlagsFromString('--expose-gc')
  const collect: NodeJS.GCFunction = runInNewContext('gc')
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}
