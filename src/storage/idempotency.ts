import { createHash } from 'node:crypto'
import type { Unit } from '../kernel/system.ts'
import type { Store } from './store.ts'

/** What idempotency keys answered. `now` gives the instant that is kept with an answer. */
export function idempotencyOn(store: Store, now: () => string): Unit['idempotent'] {
  return {
    hash: (input) => createHash('sha256').update(JSON.stringify(input)).digest('hex'),
    find(scope) {
      const row = store.get('SELECT input_hash, answer FROM idempotency_keys WHERE scope = @scope', { scope })
      return row ? { inputHash: String(row.input_hash), answer: row.answer as string | null } : null
    },
    keep(scope, inputHash, answer) {
      store.run(
        'INSERT INTO idempotency_keys (scope, input_hash, answer, created_at) VALUES (@scope, @inputHash, @answer, @now)',
        { scope, inputHash, answer, now: now() },
      )
    },
  }
}
