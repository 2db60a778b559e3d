import * as z from 'zod'
import { aiProvider } from '../domain/ai-provider/entity.ts'
import { fail, invalid } from '../kernel/errors.ts'
import { line } from '../kernel/fields.ts'
import { providerKinds } from '../kernel/model-port.ts'
import { recordChange } from '../kernel/recorded-change.ts'
import type { System } from '../kernel/system.ts'
import { type AnyTransfer, defineTransfer } from '../kernel/transfer.ts'
import type { Store } from '../storage/store.ts'
import { baseUrlOf } from './addresses.ts'
import type { Surroundings } from './attempt.ts'
import { noModel, type Provider, providerOf, type StoredProvider, statusOf, storedProvider } from './provider.ts'
import { listModels, tryProvider } from './provider-test.ts'
import { openKey, sealKey } from './sealed-key.ts'

interface Parts extends Surroundings {
  readonly isLocal: boolean
  store(): Store
  system(): System
  readonly clock: () => Date
  keyfile(): Uint8Array
}

const reach = z.enum(['local', 'internet'])
const apiKey = z
  .string()
  .trim()
  .min(1)
  .max(500)
  .regex(/^[\x21-\x7e]+$/, 'an API key has no blanks and no letters beyond ASCII')
const callable = z.enum(['openai_compatible', 'anthropic'])
const answer = z.object({
  kind: z.enum(providerKinds),
  baseUrl: z.string().nullable(),
  reach,
  model: z.string().nullable(),
  contextTokens: z.int().nullable(),
  monthlyTokens: z.int().nullable(),
  /** A key is kept. Nobody reads it back. */
  hasKey: z.boolean(),
  /** Its last characters, four at most. */
  keyHint: z.string().nullable(),
  keySetAt: z.string().nullable(),
  /** It could be asked now. */
  ready: z.boolean(),
  missing: z.string().nullable(),
  /** What it is given counts as leaving for an outside AI; AI_PROVIDER_ENDPOINT_IS_LOCAL says otherwise. */
  external: z.boolean(),
})
const problem = z.object({ failureClass: z.string(), message: z.string() }).nullable()

/**
 * The language model of this server, for its administrators. The key goes in and never comes out; it belongs to the kind and
 * address for which it was put in, and is forgotten with them.
 */
export function providerTransfers(parts: Parts): readonly AnyTransfer[] {
  const { store, system, clock, keyfile, isLocal } = parts
  const now = (): z.input<typeof answer> => {
    const stored = storedProvider(store())
    const { ready, missing, external } = statusOf(stored, keyfile, isLocal)
    return {
      kind: stored?.kind ?? 'none',
      baseUrl: stored?.baseUrl ?? null,
      reach: stored?.reach ?? 'local',
      model: stored?.model ?? null,
      contextTokens: stored?.contextTokens ?? null,
      monthlyTokens: stored?.monthlyTokens ?? null,
      hasKey: stored?.sealedKey != null,
      keyHint: stored?.keyHint ?? null,
      keySetAt: stored?.keySetAt ?? null,
      ...{ ready, missing, external },
    }
  }

  return [
    defineTransfer({
      name: 'get_ai_provider',
      title: 'Get the AI provider of the server',
      description:
        'Which language model the scribe, the seat and drafts ask; none by default, and then nothing is sent.',
      access: 'admin',
      effect: 'read',
      route: 'GET /ai-provider',
      input: z.strictObject({}),
      output: answer,
      example: () => ({}),
      handle: async () => now(),
    }),
    defineTransfer({
      name: 'update_ai_provider',
      title: 'Choose the AI provider of the server',
      description:
        'kind none forgets all of it. Another kind or base URL forgets the key: it belongs to the one for which it was put in.',
      access: 'admin',
      effect: 'write',
      route: 'PUT /ai-provider',
      input: z.strictObject({
        kind: z.enum(providerKinds),
        baseUrl: z.string().max(500).optional(),
        reach: reach.optional(),
        model: line(200).nullable().optional(),
        contextTokens: z.int().min(512).max(10_000_000).nullable().optional(),
        monthlyTokens: z.int().min(1000).max(1_000_000_000).nullable().optional(),
        /** Absent keeps it, null forgets it. */
        apiKey: apiKey.nullable().optional(),
      }),
      output: answer,
      example: () => ({ kind: 'none' as const }),
      async handle({ actor, reason }, given) {
        if (actor === null) throw fail('unauthenticated')
        system().transaction((unit) => {
          const stored = storedProvider(store())
          const values = valuesOf(stored, given, keyfile, clock)
          const { kind, baseUrl, model } = values
          const change = {
            operation: 'update_ai_provider',
            effect: 'write',
            reason,
            facts: { kind, baseUrl, model },
          } as const
          recordChange(unit, { ...change, by: unit.recheck(actor) }, ({ context }) => {
            if (stored === null) context.write(aiProvider).insert(values)
            else context.write(aiProvider).update(stored.id, values)
          })
        })
        return now()
      },
    }),
    defineTransfer({
      name: 'list_ai_models',
      title: 'List the models of an AI provider',
      description: 'Asks the endpoint that is named; the kept key goes along to the one that it belongs to.',
      access: 'admin',
      effect: 'write',
      route: 'POST /ai-provider/models',
      input: z.strictObject({ kind: callable, baseUrl: z.string().max(500), reach, apiKey: apiKey.optional() }),
      output: z.object({
        models: z.array(z.object({ id: z.string(), name: z.string(), contextTokens: z.int().nullable() })),
        problem,
      }),
      example: () => ({
        kind: 'openai_compatible' as const,
        baseUrl: 'http://127.0.0.1:9/v1',
        reach: 'local' as const,
      }),
      async handle({ signal }, given) {
        const endpoint = { kind: given.kind, baseUrl: requireBaseUrl(given.baseUrl) }
        const kept = storedProvider(store())?.sealedKey ?? null
        const opened = kept === null ? null : openKey(kept, endpoint, keyfile())
        const asked = {
          ...endpoint,
          reach: given.reach,
          apiKey: given.apiKey ?? opened,
          contextTokens: null,
          monthlyTokens: null,
        }
        const found = await listModels(parts, asked, signal)
        return 'models' in found ? { ...found, problem: null } : { models: [], problem: found.problem }
      },
    }),
    defineTransfer({
      name: 'test_ai_provider',
      title: 'Ask the AI provider something',
      description: 'Sends one short question of our own to the chosen model. Nothing of a campaign goes along.',
      access: 'admin',
      effect: 'write',
      route: 'POST /ai-provider/test',
      input: z.strictObject({}),
      output: z.object({
        said: z.string().nullable(),
        milliseconds: z.int().nullable(),
        /** It went to an address that is neither on this computer nor in its network. */
        leavesTheHouse: z.boolean(),
        problem,
      }),
      example: () => ({}),
      async handle({ signal }) {
        const asked = requireProvider(storedProvider(store()), keyfile)
        const tried = await tryProvider(parts, asked, signal)
        return 'said' in tried
          ? { ...tried, problem: null }
          : { said: null, milliseconds: null, leavesTheHouse: false, problem: tried.problem }
      },
    }),
  ] as unknown as readonly AnyTransfer[]
}

