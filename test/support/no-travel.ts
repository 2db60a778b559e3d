import type { Travel } from '../../src/kernel/context.ts'
import { fail } from '../../src/kernel/errors.ts'

/** For systems in which nothing comes in or goes out. */
export const noTravel: Travel = {
  stageDocument: () => Promise.reject(fail('unavailable')),
  stageSample: () => Promise.reject(fail('unavailable')),
  stageCopy: () => Promise.reject(fail('unavailable')),
  offer: () => Promise.reject(fail('unavailable')),
}
