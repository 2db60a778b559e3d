import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Account } from './users.ts'

/**
 * Remembers in a cookie, and nowhere else, that somebody has signed in with this browser: their own wrong passwords are then
 * counted apart from those of strangers, who could otherwise lock them out of their account. It signs nobody in, and whoever
 * steals it wins a few guesses.
 */
export interface Devices {
  /** The device of a cookie, to count by; null unless this person has signed in with it, by the password that they still have. */
  known(cookie: string | null, account: Account | null): string | null
  /** The value of the cookie after a sign-in. Null where the server has no key to sign it with. */
  remember(account: Account): string | null
}

export interface DeviceParts {
  /** The server's own key. It may throw: then no device is known. */
  key(): Uint8Array
}

const idBytes = 12

export function createDevices({ key }: DeviceParts): Devices {
  let derived: Uint8Array | undefined
  const ownKey = (): Uint8Array | null => {
    try {
      derived ??= new Uint8Array(hkdfSync('sha256', key(), new Uint8Array(), 'talekeeper known device v1', 32))
      return derived
    } catch {
      return null
    }
  }
  // The person by what never changes about them, and their password by what changes with it.
  const signature = (id: string, { key: person, passwordHash }: Account): Buffer | null => {
    const signing = ownKey()
    return (
      signing &&
      createHmac('sha256', signing)
        .update(JSON.stringify([id, person, passwordHash]))
        .digest()
    )
  }
  return {
    known(cookie, account) {
      const [id, given] = cookie?.split('.') ?? []
      if (account === null || id === undefined || given === undefined) return null
      const [expected, shown] = [signature(id, account), Buffer.from(given, 'base64url')]
      const isRight = expected !== null && shown.length === expected.length && timingSafeEqual(shown, expected)
      return isRight ? id : null
    },
    remember(account) {
      const id = randomBytes(idBytes).toString('base64url')
      const signed = signature(id, account)
      return signed && `${id}.${signed.toString('base64url')}`
    },
  }
}
