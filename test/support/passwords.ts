import type { Services } from '../../src/kernel/context.ts'

const none = (): never => {
  throw new Error('no password is hashed here')
}

/** For systems in which nobody has a password. */
export const noPasswords: Services['passwords'] = { hash: none, prove: none }
