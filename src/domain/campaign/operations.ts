import * as z from 'zod'
import { type Context, searchHit } from '../../kernel/context.ts'
import { invalid } from '../../kernel/errors.ts'
import { instant, kindOfThing } from '../../kernel/fields.ts'
import { limits } from '../../kernel/limits.ts'
import { referenceOutput } from '../../kernel/linked-things.ts'
import { defineOperation } from '../../kernel/operation.ts'
import { type CursorKey, listView, pageFrom, pageInput, pageOf, withheldOutput } from '../../kernel/paging.ts'
import { groupOf, type Where } from '../../kernel/reader.ts'
import { capRole, type Role, roles } from '../../kernel/viewer.ts'
import { sayWithheld } from '../../kernel/withheld.ts'
import { inboxItem } from '../inbox/entity.ts'
import { member } from '../member/entity.ts'
import { objective } from '../objective/entity.ts'
import { progressOutput, withProgress } from '../progress.ts'
import { proposal } from '../proposal/entity.ts'
import { quest } from '../quest/entity.ts'
import { rulePack } from '../rule-pack/entity.ts'
import { safetyOutput, standingSignal } from '../safety-state.ts'
import { session } from '../session/entity.ts'
import { worldDateIn } from '../world-date.ts'
import { aiContentPolicy, campaign, campaignStatus } from './entity.ts'

const campaignOutput = campaign.output
  .omit({ playersPropose: true, aiContentPolicy: true, calendar: true, rulePackIds: true })
  .extend({ worldDateText: z.string().nullable(), myRole: z.enum(roles) })
const settingsOutput = campaign.output.pick({
  id: true,
  revision: true,
  playersPropose: true,
  hidesNewThings: true,
  aiContentPolicy: true,
  rulePackIds: true,
})
const input = { campaignId: campaign.id }

function withRole(context: Context, role: Role | null) {
  const row = context.read(campaign).get(context.campaignId)
  return { ...row, ...worldDateIn(row.calendar, row.worldDate), myRole: role ?? ('viewer' as const) }
}

/** Campaigns of the caller in the order of their ids, those behind a key. */
function mineAfter(
  context: Context,
  memberships: ReturnType<Context['memberships']>,
  key: CursorKey | null,
): readonly Context[] {
  const after = Number(key?.[0] ?? 0)
  return memberships
    .filter(({ campaignId }) => campaignId > after)
    .map(({ campaignId, role }) => context.within(campaignId, role))
}

/** Throws `validation_failed` where a pack is not installed. */
function checkPacks(context: Context, ids: readonly number[]): void {
  const unknown = ids.findIndex((id) => context.read(rulePack).find(id) === null)
  if (unknown !== -1)
    throw invalid(
      `rulePackIds[${unknown}]`,
      'no such rule pack',
      'There is no such rule pack. list_rule_packs finds ids.',
    )
}

/** How far is counted what waits for somebody. */
const mostWaiting = 1000

