import * as z from 'zod'
import type { Context } from '../../kernel/context.ts'
import type { RowOf } from '../../kernel/entity.ts'
import { fail } from '../../kernel/errors.ts'
import { instant } from '../../kernel/fields.ts'
import { defineOperation } from '../../kernel/operation.ts'
import { campaign } from '../campaign/entity.ts'
import { member } from '../member/entity.ts'
import { charter, charterAcknowledgement } from './entity.ts'

const inCampaign = { campaignId: campaign.id }
const parts = ['tone', 'lines', 'veils', 'safetyTools', 'houseRules'] as const

const charterOutput = z.object({
  campaignId: z.int(),
  /** Null while nothing was written. */
  charterId: z.int().nullable(),
  /** Its version; 0 while nothing was written. */
  revision: z.int(),
  updatedAt: instant().nullable(),
  ...charter.output.pick({ tone: true, lines: true, veils: true, safetyTools: true, houseRules: true }).shape,
  /** Members who have read a version of it, and which. Not `current`: it has changed since, and they are asked again. */
  acknowledgements: z.array(
    z.object({
      userId: z.int(),
      username: z.string(),
      revision: z.int(),
      acknowledgedAt: instant(),
      current: z.boolean(),
    }),
  ),
  /** Members who have read none of it. */
  unacknowledged: z.array(z.object({ userId: z.int(), username: z.string() })),
})

function detail(context: Context): z.input<typeof charterOutput> {
  const row = context.read(charter).first()
  const read =
    row === null ? [] : Array.from(context.read(charterAcknowledgement).each({ where: { charterId: row.id } }))
  const byUser = new Map(read.map((each) => [each.userId, each]))
  const members = Array.from(context.read(member).each({ where: { accepted: true }, columns: ['userId', 'user'] }))
  const version = row?.revision ?? 0
  return {
    campaignId: context.campaignId,
    charterId: row?.id ?? null,
    revision: version,
    updatedAt: row?.updatedAt ?? null,
    tone: row?.tone ?? null,
    lines: row?.lines ?? null,
    veils: row?.veils ?? null,
    safetyTools: row?.safetyTools ?? null,
    houseRules: row?.houseRules ?? null,
    acknowledgements: members.flatMap(({ userId, user }) => {
      const theirs = byUser.get(userId)
      if (theirs === undefined) return []
      const { version: revision, acknowledgedAt } = theirs
      return [{ userId, username: user.title, revision, acknowledgedAt, current: revision === version }]
    }),
    unacknowledged: members
      .filter(({ userId }) => !byUser.has(userId))
      .map(({ userId, user }) => ({ userId, username: user.title })),
  }
}

function acknowledge(
  context: Context,
  { id: charterId, revision: version }: Pick<RowOf<typeof charter>, 'id' | 'revision'>,
): void {
  const { userId } = context.actor
  const said = { version, acknowledgedAt: context.now }
  const before = context.unfiltered(charterAcknowledgement).first({ where: { charterId, userId } })
  if (before?.version === version) return
  if (before === null) context.write(charterAcknowledgement).insert({ ...said, charterId, userId })
  else context.write(charterAcknowledgement).update(before.id, said)
}

export const charterOperations = {
  get_charter: defineOperation({
    name: 'get_charter',
    title: 'Get charter',
    description: 'Lines, veils, safety tools, tone, house rules, who read it.',
    toolset: 'table',
    access: 'viewer',
    effect: 'read',
    route: 'GET /campaigns/{campaignId}/charter',
    input: z.strictObject(inCampaign),
    output: charterOutput,
    example: (world) => ({ campaignId: world.id('campaign') }),
    handle: (context) => detail(context),
  }),
  update_charter: defineOperation({
    name: 'update_charter',
    title: 'Update charter',
    description: 'One item a line. Everybody is asked to read it again.',
    toolset: 'table',
    access: 'dm',
    effect: 'write',
    route: 'PATCH /campaigns/{campaignId}/charter',
    input: z.strictObject({ ...inCampaign, ...charter.update(...parts) }),
    output: charterOutput,
    example: (world) => ({ campaignId: world.id('campaign'), lines: '- Harm to animals at length\n- Drowning' }),
    handle(context, { campaignId: _, expectedRevision, ...patch }) {
      const before = context.unfiltered(charter).first()
      if (before !== null) context.write(charter).update(before.id, patch, expectedRevision)
      else if (expectedRevision !== undefined)
        throw fail('stale_revision', 'Nothing is written in this charter yet. Leave expectedRevision away.')
      else if (Object.values(patch).some((text) => text != null)) context.write(charter).insert(patch)
      return detail(context)
    },
  }),
  acknowledge_charter: defineOperation({
    name: 'acknowledge_charter',
    title: 'Acknowledge charter',
    description: 'The caller has read this revision.',
    toolset: 'table',
    access: 'viewer',
    effect: 'write',
    route: 'POST /campaigns/{campaignId}/charter/acknowledge',
    byPerson: 'a person says of themself what they have read',
    input: z.strictObject({ ...inCampaign, revision: z.int().min(1) }),
    output: charterOutput,
    example: (world) => ({ campaignId: world.id('campaign'), revision: 1 }),
    handle(context, { revision }) {
      const row = context.unfiltered(charter).first()
      if (row === null) throw fail('invalid_state', 'Nothing is written in this charter yet. update_charter begins it.')
      if (row.revision !== revision)
        throw fail('stale_revision', `The charter is at version ${row.revision} now. Read it with get_charter first.`)
      acknowledge(context, row)
      return detail(context)
    },
  }),
}
