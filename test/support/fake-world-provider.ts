import type { Store } from '../../src/storage/store.ts'
import { type FakeProvider, startFakeProvider } from './fake-provider.ts'

let running: Promise<FakeProvider> | undefined

/** The one that all servers of a test file ask when their world has a provider and the test names no other. */
export function sharedFakeProvider(): Promise<FakeProvider> {
  running ??= startFakeProvider()
  return running
}

/** A world's database comes from another process, and its provider had another port. */
export async function pointAtSharedFake(store: Store): Promise<void> {
  const row = store.get(
    "SELECT id FROM ai_providers WHERE base_url LIKE 'http://127.0.0.1:%/v1' AND model = 'table-model'",
  )
  if (row === undefined) return
  const { baseUrl } = await sharedFakeProvider()
  store.run('UPDATE ai_providers SET base_url = @baseUrl WHERE id = @id', { baseUrl, id: Number(row.id) })
}

/** Chooses a provider as an administrator would, on a store at hand. */
export function chooseProvider(
  store: Store,
  chosen: { readonly kind: 'openai_compatible' | 'anthropic'; readonly baseUrl: string; readonly model?: string },
  now: string,
): void {
  store.run('DELETE FROM ai_providers')
  store.run(
    `INSERT INTO ai_providers (kind, base_url, reach, model, created_at, updated_at)
     VALUES (@kind, @baseUrl, 'local', @model, @now, @now)`,
    { model: 'table-model', ...chosen, now },
  )
}
