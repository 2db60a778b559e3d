import * as z from 'zod'
import type { Context } from '../../kernel/context.ts'
import type { VisibleRowOf } from '../../kernel/entity.ts'
import { Failure, fail } from '../../kernel/errors.ts'
import { instant, line, prose } from '../../kernel/fields.ts'
import { type ModelStatus, providerKinds } from '../../kernel/model-port.ts'
import { defineOperation } from '../../kernel/operation.ts'
import { pageInput, pageOf } from '../../kernel/paging.ts'
import { atLeast } from '../../kernel/viewer.ts'
import { campaign } from '../campaign/entity.ts'
import { changeOnly } from '../plain.ts'
import { refuseWhileStill, standingSignal } from '../safety-state.ts'
import { aiSeat, aiTurn, seatAction } from './entity.ts'

const inCampaign = { campaignId: campaign.id }
const route = '/campaigns/{campaignId}/ai-seat'
const { mode, persona, driverMay, tokenBudget, maySeeSecrets } = aiSeat.fields

/** Fewer are no answer. */
const leastTokens = 64

const seatOutput = aiSeat.output
  .pick({
    mode: true,
    persona: true,
    driverMay: true,
    tokenBudget: true,
    budgetSince: true,
    maySeeSecrets: true,
    pausedAt: true,
    pauseReason: true,
  })
  .extend({
    campaignId: z.int(),
    /** 0 while nobody put a seat there. */
    revision: z.int(),
    /**
     * `ready` listens; `working` on a turn; `paused` by somebody at the table; `still`: a safety signal stands; `spent`: the
     * budget is used up; `no_provider`: no AI is set up.
     */
    state: z.enum(['off', 'no_provider', 'paused', 'still', 'working', 'spent', 'ready']),
    /** The same in a sentence, and what to do. */
    says: z.string(),
    /** Since `budgetSince`. */
    tokensUsed: z.int(),
    tokensLeft: z.int(),
    provider: z.object({ kind: z.enum(providerKinds), ready: z.boolean(), external: z.boolean() }),
  })

type Seat = z.input<typeof seatOutput>

/** The seat as it is, in a campaign where nobody has put one there too. */
function seatRow(context: Context) {
  return context.read(aiSeat).first()
}

/** What all turns of the campaign have used so far. */
function tokensOfTurns(context: Context): number {
  const sum = (field: 'inputTokens' | 'outputTokens'): number =>
    Array.from(context.unfiltered(aiTurn).sumBy(field, 'mode').values()).reduce((all, each) => all + each.sum, 0)
  return sum('inputTokens') + sum('outputTokens')
}

const isAtWork = (context: Context): boolean =>
  context.unfiltered(aiTurn).first({ where: { state: 'running' } }) !== null

function seatOf(context: Context<ModelStatus>): Seat {
  const row = seatRow(context)
  const { kind, ready, external } = context.prepared
  const values = {
    mode: row?.mode ?? 'off',
    persona: row?.persona ?? null,
    driverMay: row?.driverMay ?? ['fights', 'dice'],
    tokenBudget: row?.tokenBudget ?? tokenBudget.initial ?? 0,
    budgetSince: row?.budgetSince ?? null,
    maySeeSecrets: row?.maySeeSecrets ?? false,
    pausedAt: row?.pausedAt ?? null,
    pauseReason: row?.pauseReason ?? null,
  } satisfies Partial<Seat>
  const tokensUsed = Math.max(0, tokensOfTurns(context) - (row?.usedBefore ?? 0))
  const tokensLeft = Math.max(0, values.tokenBudget - tokensUsed)
  const state = stateOf(context, { ...values, ready, tokensLeft })
  return {
    ...values,
    campaignId: context.campaignId,
    revision: row?.revision ?? 0,
    state,
    says: sentences[state],
    tokensUsed,
    tokensLeft,
    provider: { kind, ready, external },
  }
}

interface Facts extends Pick<Seat, 'mode' | 'pausedAt' | 'tokensLeft'> {
  readonly ready: boolean
}

