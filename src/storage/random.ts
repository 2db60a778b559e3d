import { randomBytes, randomInt } from 'node:crypto'
import type { Random } from '../kernel/random.ts'

/** Chance as the operating system gives it: nobody can tell what comes next. */
export const cryptographicRandom: Random = {
  integer: (from, to) => randomInt(from, to + 1),
  bytes: (count) => randomBytes(count),
  id: () => randomBytes(16).toString('base64url'),
}
