import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

type Collect = (options: { readonly type: 'minor' }) => void

const collectEvery = 16 * 1024 * 1024
let collectYoung: Collect | undefined

/**
 * Counts the chunks of a large body that is passed on. Each is a buffer of its own, of which V8 sees only the small head:
 * it lets 60 MB and more of them lie before it looks. Asked after every so many bytes, it takes them away in a millisecond.
 */
export function collectSpentBuffers(): (chunk: Uint8Array) => void {
  let uncollected = 0
  return ({ length }) => {
    uncollected += length
    if (uncollected < collectEvery) return
    uncollected = 0
    collectYoung ??= exposeCollect()
    collectYoung({ type: 'minor' })
  }
}

/** V8 gives the function only to contexts that are made after it was asked for. */
function exposeCollect(): Collect {
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc') as Collect
}