function stateOf(context: Context, { mode: its, pausedAt, tokensLeft, ready }: Facts): Seat['state'] {
  if (its === 'off') return 'off'
  if (pausedAt !== null) return 'paused'
  if (standingSignal(context) !== null) return 'still'
  if (!ready) return 'no_provider'
  if (isAtWork(context)) return 'working'
  return tokensLeft < leastTokens ? 'spent' : 'ready'
}

const sentences: Readonly<Record<Seat['state'], string>> = {
  off: 'The seat is empty: nothing is read and nothing is sent. A Dungeon Master can fill it.',
  no_provider: 'No AI is set up on this server. An administrator chooses one.',
  paused: 'Somebody at the table stopped it. A Dungeon Master lets it go on.',
  still: 'Somebody asked to stop: the table is still, and so is the seat.',
  working: 'It is at work.',
  spent: 'What it was allowed is used up. A Dungeon Master can allow more.',
  ready: 'It listens.',
}

const status = async ({ services }: { readonly services: { readonly model: { status(): ModelStatus } } }) =>
  services.model.status()

const turnOutput = aiTurn.output.extend({
  actions: z
    .array(
      seatAction.extend({
        /** Whether its record can be taken back, and was; for Dungeon Masters. */
        revertible: z.boolean().optional(),
        reverted: z.boolean().optional(),
      }),
    )
    .optional(),
})

/** A turn with what became of its changes since. */
function told(context: Context, row: VisibleRowOf<typeof aiTurn>): z.input<typeof turnOutput> {
  if (row.actions === undefined || !atLeast(context.viewer.role, 'dm')) return row
  return { ...row, actions: row.actions.map((action) => ({ ...action, ...fateOf(context, action.auditRecordId) })) }
}

function fateOf(
  context: Context,
  recordId: number | null,
): { readonly revertible?: boolean; readonly reverted?: boolean } {
  if (recordId === null) return {}
  try {
    const { revertible, revertedByRecordId } = context.journal.record(recordId)
    return { revertible: revertible && revertedByRecordId === null, reverted: revertedByRecordId !== null }
  } catch (error) {
    // A record that is not the reader's to see has no fate for them.
    if (error instanceof Failure) return {}
    throw error
  }
}

