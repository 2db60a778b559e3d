import type * as z from 'zod'
import type { scribeState } from '../domain/scribe/entity.ts'
import { scribeRun, scribeSettings } from '../domain/scribe/entity.ts'
import { session } from '../domain/session/entity.ts'
import { draftOutput, draftRecap } from '../domain/session/recap.ts'
import type { Context } from '../kernel/context.ts'
import type { RowOf } from '../kernel/entity.ts'
import { Failure } from '../kernel/errors.ts'
import { executeWithin } from '../kernel/execute.ts'
import { ModelFailure, type ModelUsage, modelEyes } from '../kernel/model-port.ts'
import type { AnyOperation } from '../kernel/operation.ts'
import { project } from '../kernel/projection.ts'
import type { Unit } from '../kernel/system.ts'
import type { Store } from '../storage/store.ts'
import { newFence } from './fence.ts'
import { asMessage, keepingBooks, modelActor, ownContext } from './model-actor.ts'
import type { ModelWorker, ModelWorkerParts } from './model-worker.ts'
import {
  isEmpty,
  type RecapSource,
  recapIn,
  recapMessages,
  recapSource,
  shorterSource,
  sourceHash,
} from './recap-source.ts'
import { sum } from './tokens.ts'

// The scribe (SPEC 3, appendix). A run is a row that an operation, or the end of a session, puts into the queue:
//
// 1. In one transaction: what may be read is gathered through the eyes of the model, and the run ends there where there is
//    nothing (`no_material`), where the last draft was made of the same (`skipped`), or where no provider is ready (`failed`).
// 2. The model is asked, outside of any transaction.
// 3. In one transaction: whoever withdrew their consent meanwhile ends it; else the recap is filed as a proposal, and the run
//    is `drafted`. Both or neither.
//
// One run at a time: local models answer one request after the other in any case.

type State = z.output<typeof scribeState>
type Run = RowOf<typeof scribeRun>

interface Begun {
  readonly campaignId: number
  readonly runId: number
  readonly sessionId: number
  readonly userId: number | null
  readonly source: RecapSource
  readonly external: boolean
}

/** About a page and a half. */
const mostTokens = 2000
/** Characters between two signs of life. */
const step = 400
const fileName = 'publish_session_recap'

const ended = (state: State, message: string, now: string): Partial<Run> => ({
  ...{ state, message: asMessage(message), endedAt: now },
})

