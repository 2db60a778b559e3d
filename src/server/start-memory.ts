import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/**
 * Gives back, once, what starting took: V8 would keep its garbage until the heap grows again, which in a quiet week is never.
 * It is done at once when the server is ready, since nobody has asked anything of it yet: everything stands still meanwhile.
 * Measured: 12 MiB of 80, in 60 ms.
 */
export async function releaseStartMemory(): Promise<void> {
  // What was told of the start goes out first.
  await setImmediate()
  setFlagsFromString('--expose-gc')
  const collect: NodeJS.GCFunction = runInNewContext('gc')
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}