export const campaignOperations = {
  list_campaigns: defineOperation({
    name: 'list_campaigns',
    title: 'List campaigns',
    description: "The caller's, with their role in each.",
    toolset: 'campaign',
    access: 'user',
    effect: 'read',
    route: 'GET /campaigns',
    input: z.strictObject({ status: campaignStatus.optional(), ...pageInput }),
    output: pageOf(campaignOutput),
    example: () => ({}),
    handle: (context, { status, ...page }) =>
      pageFrom(
        page,
        function* (key) {
          for (const inside of mineAfter(context, context.memberships(), key)) {
            const row = withRole(inside, inside.viewer.role)
            if (status === undefined || row.status === status) yield row
          }
        },
        ({ id }) => [id],
      ),
  }),
  get_campaign: defineOperation({
    name: 'get_campaign',
    title: 'Get campaign',
    description: 'Name, rule system, current location, world date, cover.',
    toolset: 'campaign',
    access: 'viewer',
    effect: 'read',
    route: 'GET /campaigns/{campaignId}',
    input: z.strictObject(input),
    /** safetySignal: that somebody asked to stop. Nothing goes on until a Dungeon Master clears it. */
    output: campaignOutput.extend({ safetySignal: safetyOutput }),
    example: (world) => ({ campaignId: world.id('campaign') }),
    handle: (context) => ({ ...withRole(context, context.viewer.role), safetySignal: standingSignal(context) }),
  }),
  get_campaign_summary: defineOperation({
    name: 'get_campaign_summary',
    title: 'Get campaign summary',
    description: 'Open quests with what is to do, last recap, party, counts of inbox and proposals.',
    toolset: 'campaign',
    access: 'viewer',
    effect: 'read',
    route: 'GET /campaigns/{campaignId}/summary',
    input: z.strictObject({ ...input, view: listView.optional() }),
    output: z.object({
      campaign: campaignOutput,
      /** The first 10 in order, each with its first step that is not done; in full 20, with 10 steps and their texts. */
      openQuests: z.array(
        quest.listed.extend({
          progress: progressOutput,
          openObjectives: z.array(objective.output),
          openObjectiveCount: z.int(),
        }),
      ),
      openQuestCount: z.int(),
      lastRecap: session.listed.nullable(),
      nextSession: session.listed.nullable(),
      memberCount: z.int(),
      /** This and the next no further than a thousand, as the totals of lists. */
      openInboxItems: z.int(),
      pendingProposals: z.int(),
      /** Toolsets that are closed to the app that asks: what is of them is left out here, counts as well. */
      closedToolsets: z.array(z.string()).optional(),
      ...withheldOutput,
    }),
    example: (world) => ({ campaignId: world.id('campaign') }),
    handle(context, { view }) {
      const where = { status: ['available', 'active'] }
      const order = [['position', 'asc']] as const
      const isFull = view === 'full'
      const open = context.read(quest).list({ view, limit: isFull ? 20 : 10 }, { where, order })
      const steps = context.read(objective).groupBy(
        'questId',
        open.items.map(({ id }) => id),
        { where: { done: false }, order, limit: isFull ? 10 : 1 },
      )
      const [openItems, pending] = [{ status: 'open' } as const, { status: 'pending' } as const]
      const { ai, toolsets: opened } = context.viewer
      const latest = (asked: Where<typeof session>) =>
        context.read(session).list({ view, limit: 1 }, { where: asked, order: [['number', 'desc']] }).items[0] ?? null
      return {
        campaign: withRole(context, context.viewer.role),
        openQuests: withProgress(context, open.items).map((each) => {
          const { items: openObjectives, count: openObjectiveCount } = groupOf(steps, each.id as number)
          return { ...each, openObjectives, openObjectiveCount }
        }),
        openQuestCount: open.nextCursor === null ? open.items.length : context.read(quest).count(where),
        lastRecap: latest({ recap: { set: true } }),
        nextSession: latest({ status: ['planned', 'live'] }),
        memberCount: context.read(member).count({ accepted: true }),
        openInboxItems: context.read(inboxItem).count(openItems, mostWaiting),
        pendingProposals: context.read(proposal).count(pending, mostWaiting),
        ...(opened === null ? {} : { closedToolsets: summarised.filter((each) => !opened.includes(each)) }),
        ...sayWithheld(ai, context.withheld(inboxItem, openItems) + context.withheld(proposal, pending)),
      }
    },
  }),
  create_campaign: defineOperation({
    name: 'create_campaign',
    title: 'Create campaign',
    description: 'The caller becomes its Dungeon Master.',
    toolset: 'campaign',
    access: 'user',
    effect: 'write',
    route: 'POST /campaigns',
    creates: true,
    input: z.strictObject(campaign.create('name', 'description', 'ruleSystem', 'hidesNewThings', 'scene')),
    output: campaignOutput,
    example: () => ({ name: 'The Orchard in Winter', ruleSystem: 'D&D 5e (2024)' }),
    handle(context, { hidesNewThings = true, ...values }) {
      const campaignId = context.write(campaign).insert({ ...values, hidesNewThings })
      const inside = context.within(campaignId, 'dm')
      inside.write(member).insert({ userId: context.actor.userId, role: 'dm' })
      return withRole(inside, capRole('dm', context.actor.credential.scope))
    },
  }),
  update_campaign: defineOperation({
    name: 'update_campaign',
    title: 'Update campaign',
    description: 'Its descriptive fields.',
    toolset: 'campaign',
    access: 'dm',
    effect: 'write',
    route: 'PATCH /campaigns/{campaignId}',
    input: z.strictObject({
      ...input,
      ...campaign.update('name', 'description', 'ruleSystem', 'currentLocationId', 'coverAttachmentId', 'scene'),
    }),
    output: campaignOutput,
    example: (world) => ({
      campaignId: world.id('campaign'),
      description: 'A year sold in her name is being pressed tonight.',
    }),
    handle(context, { campaignId, expectedRevision, ...patch }) {
      context.write(campaign).update(campaignId, patch, expectedRevision)
      return withRole(context, context.viewer.role)
    },
  }),
  set_campaign_status: defineOperation({
    name: 'set_campaign_status',
    title: 'Set campaign status',
    description: 'archived is read-only.',
    toolset: 'campaign',
    access: 'dm',
    effect: 'write',
    route: 'PUT /campaigns/{campaignId}/status',
    allowedWhen: ['archived'],
    input: z.strictObject({ ...input, status: campaignStatus, reason: z.string().max(limits.reason).optional() }),
    output: campaignOutput,
    example: (world) => ({ campaignId: world.id('campaign'), status: 'paused' as const }),
    handle(context, { campaignId, status }) {
      context.write(campaign).update(campaignId, { status })
      return withRole(context, context.viewer.role)
    },
  }),
  get_campaign_settings: defineOperation({
    name: 'get_campaign_settings',
    title: 'Get campaign settings',
    description: 'AI content policy, playersPropose, hidesNewThings, rule packs read (null: all).',
    toolset: 'campaign',
    access: 'viewer',
    effect: 'read',
    route: 'GET /campaigns/{campaignId}/settings',
    input: z.strictObject(input),
    output: settingsOutput,
    example: (world) => ({ campaignId: world.id('campaign') }),
    handle: (context) => context.read(campaign).get(context.campaignId),
  }),
  update_campaign_settings: defineOperation({
    name: 'update_campaign_settings',
    title: 'Update campaign settings',
    description:
      "hidesNewThings: what a DM makes begins hidden. AI policy back to member_consent is a person's decision.",
    toolset: 'campaign',
    access: 'dm',
    effect: 'write',
    route: 'PATCH /campaigns/{campaignId}/settings',
    input: z.strictObject({
      ...input,
      ...campaign.update('playersPropose', 'hidesNewThings', 'rulePackIds'),
      aiContentPolicy: aiContentPolicy.optional(),
    }),
    output: settingsOutput,
    humanOnly: ({ campaignId, aiContentPolicy: policy }) =>
      policy === 'member_consent' ? `/campaigns/${campaignId}/settings` : null,
    example: (world) => ({ campaignId: world.id('campaign'), aiContentPolicy: 'disabled' as const }),
    handle(context, { campaignId, expectedRevision, ...patch }) {
      checkPacks(context, patch.rulePackIds ?? [])
      context.write(campaign).update(campaignId, patch, expectedRevision)
      return context.read(campaign).get(campaignId)
    },
  }),
  delete_campaign: defineOperation({
    name: 'delete_campaign',
    title: 'Delete campaign',
    description: 'To the trash; restore_campaign brings it back.',
    toolset: 'campaign',
    access: 'dm',
    effect: 'destroy',
    byPerson: 'what waits in a campaign would go with it',
    route: 'DELETE /campaigns/{campaignId}',
    allowedWhen: ['archived'],
    input: z.strictObject(input),
    output: z.object({ trashed: z.object({ entityType: z.literal('campaign'), entityId: z.int() }) }),
    example: (world) => ({ campaignId: world.id('campaign') }),
    handle(context, { campaignId }) {
      context.write(campaign).trash(campaignId)
      return { trashed: { entityType: 'campaign' as const, entityId: campaignId } }
    },
  }),
  list_trashed_campaigns: defineOperation({
    name: 'list_trashed_campaigns',
    title: 'List trashed campaigns',
    description: 'Those of the caller as Dungeon Master.',
    toolset: 'campaign',
    access: 'user',
    effect: 'read',
    route: 'GET /campaigns/trash',
    input: z.strictObject(pageInput),
    output: pageOf(z.object({ id: z.int(), name: z.string(), deletedAt: instant() })),
    example: () => ({}),
    handle(context, page) {
      const mine = context.memberships({ trashed: true }).filter(({ role }) => role === 'dm')
      return pageFrom(
        page,
        function* (key) {
          for (const inside of mineAfter(context, mine, key)) {
            yield { id: inside.campaignId, ...inside.trash.campaign() }
          }
        },
        ({ id }) => [id],
      )
    },
  }),
  restore_campaign: defineOperation({
    name: 'restore_campaign',
    title: 'Restore campaign',
    description: 'Bring a trashed campaign back.',
    toolset: 'campaign',
    access: 'dm',
    effect: 'write',
    route: 'POST /campaigns/{campaignId}/restore',
    allowedWhen: ['archived', 'trashed'],
    input: z.strictObject(input),
    output: campaignOutput,
    example: (world) => ({ campaignId: world.id('campaign', 'trashed') }),
    handle(context) {
      context.trash.restoreCampaign()
      return withRole(context, context.viewer.role)
    },
  }),
  search_campaign: defineOperation({
    name: 'search_campaign',
    title: 'Search campaign',
    description: 'Full text over all the caller may see, ranked. `incomplete`: what was left out.',
    toolset: 'campaign',
    access: 'viewer',
    effect: 'read',
    route: 'GET /campaigns/{campaignId}/search',
    input: z.strictObject({
      ...input,
      query: z.string().trim().min(1).max(limits.query),
      entityTypes: z.array(kindOfThing.linked).max(20).optional(),
      ...pageInput,
    }),
    output: pageOf(searchHit).extend({ incomplete: z.string().nullable() }),
    example: (world) => ({ campaignId: world.id('campaign'), query: 'orchard' }),
    prepare: (context, { query, entityTypes, limit, cursor }) =>
      context.search({ query, entityTypes, page: { limit, cursor } }),
    handle(context, { entityTypes }) {
      for (const kind of entityTypes ?? []) context.entity(kind, 'linked')
      return context.prepared
    },
  }),
  list_recent_changes: defineOperation({
    name: 'list_recent_changes',
    title: 'List recent changes',
    description: "Since a time or the caller's last visit, newest first.",
    toolset: 'campaign',
    access: 'viewer',
    effect: 'read',
    route: 'GET /campaigns/{campaignId}/changes',
    input: z.strictObject({ ...input, since: instant().optional(), ...pageInput }),
    output: pageOf(
      z.object({
        entityType: z.string(),
        entityId: z.int(),
        title: z.string().nullable(),
        kind: z.enum(['create', 'update', 'trash', 'restore', 'purge']),
        at: instant(),
        byUserId: z.int().nullable(),
        byUser: referenceOutput.nullable(),
      }),
    ),
    example: (world) => ({ campaignId: world.id('campaign') }),
    handle(context, { since, limit, cursor }) {
      const visit = context.read(member).first({ where: { userId: context.actor.userId } })?.lastVisitAt
      return context.journal.recent(since ?? visit ?? fortnightBefore(context.now), { limit, cursor })
    },
  }),
  get_me: defineOperation({
    name: 'get_me',
    title: 'Who am I',
    description: 'The caller: user, token scope, write mode, campaign, roles.',
    toolset: 'campaign',
    access: 'user',
    effect: 'read',
    route: 'GET /me',
    input: z.strictObject({}),
    output: z.object({
      user: z.object({ id: z.int(), username: z.string(), admin: z.boolean() }),
      credential: z.object({
        kind: z.string(),
        scope: z.enum(roles),
        writeMode: z.string(),
        campaignId: z.int().nullable(),
      }),
      campaigns: z.array(z.object({ id: z.int(), name: z.string(), role: z.enum(roles) })),
    }),
    example: () => ({}),
    handle(context) {
      const { userId, username, admin, credential } = context.actor
      const { kind, scope, writeMode, campaignId } = credential
      const campaigns = context.memberships().map((mine) => ({
        id: mine.campaignId,
        name: context.within(mine.campaignId, mine.role).read(campaign).get(mine.campaignId).name,
        role: mine.role,
      }))
      return { user: { id: userId, username, admin }, credential: { kind, scope, writeMode, campaignId }, campaigns }
    },
  }),
}

/** The toolsets of which a summary tells. */
const summarised: readonly string[] = ['story', 'journal', 'table', 'review']

const fortnight = 14 * 24 * 3600 * 1000

function fortnightBefore(now: string): string {
  return new Date(Date.parse(now) - fortnight).toISOString()
}
