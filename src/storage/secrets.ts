import { hash, randomBytes, randomInt } from 'node:crypto'
import type { MintedSecret, SecretKind } from '../kernel/context.ts'
import type { Random } from '../kernel/random.ts'

/** SHA-256 in hex: secrets have 256 random bits, so a fast hash is enough, and only it is stored. */
export function hashSecret(value: string): string {
  return hash('sha256', value)
}

/** A new secret: its kind, an underscore and 43 base64url characters (256 random bits). */
export function mintSecret(kind: SecretKind): MintedSecret {
  const value = `${kind}_${randomBytes(32).toString('base64url')}`
  return { value, hash: hashSecret(value), hint: value.slice(0, 12) }
}

/** Chance as the operating system gives it: nobody can tell what comes next. */
export const cryptographicRandom: Random = {
  integer: (from, to) => randomInt(from, to + 1),
  bytes: (count) => randomBytes(count),
  id: () => randomBytes(16).toString('base64url'),
}
