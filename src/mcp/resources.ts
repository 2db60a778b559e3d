import type { ReadResourceResult, Resource, ResourceTemplateType } from '@modelcontextprotocol/server'
import { Failure } from '../kernel/errors.ts'
import type { Actor } from '../kernel/viewer.ts'
import type { Read } from './caller.ts'
import { currentCampaign } from './current-campaign.ts'
import { invalidParams } from './errors.ts'

/** One view of a campaign (SPEC 2.8): the read it comes from, and what it says where there is nothing to read. */
interface View {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly operation: string
  readonly empty: Readonly<Record<string, unknown>>
  /** What stands in place of a member that holds nothing. */
  readonly unset?: string
  /** Which rows of the answer's `items` belong here. */
  readonly keeps?: (item: Readonly<Record<string, unknown>>) => boolean
}

const mimeType = 'application/json'
const unagreed = 'not agreed yet'

const views: readonly View[] = [
  {
    name: 'summary',
    title: 'Campaign summary',
    description: 'Status, open quests, last recap and what waits for the Dungeon Master.',
    operation: 'get_campaign_summary',
    empty: { campaign: 'There is none yet.' },
  },
  {
    name: 'party',
    title: 'Party',
    description: 'Active characters at a glance.',
    operation: 'get_party',
    empty: { items: [] },
  },
  {
    name: 'recaps',
    title: 'Session recaps',
    description: 'Published recaps, newest first.',
    operation: 'list_session_recaps',
    empty: { items: [], nextCursor: null },
  },
  {
    name: 'charter',
    title: 'Session-zero charter',
    description: 'Lines, veils, safety tools, tone and house rules that the table agreed on.',
    operation: 'get_charter',
    empty: { lines: unagreed, veils: unagreed, safetyTools: unagreed, houseRules: unagreed, tone: unagreed },
    unset: unagreed,
  },
  {
    name: 'support-preferences',
    title: 'Support preferences',
    description: 'What helps members at the table, as far as they allow an AI to know it.',
    operation: 'list_support_preferences',
    empty: { items: [], nextCursor: null },
    keeps: ({ aiUseAllowed }) => aiUseAllowed === true,
  },
]

/** Always these six (SPEC 2.8), whoever asks and whatever there is. */
export const resources: readonly Resource[] = [
  {
    uri: 'talekeeper://campaigns',
    name: 'campaigns',
    title: 'Campaigns',
    description: "The caller's campaigns with their role in each.",
    mimeType,
  },
  ...views.map(({ name, title, description }) => ({
    uri: `talekeeper://current/${name}`,
    name,
    title,
    description: `${description} Of the campaign the token is bound to, else the one that changed last.`,
    mimeType,
  })),
]

export const resourceTemplates: readonly ResourceTemplateType[] = views.map(({ name, title, description }) => ({
  uriTemplate: `talekeeper://campaigns/{campaignId}/${name}`,
  name: `campaign-${name}`,
  title,
  description,
  mimeType,
}))

/** Reads a resource as the caller. Throws -32602 for an address that names nothing the caller can see, and the read's own failures. */
export async function readResource(read: Read, actor: Actor, uri: string): Promise<ReadResourceResult> {
  const answer = await contentOf(read, actor, uri)
  return { contents: [{ uri, mimeType, text: JSON.stringify(answer) }] }
}

async function contentOf(read: Read, actor: Actor, uri: string): Promise<unknown> {
  if (uri === 'talekeeper://campaigns') return read('list_campaigns', { limit: 200 })
  const match = /^talekeeper:\/\/(?:current|campaigns\/([1-9][0-9]{0,14}))\/([a-z-]+)$/.exec(uri)
  const view = views.find(({ name }) => name === match?.[2])
  if (match === null || view === undefined) throw notFound(uri)
  const campaignId = match[1] === undefined ? await currentCampaign(read, actor) : Number(match[1])
  if (campaignId === null) return { campaignId, ...view.empty }
  try {
    const answer = (await read(view.operation, { campaignId })) as Readonly<Record<string, unknown>> | null
    return { campaignId, ...(answer === null ? view.empty : inWords(view, kept(view, answer))) }
  } catch (thrown) {
    if (thrown instanceof Failure && thrown.code === 'not_found') throw notFound(uri)
    throw thrown
  }
}

function kept({ keeps }: View, answer: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { items } = answer
  return keeps === undefined || !Array.isArray(items) ? answer : { ...answer, items: items.filter(keeps) }
}

/** What nobody has agreed on is said in words: a model takes null for a line that is not there. */
function inWords({ unset }: View, answer: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if (unset === undefined) return answer
  return Object.fromEntries(Object.entries(answer).map(([key, value]) => [key, value ?? unset]))
}

function notFound(uri: string): Error {
  const message = `There is no resource ${uri.slice(0, 200)}, or you may not see it. resources/list and resources/templates/list name them; list_campaigns finds campaign ids.`
  return invalidParams('not_found', message, { uri })
}