export const aiSeatOperations = {
  get_ai_seat: defineOperation({
    name: 'get_ai_seat',
    title: 'Get AI seat',
    description: 'Mode, whether it listens, what it may do, budget left.',
    toolset: 'ai',
    access: 'viewer',
    effect: 'read',
    route: `GET ${route}`,
    input: z.strictObject(inCampaign),
    output: seatOutput,
    example: (world) => ({ campaignId: world.id('campaign') }),
    prepare: status,
    handle: seatOf,
  }),
  update_ai_seat: defineOperation({
    name: 'update_ai_seat',
    title: 'Update AI seat',
    description: 'co_dm proposes, driver acts. A tokenBudget counts from now. Letting it see secrets is for a person.',
    toolset: 'ai',
    access: 'dm',
    effect: 'write',
    route: `PATCH ${route}`,
    byPerson: 'what an AI may do a person decides',
    tells: ['revision', 'state', 'tokensLeft'],
    input: z.strictObject({
      ...inCampaign,
      expectedRevision: z.int().min(0).optional(),
      mode: mode.schema.optional(),
      persona: persona.schema.nullable().optional(),
      driverMay: driverMay.schema.optional(),
      tokenBudget: tokenBudget.schema.optional(),
      maySeeSecrets: maySeeSecrets.schema.optional(),
    }),
    output: seatOutput,
    humanOnly: ({ campaignId, maySeeSecrets: secrets }) => (secrets === true ? `/campaigns/${campaignId}/seat` : null),
    example: (world) => ({ campaignId: world.id('campaign'), persona: 'An old ferryman’s almanac.' }),
    prepare: status,
    handle(context: Context<ModelStatus>, { campaignId: _, expectedRevision, driverMay: may, ...patch }) {
      const counted =
        patch.tokenBudget === undefined ? {} : { budgetSince: context.now, usedBefore: tokensOfTurns(context) }
      const groups = may === undefined ? {} : { driverMay: Array.from(new Set(may)) }
      changeOnly(context, aiSeat, { ...patch, ...counted, ...groups }, expectedRevision)
      return seatOf(context)
    },
  }),
  pause_ai_seat: defineOperation({
    name: 'pause_ai_seat',
    title: 'Pause AI seat',
    description: 'Stop the AI at the table at once. Anybody may.',
    toolset: 'ai',
    access: 'viewer',
    effect: 'write',
    route: `POST ${route}/pause`,
    viewerMay: true,
    allowedWhen: ['archived', 'trashed'],
    tells: ['state'],
    input: z.strictObject({ ...inCampaign, reason: line().optional() }),
    output: seatOutput,
    example: (world) => ({ campaignId: world.id('campaign'), reason: 'Let us breathe.' }),
    prepare: status,
    handle(context: Context<ModelStatus>, { reason }) {
      // Whoever stops it again changes nothing of when it was stopped.
      if (seatRow(context)?.pausedAt == null)
        changeOnly(context, aiSeat, { pausedAt: context.now, pauseReason: reason ?? null })
      return seatOf(context)
    },
  }),
  resume_ai_seat: defineOperation({
    name: 'resume_ai_seat',
    title: 'Resume AI seat',
    description: 'A person decides that.',
    toolset: 'ai',
    access: 'dm',
    effect: 'write',
    route: `POST ${route}/resume`,
    byPerson: 'a person lets it go on',
    tells: ['state'],
    input: z.strictObject(inCampaign),
    output: seatOutput,
    humanOnly: ({ campaignId }) => `/campaigns/${campaignId}/seat`,
    example: (world) => ({ campaignId: world.id('campaign') }),
    prepare: status,
    handle(context: Context<ModelStatus>) {
      if (seatRow(context)?.pausedAt != null) changeOnly(context, aiSeat, { pausedAt: null, pauseReason: null })
      return seatOf(context)
    },
  }),
  narrate: defineOperation({
    name: 'narrate',
    title: 'Narrate',
    description: 'Ask the seat for something. Answers at once; list_ai_turns tells the outcome.',
    toolset: 'ai',
    access: 'dm',
    effect: 'write',
    route: `POST ${route}/narrate`,
    unrecorded: true,
    callsOut: true,
    byPerson: 'it is asked there and then',
    input: z.strictObject({
      ...inCampaign,
      prompt: prose(8000).min(1),
      maxTokens: z.int().min(leastTokens).max(8192).optional(),
    }),
    output: turnOutput,
    example: (world) => ({ campaignId: world.id('campaign'), prompt: 'Who is at the vats? Give me three smells.' }),
    prepare: status,
    handle(context: Context<ModelStatus>, { prompt, maxTokens }) {
      const seat = seatOf(context)
      refuseWhileStill(context)
      // Where no AI is set up the turn says so, as it does when one cannot be reached.
      if (seat.mode === 'off' || seat.state === 'paused' || seat.state === 'spent')
        throw fail('invalid_state', seat.says)
      if (isAtWork(context))
        throw fail('invalid_state', 'It is at work on a turn already. Wait for that, or stop it with pause_ai_seat.')
      const id = context.write(aiTurn).insert({
        askedByUserId: context.actor.userId,
        prompt,
        mode: seat.mode,
        maxTokens: maxTokens ?? null,
        forTable: seat.mode === 'driver' && !seat.maySeeSecrets,
        readSecrets: seat.maySeeSecrets,
        external: context.prepared.external,
        model: context.prepared.model,
      })
      // Its words are those of who asked: an app of theirs reads what it has just asked for.
      return context.read(aiTurn).get(id)
    },
  }),
  list_ai_turns: defineOperation({
    name: 'list_ai_turns',
    title: 'List AI turns',
    description: 'What the seat said and did, newest first; auditRecordId is for revert_change.',
    toolset: 'ai',
    access: 'viewer',
    effect: 'read',
    route: `GET ${route}/turns`,
    input: z.strictObject({ ...inCampaign, since: instant().optional(), ...pageInput }),
    output: pageOf(turnOutput),
    example: (world) => ({ campaignId: world.id('campaign') }),
    handle(context, { since, limit, cursor }) {
      const where = since === undefined ? {} : { createdAt: { from: since } }
      const page = context.read(aiTurn).page({ where, order: [['id', 'desc']], limit, cursor })
      return { ...page, items: page.items.map((row) => told(context, row)) }
    },
  }),
}