export function createScribe({ system, store, model, clock, log }: ModelWorkerParts): ModelWorker {
  const stops = new Map<number, AbortController>()
  const closing = new AbortController()
  let queue: Promise<void> = Promise.resolve()
  const now = (): string => clock().toISOString()

  /** While a restore swaps the database, what runs beside the requests waits as they do. */
  const whole = async <T>(work: () => T): Promise<T> => {
    const leave = await system().acquireShared()
    try {
      return work()
    } finally {
      leave()
    }
  }
  const note = (campaignId: number, runId: number, values: Partial<Run>): void =>
    system().transaction((unit) => {
      if (runningRow(unit, campaignId, runId) === null) return
      keepingBooks(unit, campaignId, (context) => context.write(scribeRun).update(runId, values))
    })

  const begin = (runId: number): Begun | null =>
    system().transaction((unit) => {
      const campaignId = campaignOfRun(store(), runId)
      const row = campaignId === null ? null : ownContext(unit, campaignId).unfiltered(scribeRun).find(runId)
      if (row === null || campaignId === null || row.state !== 'queued') return null
      const end = (state: State, message: string, values: Partial<Run> = {}): null => {
        keepingBooks(unit, campaignId, (context) =>
          context.write(scribeRun).update(runId, { ...values, ...ended(state, message, now()) }),
        )
        return null
      }
      const whyNot = whyNotHere(unit, campaignId, row)
      if (whyNot !== null || row.sessionId === null) return end('cancelled', whyNot ?? gone)
      const { ready, missing, external, model: name } = model.status()
      const { source, consent } = gather(unit, campaignId, row.sessionId, external)
      const counts = {
        included: consent.included,
        withheldNoConsent: consent.withheldByReason.no_consent,
        withheldByPolicy: consent.withheldByReason.policy_disabled,
      }
      const hash = sourceHash(source)
      if (consent.included === 0 && consent.withheld > 0) return end('no_material', consent.message, counts)
      if (isEmpty(source)) return end('no_material', nothingWritten, counts)
      if (!row.forced && lastDraft(ownContext(unit, campaignId), row.sessionId) === hash)
        return end('skipped', alreadyDrafted, { ...counts, sourceHash: hash })
      if (!ready) return end('failed', `${missing ?? 'No AI is set up.'} ${materialStays}`, counts)
      keepingBooks(unit, campaignId, (context) =>
        context.write(scribeRun).update(runId, {
          ...counts,
          ...{ state: 'running', startedAt: now(), sourceHash: hash, model: name, message: consentSaid(consent) },
        }),
      )
      return { campaignId, runId, sessionId: row.sessionId, userId: row.askedByUserId, source, external }
    })

  const file = (begun: Begun, recap: string, usage: ModelUsage, wasCut: boolean): void =>
    system().transaction((unit) => {
      const { campaignId, runId, sessionId, source, external } = begun
      const row = runningRow(unit, campaignId, runId)
      if (row === null) return
      const update = (values: Partial<Run>): void =>
        keepingBooks(unit, campaignId, (context) =>
          context.write(scribeRun).update(runId, { ...values, ...usageOf(usage) }),
        )
      const whyNot = whyNotHere(unit, campaignId, row) ?? whyNotAnyMore(unit, begun)
      if (whyNot !== null) return update(ended('cancelled', whyNot, now()))
      const userId = dungeonMaster(store(), campaignId, begun.userId)
      if (userId === null) return update(ended('cancelled', 'There is no Dungeon Master to file the draft for.', now()))
      const actor = modelActor({
        ...{ by: 'scribe', id: runId, userId, campaignId, scope: 'dm', writeMode: 'propose', external: false },
      })
      const { length } = source.texts
      const reason = `Drafted from ${length} ${length === 1 ? 'note' : 'notes'}${external ? ' by an AI outside of this server' : ''}.`
      const call = { actor, door: 'system', idempotencyKey: null, reason, requestId: `scribe-${runId}` } as const
      const operation = system().operations.get(fileName) as AnyOperation
      const { output } = executeWithin(system(), unit, operation, { sessionId, recap }, call)
      const proposalId = (output as { readonly proposal: { readonly id: number } }).proposal.id
      const said = [row.message, wasCut ? cutShort : null].filter((each) => each !== null).join(' ')
      update({ ...ended('drafted', said || drafted, now()), proposalId })
    })

  /** Throws nothing: whatever happens, the run ends in a state with a sentence. */
  const perform = async (runId: number): Promise<void> => {
    const stop = new AbortController()
    stops.set(runId, stop)
    let begun: Begun | null = null
    let usage: ModelUsage = { input: 0, output: 0, source: 'reported' }
    try {
      if (closing.signal.aborted) return
      begun = await whole(() => begin(runId))
      if (begun === null) return
      const { campaignId, userId, source } = begun
      let said = 0
      let shown = 0
      const ask = (material: RecapSource) =>
        model.generate({
          ...{ campaignId, feature: 'scribe', runId: `scribe-${runId}`, userId, maxOutputTokens: mostTokens },
          messages: recapMessages(material, newFence()),
          signal: AbortSignal.any([stop.signal, closing.signal, system().stopping]),
          onText(text) {
            said = text === null ? 0 : said + text.length
            if (Math.abs(said - shown) < step) return
            shown = said
            void whole(() => note(campaignId, runId, { written: said })).catch(() => {})
          },
        })
      let wasCut = false
      const answer = await ask(source).catch((error: unknown) => {
        if (!(error instanceof ModelFailure) || error.failureClass !== 'context_too_long') throw error
        usage = error.usage
        wasCut = true
        return ask(shorterSource(source))
      })
      usage = sum(usage, answer.usage)
      const recap = recapIn(answer.text)
      if (recap === '') throw new ModelFailure('malformed', 'The model answered nothing. Try again, or choose another.')
      if (answer.finish === 'length')
        throw new ModelFailure('too_much', 'The model wrote on and on until it was stopped. Try again.')
      const finished = begun
      await whole(() => file(finished, recap, usage, wasCut))
    } catch (error) {
      if (error instanceof ModelFailure) usage = sum(usage, error.usage)
      const { campaignId } = begun ?? { campaignId: null }
      if (!(error instanceof ModelFailure || error instanceof Failure))
        log.error({ err: error, scribeRunId: runId }, 'A run of the scribe failed unexpectedly.')
      if (campaignId === null) return
      await whole(() =>
        note(campaignId, runId, { ...ended('failed', sentenceOf(error, closing.signal), now()), ...usageOf(usage) }),
      ).catch(() => {})
    } finally {
      stops.delete(runId)
    }
  }
  const enqueue = (runId: number): void => {
    queue = queue.then(() => perform(runId))
  }

  const afterSession = async (campaignId: number, sessionId: number): Promise<void> => {
    if (!model.status().ready) return
    await whole(() =>
      system().transaction((unit) => {
        const own = ownContext(unit, campaignId)
        const chosen = own.unfiltered(scribeSettings).first()
        const isAtWork =
          own.unfiltered(scribeRun).first({ where: { sessionId, state: ['queued', 'running'] } }) !== null
        if (chosen?.afterSession !== true || isAtWork) return
        const askedByUserId = dungeonMaster(store(), campaignId, chosen.chosenByUserId)
        keepingBooks(unit, campaignId, (context) =>
          context.write(scribeRun).insert({ sessionId, trigger: 'after_session', askedByUserId }),
        )
      }),
    )
  }

  return {
    onChanges(changes) {
      for (const { entity, id, campaignId, before, after } of changes) {
        if (entity.name === 'scribe_run' && after?.state === 'cancelled') stops.get(id)?.abort()
        if (entity.name === 'scribe_run' && before === null && after?.state === 'queued') enqueue(id)
        if (entity.name === 'session' && before?.status === 'live' && after?.status === 'played' && campaignId !== null)
          queue = queue.then(() =>
            afterSession(campaignId, id).catch((error: unknown) =>
              log.error({ err: error }, 'The scribe could not begin after a session.'),
            ),
          )
      }
    },
    recover() {
      const left = store().all(
        "SELECT id, campaign_id, state FROM scribe_runs WHERE state IN ('queued', 'running') AND deleted_at IS NULL ORDER BY id",
      )
      for (const { id, campaign_id: campaignId, state } of left) {
        if (state === 'queued') enqueue(Number(id))
        else note(Number(campaignId), Number(id), ended('failed', stoppedAmid, now()))
      }
    },
    async idle() {
      for (let seen: unknown = null; seen !== queue; ) {
        seen = queue
        await queue
      }
    },
    async close() {
      closing.abort()
      await queue
    },
  }
}

