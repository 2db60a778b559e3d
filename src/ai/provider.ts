import { type ModelStatus, modelFailures, type ProviderKind } from '../kernel/model-port.ts'
import type { MemoKind, Store } from '../storage/store.ts'
import type { Reach } from './addresses.ts'
import { openKey } from './sealed-key.ts'

/** A provider that can be asked: where it is, and how it lets us in. Read anew for each attempt, key and endpoint together. */
export interface Provider {
  readonly kind: Exclude<ProviderKind, 'none'>
  readonly baseUrl: string
  readonly reach: Reach
  /** Null where none is chosen yet: its models can be listed. */
  readonly model: string | null
  /** Not to be stored, logged or returned. */
  readonly apiKey: string | null
  readonly contextTokens: number | null
  readonly monthlyTokens: number | null
}

/** What is chosen, as it lies in the database. */
export interface StoredProvider extends Omit<Provider, 'apiKey' | 'kind' | 'baseUrl'> {
  readonly id: number
  readonly kind: ProviderKind
  readonly baseUrl: string | null
  readonly sealedKey: string | null
  readonly keyHint: string | null
  readonly keySetAt: string | null
}

const providerKept: MemoKind = { tables: ['ai_providers'] }

/** The one row, or null where nobody chose yet. */
export function storedProvider(store: Store): StoredProvider | null {
  return store.memo(providerKept, 'the only one', () => {
    const row = store.get('SELECT * FROM ai_providers WHERE id = (SELECT min(id) FROM ai_providers)')
    if (row === undefined) return null
    const text = (value: unknown): string | null => (typeof value === 'string' ? value : null)
    const count = (value: unknown): number | null => (value === null ? null : Number(value))
    return {
      id: Number(row.id),
      kind: row.kind as ProviderKind,
      baseUrl: text(row.base_url),
      reach: row.reach as Reach,
      model: text(row.model),
      contextTokens: count(row.context_tokens),
      monthlyTokens: count(row.monthly_tokens),
      sealedKey: text(row.sealed_key),
      keyHint: text(row.key_hint),
      keySetAt: text(row.key_set_at),
    }
  })
}

/** What is said where a kept key is locked for good: after a backup came home without the key file. */
export const keyIsLocked =
  'The kept API key cannot be opened: it came with a backup that had no key file, or was meant for another address. An administrator puts it in again.'

/** The provider with its key; else what is missing, as a sentence. */
export function providerOf(
  stored: StoredProvider | null,
  keyfile: () => Uint8Array,
): { readonly provider: Provider } | { readonly missing: string } {
  if (stored === null || stored.kind === 'none') return { missing: modelFailures.no_provider }
  const { kind, baseUrl, sealedKey, reach, model, contextTokens, monthlyTokens } = stored
  if (baseUrl === null) return { missing: 'The AI provider has no address yet. An administrator puts it in.' }
  const apiKey = sealedKey === null ? null : openKey(sealedKey, { kind, baseUrl }, keyfile())
  if (sealedKey !== null && apiKey === null) return { missing: keyIsLocked }
  if (apiKey === null && kind === 'anthropic' && reach === 'internet')
    return { missing: 'The AI provider asks for an API key, and none was put in. An administrator does that.' }
  return { provider: { kind, baseUrl, reach, model, apiKey, contextTokens, monthlyTokens } }
}

export const noModel = 'No model is chosen yet. An administrator chooses one under AI in this house.'

/** @param isLocal `AI_PROVIDER_ENDPOINT_IS_LOCAL` (SPEC 8.2) */
export function statusOf(stored: StoredProvider | null, keyfile: () => Uint8Array, isLocal: boolean): ModelStatus {
  if (stored === null || stored.kind === 'none')
    return {
      ...{ kind: 'none', model: null, host: null, external: false, contextTokens: null },
      ...{ ready: false, missing: modelFailures.no_provider },
    }
  const found = providerOf(stored, keyfile)
  const missing = 'missing' in found ? found.missing : stored.model === null ? noModel : null
  return {
    kind: stored.kind,
    model: stored.model,
    host: stored.baseUrl === null ? null : new URL(stored.baseUrl).host,
    external: !isLocal,
    contextTokens: stored.contextTokens,
    ready: missing === null,
    missing,
  }
}
