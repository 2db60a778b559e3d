import * as z from 'zod'
import { fail } from '../kernel/errors.ts'
import { instant } from '../kernel/fields.ts'
import { type AnyTransfer, defineTransfer } from '../kernel/transfer.ts'
import type { Actor } from '../kernel/viewer.ts'
import type { LanAccess } from './lan-access.ts'
import type { PhoneChecks } from './phone-check.ts'

export interface NetworkTransferParts {
  readonly lan: LanAccess
  readonly checks: PhoneChecks
  /** Whether other devices may come in, and who says so. */
  setting(): {
    readonly value: boolean
    readonly source: 'environment' | 'chosen' | 'standard'
    readonly variable: string
  }
  /** The data folder is the volume of a container, which only its port mapping opens. */
  readonly isContainer: boolean
  /** Writes the choice down. Throws invalid_state where the environment says it. */
  choose(actor: Actor, reason: string | null, lan: boolean): void
  /** BASE_URL, where it is set: then that is the address of everybody. */
  readonly baseUrl: string | null
  /** The address of this server on its own computer; null before it listens. */
  localUrl(): string | null
  /** What the rules of a firewall need to know. */
  readonly machine: { readonly platform: NodeJS.Platform; readonly executable: string }
}

const address = z.object({
  /** What a phone opens. */
  url: z.string(),
  /** `wlan0`, or null where it is no network of this machine: BASE_URL. */
  interfaceName: z.string().nullable(),
})
const check = z.object({
  word: z.string(),
  startedAt: instant(),
  knock: z.object({ at: instant(), address: z.string() }).nullable(),
})
const state = z.object({
  lan: z.boolean(),
  /** Who says so; `container` is its port mapping, which nobody can change from inside. */
  source: z.enum(['environment', 'chosen', 'standard', 'container']),
  variable: z.string(),
  localUrl: z.string().nullable(),
  /** Those that phones can use, the likeliest first. */
  addresses: z.array(address),
  /** The name in the network, as an address; null while there is none. */
  nameUrl: z.string().nullable(),
  nameProblem: z.string().nullable(),
  /** Networks of this machine on which nothing listens, and why. */
  closed: z.array(
    z.object({
      interfaceName: z.string(),
      address: z.string(),
      kind: z.enum(['lan', 'tunnel', 'virtual', 'public', 'unconfigured']),
      problem: z.string().nullable(),
    }),
  ),
  check: check.nullable(),
  platform: z.string(),
  executable: z.string(),
})

/** Who may come in from the networks at hand, and by which addresses. */
export function networkTransfers(parts: NetworkTransferParts): readonly AnyTransfer[] {
  const { lan, checks, baseUrl, machine, isContainer } = parts
  const addresses = (): z.output<typeof address>[] => {
    const near = lan
      .state()
      .entrances.flatMap(({ url, interfaceName, kind }) =>
        url === null || (kind !== 'lan' && isContainer) ? [] : [{ url, interfaceName }],
      )
    return baseUrl === null ? near : [{ url: baseUrl, interfaceName: null }, ...near]
  }
  const nameUrl = (): string | null => {
    const { name, entrances } = lan.state()
    const first = entrances.find(({ url }) => url !== null)?.url
    return name === null || first == null ? null : first.replace(new URL(first).hostname, name)
  }
  const now = (): z.output<typeof state> => {
    const { value, source, variable } = parts.setting()
    const { entrances, nameProblem } = lan.state()
    return {
      lan: value,
      source: isContainer && source !== 'environment' ? 'container' : source,
      variable,
      localUrl: parts.localUrl(),
      addresses: addresses(),
      nameUrl: nameUrl(),
      nameProblem,
      closed: entrances
        .filter(({ url }) => url === null)
        .map(({ interfaceName, address: at, kind, problem }) => ({ interfaceName, address: at, kind, problem })),
      check: checks.current(),
      ...machine,
    }
  }
  return [
    defineTransfer({
      name: 'get_network',
      title: 'Get who may come in from the network',
      description:
        'Whether other devices may come in, by which addresses, and what stands in the way; with the check of a phone that is under way.',
      access: 'admin',
      effect: 'read',
      route: 'GET /network',
      input: z.strictObject({}),
      output: state,
      example: () => ({}),
      handle: async () => now(),
    }),
    defineTransfer({
      name: 'set_network',
      title: 'Let other devices of the network in, or out',
      description:
        'Takes effect before it answers: listeners are opened, or closed together with every connection from other devices.',
      access: 'admin',
      effect: 'write',
      route: 'PUT /network',
      input: z.strictObject({ lan: z.boolean() }),
      output: state,
      example: () => ({ lan: false }),
      async handle({ actor, reason, address: caller }, given) {
        if (actor === null) throw fail('unauthenticated')
        if (isContainer)
          throw fail(
            'invalid_state',
            'In a container its port mapping decides who comes in. Change it where the container is started.',
          )
        parts.choose(actor, reason, given.lan)
        await lan.apply(caller)
        return now()
      },
    }),
    defineTransfer({
      name: 'begin_phone_check',
      title: 'Try whether a phone can come in',
      description:
        'Begins a check of ten minutes: /hello shows its word to phones, and get_network tells when one came.',
      access: 'admin',
      effect: 'write',
      route: 'POST /network/check',
      input: z.strictObject({}),
      output: check,
      example: () => ({}),
      handle: async () => checks.begin(),
    }),
    defineTransfer({
      name: 'list_addresses',
      title: 'List the addresses for other devices',
      description: 'By which addresses phones open this server, the likeliest first; empty while they may not come in.',
      access: 'session',
      effect: 'read',
      route: 'GET /network/addresses',
      input: z.strictObject({}),
      output: z.object({ addresses: z.array(address), nameUrl: z.string().nullable() }),
      example: () => ({}),
      handle: async () => ({ addresses: addresses(), nameUrl: nameUrl() }),
    }),
  ] as unknown as readonly AnyTransfer[]
}
