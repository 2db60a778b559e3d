import * as z from 'zod'
import type { Context, StagedCampaign } from '../../kernel/context.ts'
import { capRole } from '../../kernel/viewer.ts'
import { member } from '../member/entity.ts'
import { campaign } from './entity.ts'

/** What an import does, or would do. Nothing that was in the file and is not in the campaign goes unsaid. */
export const importReport = z.object({
  /** What the campaign is called. */
  name: z.string(),
  /** The profile of the export, and what it was made by; null where the document does not say. */
  profile: z.string().nullable(),
  madeBy: z.string().nullable(),
  /** How many rows of each kind of thing come in, and how many cannot. */
  kinds: z.array(z.object({ entityType: z.string(), count: z.int(), leftOut: z.int() })),
  /** How many pictures came with their files, and how many rows have none: those are left out. */
  pictures: z.object({ found: z.int(), missing: z.int() }),
  /** Members of the document that are not taken, each with the reason and the first places where it stands. */
  dropped: z.array(
    z.object({
      entityType: z.string(),
      member: z.string(),
      count: z.int(),
      reason: z.string(),
      places: z.array(z.string()),
    }),
  ),
  /** Mentions of what is not in the document: their words stay, as plain text. */
  plainMentions: z.int(),
  /** What comes in belongs to the importer, since users of another server are nobody here. */
  unowned: z.int(),
})
export type ImportReport = z.output<typeof importReport>

/** The answer of whatever brings a campaign in. */
export const arrivedOutput = z.object({
  id: z.int(),
  name: z.string(),
  campaignId: z.int(),
  myRole: z.literal('dm').or(z.enum(['viewer', 'player'])),
  report: importReport,
})

/** Shows a staged campaign to whoever brought it in: they are its Dungeon Master from now on (SPEC 4.5). */
export function adopt(context: Context<StagedCampaign>): z.output<typeof arrivedOutput> {
  const { campaignId, report } = context.prepared
  const inside = context.within(campaignId, 'dm')
  inside.write(campaign).update(campaignId, { importing: false })
  inside.write(member).insert({ userId: context.actor.userId, role: 'dm' })
  const { name } = inside.read(campaign).get(campaignId)
  const myRole = capRole('dm', context.actor.credential.scope)
  return { id: campaignId, name, campaignId, myRole, report: importReport.parse(report) }
}