const gone = 'The session is gone. Nothing was filed.'
const nothingWritten =
  'Nobody wrote anything down for this session, and no quest moved. Write three lines of your own for it.'
const alreadyDrafted = 'Nothing was added since its last draft: identical source was already drafted.'
const materialStays = 'What there is to tell of the session is below.'
const drafted = 'The draft waits in the inbox.'
const cutShort =
  'That was more than the model can read at once: it was given the beginnings of the longest notes, and not the recap before.'
const stoppedAmid = 'The server was stopped in the middle of it. Nothing was filed: draft it again.'

function usageOf({ input, output, source }: ModelUsage): Partial<Run> {
  return { inputTokens: input, outputTokens: output, tokensEstimated: source === 'estimated' }
}

function consentSaid({ withheld, message }: { readonly withheld: number; readonly message: string }): string | null {
  return withheld === 0 ? null : asMessage(message)
}

function sentenceOf(error: unknown, closing: AbortSignal): string {
  if (closing.aborted) return stoppedAmid
  if (error instanceof ModelFailure || error instanceof Failure) return `${error.message} Nothing was filed.`
  return 'Something went wrong that nobody foresaw; the log of the server says what. Nothing was filed.'
}

function campaignOfRun(store: Store, runId: number): number | null {
  const row = store.get('SELECT campaign_id FROM scribe_runs WHERE id = @runId AND deleted_at IS NULL', { runId })
  return row === undefined ? null : Number(row.campaign_id)
}

function runningRow(unit: Unit, campaignId: number, runId: number): Run | null {
  const row = ownContext(unit, campaignId).unfiltered(scribeRun).find(runId)
  return row?.state === 'running' ? row : null
}

/** Why nothing may be drafted where the run is; null where it may. */
function whyNotHere(unit: Unit, campaignId: number, { sessionId }: Run): string | null {
  const campaign = unit.campaign(campaignId)
  if (campaign === null || campaign.trashed) return 'The campaign is in the trash. Nothing was filed.'
  if (campaign.status === 'archived') return 'The campaign is archived. Nothing was filed.'
  return ownContext(unit, campaignId).read(session).find(sessionId) === null ? gone : null
}

/** Whether somebody whose words the model was given has taken back their consent while it wrote. */
function whyNotAnyMore(unit: Unit, { campaignId, sessionId, source, external }: Begun): string | null {
  const still = gather(unit, campaignId, sessionId, external).source.texts
  const isThere = source.texts.every(({ kind, id }) => still.some((each) => each.kind === kind && each.id === id))
  return isThere
    ? null
    : 'What it read may not be used any more: somebody took back a note, or their consent. Nothing was filed.'
}

/** What the model may read of a session: the one place that gathers decides, through the one pair of eyes for models. */
function gather(unit: Unit, campaignId: number, sessionId: number, external: boolean) {
  // Inbox items are for Dungeon Masters; nothing else that only they read is in the material (draftOutput).
  const eyes = modelEyes({ campaignId, external, secrets: true, terms: unit.termsOf(campaignId) })
  const context = ownContext(unit, campaignId, eyes)
  const draft = project(draftOutput, draftRecap(context, sessionId), eyes) as z.output<typeof draftOutput>
  const wishes = ownContext(unit, campaignId).unfiltered(scribeSettings).first()
  const { language = null, style = null } = wishes ?? {}
  return { source: recapSource(draft, { language, style }), consent: draft.consent }
}

/** The source of the last draft of a session. */
function lastDraft(context: Context, sessionId: number): string | null {
  const where = { sessionId, state: 'drafted' } as const
  return context.unfiltered(scribeRun).first({ where, order: [['id', 'desc']] })?.sourceHash ?? null
}

/** Who files: who asked, while they are a Dungeon Master; else the first that there is. */
function dungeonMaster(store: Store, campaignId: number, userId: number | null): number | null {
  const row = store.get(
    `SELECT m.user_id AS id FROM memberships m JOIN users u ON u.id = m.user_id
     WHERE m.campaign_id = @campaignId AND m.role = 'dm' AND m.accepted = 1 AND m.deleted_at IS NULL AND u.disabled_at IS NULL
     ORDER BY m.user_id <> @userId, m.id LIMIT 1`,
    { campaignId, userId: userId ?? 0 },
  )
  return row === undefined ? null : Number(row.id)
}
