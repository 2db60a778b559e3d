import { createHash } from 'node:crypto'
import type { Unit } from '../kernel/system.ts'
import type { Store } from './store.ts'

/** The passwords with which keys were used, sealed, for as long as the process lasts and by the key: nothing of them is stored. */
export type SealedPasswords = Map<string, string>

/** How many keys of calls with passwords are told apart; of older ones it is forgotten. */
const sealedKept = 1000

interface Parts {
  readonly store: Store
  /** The instant that is kept with an answer. */
  now(): string
  seal(text: string): string
  readonly sealedPasswords: SealedPasswords
}

/** What idempotency keys answered. */
export function idempotencyOn({ store, now, seal, sealedPasswords }: Parts): Unit['idempotent'] {
  return {
    isSame(scope, passwords) {
      const known = sealedPasswords.get(scope)
      return known === undefined ? null : known === seal(JSON.stringify(passwords))
    },
    hash: (input) => createHash('sha256').update(JSON.stringify(input)).digest('hex'),
    find(scope) {
      const row = store.get('SELECT input_hash, answer FROM idempotency_keys WHERE scope = @scope', { scope })
      return row ? { inputHash: String(row.input_hash), answer: row.answer as string | null } : null
    },
    keep(scope, inputHash, answer, passwords) {
      if (passwords !== null) {
        sealedPasswords.delete(scope)
        if (sealedPasswords.size >= sealedKept) sealedPasswords.delete(sealedPasswords.keys().next().value as string)
        sealedPasswords.set(scope, seal(JSON.stringify(passwords)))
      }
      store.run(
        'INSERT INTO idempotency_keys (scope, input_hash, answer, created_at) VALUES (@scope, @inputHash, @answer, @now)',
        { scope, inputHash, answer, now: now() },
      )
    },
  }
}