interface Given {
  readonly kind: StoredProvider['kind']
  readonly baseUrl?: string | undefined
  readonly reach?: StoredProvider['reach'] | undefined
  readonly model?: string | null | undefined
  readonly contextTokens?: number | null | undefined
  readonly monthlyTokens?: number | null | undefined
  readonly apiKey?: string | null | undefined
}

/** The row as it is to be. Throws `validation_failed` for an address that is none. */
function valuesOf(
  stored: StoredProvider | null,
  given: Given,
  keyfile: () => Uint8Array,
  clock: () => Date,
): Omit<StoredProvider, 'id'> {
  const { kind } = given
  const noKey = { sealedKey: null, keyHint: null, keySetAt: null }
  if (kind === 'none') {
    return { kind, baseUrl: null, reach: 'local', model: null, contextTokens: null, monthlyTokens: null, ...noKey }
  }
  const baseUrl = given.baseUrl === undefined ? (stored?.baseUrl ?? null) : requireBaseUrl(given.baseUrl)
  if (baseUrl === null) throw invalid('baseUrl', 'Put in the address of the provider’s API.')
  const isSame = stored !== null && stored.kind === kind && stored.baseUrl === baseUrl
  const kept = <T>(value: T | undefined, before: T): T => (value === undefined ? before : value)
  return {
    kind,
    baseUrl,
    reach: kept(given.reach, stored?.reach ?? 'internet'),
    model: kept(given.model, isSame ? stored.model : null),
    contextTokens: kept(given.contextTokens, isSame ? stored.contextTokens : null),
    monthlyTokens: kept(given.monthlyTokens, stored?.monthlyTokens ?? null),
    ...keyOf(isSame ? stored : null, given.apiKey, { kind, baseUrl }),
  }

  function keyOf(
    before: StoredProvider | null,
    key: string | null | undefined,
    endpoint: { kind: string; baseUrl: string },
  ) {
    if (key === null || (key === undefined && before === null)) return noKey
    if (key === undefined) {
      const { sealedKey, keyHint, keySetAt } = before as StoredProvider
      return { sealedKey, keyHint, keySetAt }
    }
    // Of a short key the end would tell too much.
    const keyHint = key.length >= 20 ? key.slice(-4) : null
    return { sealedKey: sealKey(key, endpoint, keyfile()), keyHint, keySetAt: clock().toISOString() }
  }
}

function requireBaseUrl(text: string): string {
  const baseUrl = baseUrlOf(text)
  if (baseUrl === null)
    throw invalid(
      'baseUrl',
      'Put in an address such as http://127.0.0.1:11434/v1, without a user, a question mark or a #.',
    )
  return baseUrl
}

function requireProvider(stored: StoredProvider | null, keyfile: () => Uint8Array): Provider {
  const found = providerOf(stored, keyfile)
  if ('missing' in found) throw fail('invalid_state', found.missing)
  if (found.provider.model === null) throw fail('invalid_state', noModel)
  return found.provider
}
