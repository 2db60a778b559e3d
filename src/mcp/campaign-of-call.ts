import * as z from 'zod'
import type { AnyOperation } from '../kernel/operation.ts'
import { type Caller, type McpParts, readAs } from './caller.ts'

/** What they do to a campaign is done to none that was not named. */
const named: ReadonlySet<string> = new Set(['delete_campaign', 'restore_campaign', 'leave_campaign'])

/** Whether a call may leave the campaign away where only one can be meant. */
export function mayOmitCampaign({ name, input }: Pick<AnyOperation, 'name' | 'input'>): boolean {
  const schema = input.shape.campaignId
  return schema !== undefined && !(schema instanceof z.ZodOptional) && !named.has(name)
}

const campaigns = z.object({ items: z.array(z.object({ id: z.int() })) })

type Input = Readonly<Record<string, unknown>>

/**
 * The input with the campaign that a call left away: the one to which the credential is bound, else the only one that the
 * caller is in. Where there are several, the operation says what is missing.
 */
export async function withCampaign(
  parts: McpParts,
  caller: Caller,
  operation: AnyOperation,
  input: Input,
): Promise<Input> {
  if ('campaignId' in input || !mayOmitCampaign(operation)) return input
  const bound = caller.actor.credential.campaignId
  if (bound !== null) return { campaignId: bound, ...input }
  const { items } = campaigns.parse(await readAs(parts, caller)('list_campaigns', { limit: 2 }))
  const [only, other] = items
  return only === undefined || other !== undefined ? input : { campaignId: only.id, ...input }
}
