import * as z from 'zod'
import type { Context } from '../../kernel/context.ts'
import { fail } from '../../kernel/errors.ts'
import { type ModelStatus, providerKinds } from '../../kernel/model-port.ts'
import { defineOperation } from '../../kernel/operation.ts'
import { pageInput, pageOf } from '../../kernel/paging.ts'
import { campaign } from '../campaign/entity.ts'
import { changeOnly } from '../plain.ts'
import { scribeRun, scribeSettings } from '../scribe/entity.ts'
import { session } from './entity.ts'
import { draftOutput, draftRecap, lastBegun } from './recap.ts'

const inCampaign = { campaignId: campaign.id }
const { afterSession, language, style } = scribeSettings.fields

const settingsOutput = z.object({
  campaignId: z.int(),
  /** 0 while nothing was chosen. */
  revision: z.int(),
  afterSession: afterSession.schema,
  language: language.schema.nullable(),
  style: style.schema.nullable(),
})

/** Whether it could write, and if not, what is missing. */
const providerOutput = z.object({
  kind: z.enum(providerKinds),
  ready: z.boolean(),
  /** What it reads leaves this server. */
  external: z.boolean(),
  missing: z.string().nullable(),
})

function settingsOf(context: Context): z.input<typeof settingsOutput> {
  const row = context.read(scribeSettings).first()
  return {
    campaignId: context.campaignId,
    revision: row?.revision ?? 0,
    afterSession: row?.afterSession ?? afterSession.initial ?? false,
    language: row?.language ?? null,
    style: row?.style ?? null,
  }
}

const atWork = (context: Context, sessionId: number) =>
  context.read(scribeRun).first({ where: { sessionId, state: ['queued', 'running'] } })

export const scribeOperations = {
  run_scribe: defineOperation({
    name: 'run_scribe',
    title: 'Run scribe',
    description:
      'Draft a recap (last session unless said) as a proposal; get_scribe_run tells the outcome. force: again; stop ends a run.',
    toolset: 'ai',
    access: 'dm',
    effect: 'write',
    route: 'POST /campaigns/{campaignId}/scribe/runs',
    unrecorded: true,
    callsOut: true,
    byPerson: 'what it makes is a proposal already',
    input: z.strictObject({
      ...inCampaign,
      sessionId: session.id.optional(),
      force: z.boolean().optional(),
      stop: z.boolean().optional(),
    }),
    output: scribeRun.output,
    example: (world) => ({ campaignId: world.id('campaign'), sessionId: world.id('session') }),
    handle(context, { sessionId: asked, force, stop }) {
      const row = asked === undefined ? lastBegun(context) : context.read(session).get(asked)
      if (row === null)
        throw fail(
          'invalid_state',
          'No session was played yet, so that there is nothing to tell. start_session begins one.',
        )
      if (row.status === 'planned')
        throw fail('invalid_state', 'This session was not played yet: there is nothing of it to tell.')
      const sessionId: number = row.id
      const running = atWork(context, sessionId)
      const runs = context.write(scribeRun)
      if (stop === true) {
        if (running === null) throw fail('invalid_state', 'The scribe is not at work on this session.')
        const message = 'A Dungeon Master stopped it. Nothing was filed.'
        runs.update(running.id, { state: 'cancelled', endedAt: context.now, message })
        return context.read(scribeRun).get(running.id)
      }
      if (running !== null)
        throw fail(
          'invalid_state',
          `The scribe is at work on this session already: run ${running.id}. get_scribe_run tells how far it is.`,
        )
      const id = runs.insert({ sessionId, forced: force ?? false, askedByUserId: context.actor.userId })
      return context.read(scribeRun).get(id)
    },
  }),
  list_scribe_runs: defineOperation({
    name: 'list_scribe_runs',
    title: 'List scribe runs',
    description: 'Newest first, with its settings and what it lacks.',
    toolset: 'ai',
    access: 'dm',
    effect: 'read',
    route: 'GET /campaigns/{campaignId}/scribe/runs',
    input: z.strictObject({ ...inCampaign, sessionId: session.id.optional(), ...pageInput }),
    output: pageOf(scribeRun.output).extend({ settings: settingsOutput, provider: providerOutput }),
    example: (world) => ({ campaignId: world.id('campaign') }),
    prepare: async ({ services }): Promise<ModelStatus> => services.model.status(),
    handle(context: Context<ModelStatus>, { sessionId, limit, cursor }) {
      const page = context
        .read(scribeRun)
        .page({ where: sessionId === undefined ? {} : { sessionId }, order: [['id', 'desc']], limit, cursor })
      return { ...page, settings: settingsOf(context), provider: context.prepared }
    },
  }),
  get_scribe_run: defineOperation({
    name: 'get_scribe_run',
    title: 'Get scribe run',
    description: 'Withheld counts, material now.',
    toolset: 'ai',
    access: 'dm',
    effect: 'read',
    route: 'GET /scribe-runs/{scribeRunId}',
    input: z.strictObject({ scribeRunId: scribeRun.id }),
    /** The material is what `draft_session_recap` gives: an outside AI gets what their authors agreed to. */
    output: scribeRun.output.extend({ material: draftOutput.nullable() }),
    example: (world) => ({ scribeRunId: world.id('scribe_run') }),
    handle(context, { scribeRunId }) {
      const row = context.read(scribeRun).get(scribeRunId)
      return { ...row, material: row.sessionId === null ? null : draftRecap(context, row.sessionId) }
    },
  }),
  update_scribe_settings: defineOperation({
    name: 'update_scribe_settings',
    title: 'Update scribe settings',
    description: 'When and how the scribe writes recaps.',
    toolset: 'ai',
    access: 'dm',
    effect: 'write',
    route: 'PATCH /campaigns/{campaignId}/scribe',
    tells: ['revision'],
    input: z.strictObject({
      ...inCampaign,
      expectedRevision: z.int().min(0).optional(),
      afterSession: afterSession.schema.optional(),
      language: language.schema.nullable().optional(),
      style: style.schema.nullable().optional(),
    }),
    output: settingsOutput,
    example: (world) => ({ campaignId: world.id('campaign'), style: 'Dry, short, fond of weather.' }),
    handle(context, { campaignId: _, expectedRevision, ...patch }) {
      changeOnly(context, scribeSettings, { ...patch, chosenByUserId: context.actor.userId }, expectedRevision)
      return settingsOf(context)
    },
  }),
}
