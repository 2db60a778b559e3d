import * as z from 'zod'
import { type ModelFailureClass, modelFailures } from '../kernel/model-port.ts'
import { isLocal } from './addresses.ts'
import { askWhole, type Surroundings } from './attempt.ts'
import { Ended, type Fault, faultOf } from './failures.ts'
import { guardedFetch } from './guarded-fetch.ts'
import type { Provider } from './provider.ts'

// What an administrator asks of a provider before it is used: which models it has, and whether it answers. Nothing of a
// campaign is sent.

export interface ListedModel {
  readonly id: string
  readonly name: string
  /** How many tokens fit in one request with its answer; null where the provider does not say. */
  readonly contextTokens: number | null
}

export interface Problem {
  readonly failureClass: ModelFailureClass
  readonly message: string
}

const mostModels = 500
const mostListBytes = 2 * 1024 * 1024
const listMs = 15_000
const question = 'Say good evening in one short sentence.'
const mostSaid = 300
/** Room for models that think before they speak. */
const mostTestTokens = 1000

const listing = z.object({
  data: z.array(
    z.object({
      id: z.string().min(1).max(200),
      display_name: z.string().max(200).optional().catch(undefined),
      context_length: z.int().positive().optional().catch(undefined),
      meta: z.object({ n_ctx: z.int().positive() }).nullish().catch(undefined),
    }),
  ),
})

/** The models that an endpoint offers, in the order of their names. */
export async function listModels(
  around: Surroundings,
  provider: Omit<Provider, 'model'>,
  signal: AbortSignal,
): Promise<{ readonly models: readonly ListedModel[] } | { readonly problem: Problem }> {
  const { kind, baseUrl, apiKey, reach } = provider
  return guarded(signal, listMs, async (until) => {
    const fetch = guardedFetch({
      ...{ reach, mostBytes: mostListBytes, connectMs: 10_000, ownPorts: around.ownPorts },
      ...(around.lookup ? { lookup: around.lookup } : {}),
    })
    const headers: Record<string, string> =
      kind === 'anthropic'
        ? { 'anthropic-version': '2023-06-01', 'x-api-key': apiKey ?? '' }
        : apiKey === null
          ? {}
          : { authorization: `Bearer ${apiKey}` }
    const response = await fetch(`${baseUrl}/models${kind === 'anthropic' ? '?limit=1000' : ''}`, {
      headers,
      signal: until,
    })
    const responseBody = await response.text()
    if (response.status !== 200)
      throw Object.assign(new Error('refused'), { statusCode: response.status, responseBody })
    const { data } = listing.parse(JSON.parse(responseBody))
    const models = data.slice(0, mostModels).map((each) => ({
      id: each.id,
      name: each.display_name ?? each.id,
      contextTokens: each.meta?.n_ctx ?? each.context_length ?? null,
    }))
    return { models: models.toSorted((one, other) => one.name.localeCompare(other.name, 'en')) }
  })
}

/** One short question. `said` is the beginning of what it answered. */
export async function tryProvider(
  around: Surroundings,
  provider: Provider,
  signal: AbortSignal,
): Promise<
  | { readonly said: string; readonly milliseconds: number; readonly leavesTheHouse: boolean }
  | { readonly problem: Problem }
> {
  const { first } = around.patienceFor(provider)
  return guarded(signal, first, async (until) => {
    const started = performance.now()
    const called: string[] = []
    const said = await askWhole(around, provider, question, mostTestTokens, until, (address) => called.push(address))
    if (said.trim() === '') throw new Error('no answer')
    return {
      said: said.trim().slice(0, mostSaid),
      milliseconds: Math.round(performance.now() - started),
      leavesTheHouse: !called.every(isLocal),
    }
  })
}

async function guarded<T>(
  signal: AbortSignal,
  milliseconds: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T | { readonly problem: Problem }> {
  const ended = new AbortController()
  const late = setTimeout(() => ended.abort(new Ended('timeout')), milliseconds)
  const leave = (): void => ended.abort(new Ended('cancelled'))
  signal.addEventListener('abort', leave, { once: true })
  try {
    return await work(ended.signal)
  } catch (error) {
    return { problem: problemOf(faultOf(error, ended.signal)) }
  } finally {
    clearTimeout(late)
    signal.removeEventListener('abort', leave)
  }
}

function problemOf({ failureClass, message }: Fault): Problem {
  return {
    failureClass,
    message:
      message === modelFailures.malformed ? 'It answered, but not as this API does. Is the address right?' : message,
  }
}
