import type { CompleteRequest, CompleteResult } from '@modelcontextprotocol/server'
import * as z from 'zod'
import { Failure } from '../kernel/errors.ts'
import type { Actor } from '../kernel/viewer.ts'
import type { Read } from './caller.ts'
import { currentCampaign } from './current-campaign.ts'
import { invalidParams } from './errors.ts'
import { prompts } from './prompts.ts'
import { resourceTemplates } from './resources.ts'

/** The protocol's own bound of one answer. */
const mostValues = 100

/** Something whose id can be filled in, with the words by which a person looks for it. */
interface Candidate {
  readonly id: number
  readonly words: string
}

interface Candidates {
  readonly rows: readonly Candidate[]
  /** There are more than were read. */
  readonly more: boolean
}

interface Asked {
  readonly read: Read
  readonly actor: Actor
  /** The other arguments, as far as they are filled in. */
  readonly others: Readonly<Record<string, string>>
}

const campaignPage = z.object({
  items: z.array(z.object({ id: z.int(), name: z.string() })),
  nextCursor: z.string().nullable(),
})
const sessionPage = z.object({
  items: z.array(z.object({ id: z.int(), number: z.int(), title: z.string().nullish() })),
  nextCursor: z.string().nullable(),
})
const none: Candidates = { rows: [], more: false }

/** How the ids of an argument are found. It reads as the caller, so nobody is offered what they may not see. */
const sources: Readonly<Record<string, (asked: Asked) => Promise<Candidates>>> = {
  async campaignId({ read }) {
    const page = campaignPage.safeParse(await read('list_campaigns', { limit: 200 }))
    if (!page.success) return none
    const { items, nextCursor } = page.data
    return { rows: items.map(({ id, name }) => ({ id, words: name })), more: nextCursor !== null }
  },
  async sessionId({ read, actor, others }) {
    const chosen = Number(others.campaignId ?? '')
    const campaignId = Number.isInteger(chosen) && chosen > 0 ? chosen : await currentCampaign(read, actor)
    if (campaignId === null) return none
    const page = sessionPage.safeParse(await read('list_sessions', { campaignId, limit: 200 }))
    if (!page.success) return none
    const { items, nextCursor } = page.data
    const rows = items.map(({ id, number, title }) => ({ id, words: `session ${number} ${title ?? ''}` }))
    return { rows, more: nextCursor !== null }
  },
}

/**
 * Ids for an argument of a prompt or of a resource template: those that begin with what was typed, or whose name holds
 * it. Throws -32602 for a prompt, template or argument that there is not.
 */
export async function complete(
  read: Read,
  actor: Actor,
  { ref, argument, context }: CompleteRequest['params'],
): Promise<CompleteResult> {
  const source = argumentsOf(ref).includes(argument.name) ? sources[argument.name] : undefined
  if (source === undefined) {
    throw invalidParams('not_found', `There is nothing to complete for ${argument.name.slice(0, 40)} there.`)
  }
  const { rows, more } = await readable(() => source({ read, actor, others: context?.arguments ?? {} }))
  const typed = argument.value.trim().toLowerCase()
  const values = rows
    .filter(({ id, words }) => String(id).startsWith(typed) || words.toLowerCase().includes(typed))
    .map(({ id }) => String(id))
  const hasMore = more || values.length > mostValues
  return { completion: { values: values.slice(0, mostValues), ...(more ? {} : { total: values.length }), hasMore } }
}

/** Names of the arguments; empty for what there is not. */
function argumentsOf(ref: CompleteRequest['params']['ref']): readonly string[] {
  if (ref.type === 'ref/prompt') {
    return prompts.find(({ name }) => name === ref.name)?.arguments?.map(({ name }) => name) ?? []
  }
  const template = resourceTemplates.find(({ uriTemplate }) => uriTemplate === ref.uri)?.uriTemplate ?? ''
  return Array.from(template.matchAll(/\{(\w+)\}/g), ([, name = '']) => name)
}

/** What the caller may not read has nothing to offer; that is no error of somebody who is typing. */
async function readable(work: () => Promise<Candidates>): Promise<Candidates> {
  try {
    return await work()
  } catch (thrown) {
    if (thrown instanceof Failure && (thrown.code === 'not_found' || thrown.code === 'forbidden')) return none
    throw thrown
  }
}
