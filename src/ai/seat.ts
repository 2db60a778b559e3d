import { createHash } from 'node:crypto'
import { aiTurn, type SeatAction } from '../domain/ai-seat/entity.ts'
import { supportPreference } from '../domain/support-preference/entity.ts'
import type { RowOf } from '../kernel/entity.ts'
import { Failure } from '../kernel/errors.ts'
import {
  ModelFailure,
  type ModelMessage,
  type ModelToolCall,
  type ModelUsage,
  modelEyes,
} from '../kernel/model-port.ts'
import { newFence, wordsIn } from './fence.ts'
import { asMessage, keepingBooks, ownContext } from './model-actor.ts'
import type { ModelWorker, ModelWorkerParts } from './model-worker.ts'
import { type ActingTurn, act, readAs } from './seat-acts.ts'
import { isStop, type SeatNow, type Stop, seatOfTurn, spent } from './seat-state.ts'
import { seatOperations, toolOf } from './seat-tools.ts'
import { resultText, type TurnMaterial, turnMessages } from './seat-words.ts'
import { sum } from './tokens.ts'

// One turn of the AI seat: the model is asked, what it calls is run one by one, and it is told what came of it, until it
// answers with words. Ahead of each of these the seat is read anew, and the transaction of each change reads it once more: a
// pause, a safety signal or another mode stops a turn between two operations, and ends a call of the model that is under way.

/** What one turn may cost. */
const most = { steps: 12, callsOfStep: 4, sameCall: 3, failures: 3, tokensOfStep: 1200, minutes: 8 } as const
/** Bytes of a conversation, where the provider does not say how much fits. */
const conversationBytes = 60_000
const progressStep = 400

type Turn = RowOf<typeof aiTurn>
type End = Pick<Turn, 'state' | 'message'> & { readonly text?: string }

interface Talk {
  readonly messages: ModelMessage[]
  readonly actions: SeatAction[]
  usage: ModelUsage
  readonly seen: Map<string, number>
  failures: number
}

export function createSeat({ system, store, model, clock, log }: ModelWorkerParts): ModelWorker {
  const running = new Map<number, { readonly campaignId: number; readonly stop: AbortController }>()
  const atWork = new Set<Promise<void>>()
  const closing = new AbortController()

  const whole = async <T>(work: () => T): Promise<T> => {
    const leave = await system().acquireShared()
    try {
      return work()
    } finally {
      leave()
    }
  }
  const save = (campaignId: number, turnId: number, values: Partial<Turn>): Promise<void> =>
    whole(() =>
      system().transaction((unit) => {
        const row = ownContext(unit, campaignId).unfiltered(aiTurn).find(turnId)
        if (row?.state !== 'running') return
        keepingBooks(unit, campaignId, (context) => context.write(aiTurn).update(turnId, values), 'narrate')
      }),
    )
  const now = (turnId: number): Promise<SeatNow | Stop> => whole(() => seatOfTurn(store(), turnId))

  const begin = (turnId: number): Turn | null => {
    const at = store().get('SELECT campaign_id AS id FROM ai_turns WHERE id = @turnId', { turnId })
    return at === undefined
      ? null
      : system().view((unit) => ownContext(unit, Number(at.id)).unfiltered(aiTurn).find(turnId))
  }

  /** What the model is told first, each part through its eyes. */
  const materialOf = async (turn: Turn, acting: ActingTurn, seat: SeatNow): Promise<TurnMaterial> => {
    const { campaignId, id: turnId, prompt } = turn
    const charter = await readAs(system(), acting, 'get_charter', { campaignId })
    const summary = await readAs(system(), acting, 'get_campaign_summary', { campaignId })
    const { wishes, earlier } = system().view((unit) => {
      // Shared with the Dungeon Master is not shared with an AI: each wish needs its author's yes to that, wherever it runs.
      const eyes = modelEyes({ campaignId, external: true, secrets: true, terms: unit.termsOf(campaignId) })
      const own = ownContext(unit, campaignId)
      const texts = ownContext(unit, campaignId, eyes).read(supportPreference).page({ limit: 30 }).items
      const last = own.unfiltered(aiTurn).page({ where: { state: 'done' }, order: [['id', 'desc']], limit: 6 }).items
      return {
        wishes: texts.map(({ text }) => text),
        earlier: last
          .toReversed()
          .filter((each) => Number(each.id) !== turnId && mayRecall(each, turn))
          .map((each) => ({ asked: each.prompt, said: each.text ?? '' })),
      }
    })
    const told = pick(charter, ['tone', 'lines', 'veils', 'safetyTools', 'houseRules'])
    return { rights: seat, persona: seat.persona, charter: told, wishes, summary, earlier, prompt }
  }

  const ask = (turn: Turn, seat: SeatNow, talk: Talk, signal: AbortSignal) => {
    const { id: turnId, campaignId, askedByUserId: userId } = turn
    const tools = Array.from(seatOperations(system().operations, seat).values(), toolOf)
    let said = 0
    let shown = 0
    return model.generate({
      ...{ campaignId, feature: 'seat', runId: `seat-${turnId}`, userId, tools, signal },
      messages: [...talk.messages],
      maxOutputTokens: turn.maxTokens ?? most.tokensOfStep,
      budget: { tokens: seat.tokenBudget, since: seat.budgetSince },
      onText(text) {
        said = text === null ? 0 : said + text.length
        if (Math.abs(said - shown) < progressStep) return
        shown = said
        void save(campaignId, turnId, { written: said }).catch(() => {})
      },
    })
  }

  /** Runs the calls of one answer in their order. Each gets a result, since a model is asked no further without. */
  const runCalls = async (
    turn: Turn,
    acting: ActingTurn,
    calls: readonly ModelToolCall[],
    talk: Talk,
    fence: string,
  ) => {
    const { id: turnId, campaignId } = turn
    let end: End | null = null
    for (const [index, call] of calls.entries()) {
      const answer = (result: unknown): void =>
        void talk.messages.push({
          ...{ role: 'tool', toolCallId: call.id, toolName: call.name, text: resultText(result, fence) },
        })
      const seat = await now(turnId)
      if (end === null && isStop(seat)) end = endOf(seat)
      if (end !== null || isStop(seat)) {
        answer({ error: `Not run: ${end?.message ?? 'stopped'}` })
        continue
      }
      if (index >= most.callsOfStep) {
        answer({ error: `Not run: at most ${most.callsOfStep} calls at once. Call it again.` })
        continue
      }
      const operation = seatOperations(system().operations, seat).get(call.name)
      const { action, result } =
        operation === undefined ? notOffered(call) : await act(system(), { ...acting, rights: seat }, operation, call)
      talk.actions.push(action)
      answer(result)
      const isChange = action.outcome === 'done' || action.outcome === 'proposed'
      talk.failures = action.outcome === 'refused' ? talk.failures + 1 : 0
      const key = keyOf(call)
      talk.seen.set(key, (talk.seen.get(key) ?? 0) + 1)
      await save(campaignId, turnId, {
        actions: talk.actions.slice(-100),
        changeCount: talk.actions.filter(({ outcome }) => outcome === 'done' || outcome === 'proposed').length,
      })
      if (!isChange && (talk.seen.get(key) ?? 0) >= most.sameCall) end = stuck('It asked for the same again and again.')
      if (talk.failures >= most.failures) end = stuck('Nothing that it tried worked.')
    }
    return end
  }

  const converse = async (turn: Turn, talk: Talk, signal: AbortSignal): Promise<End> => {
    const { id: turnId, campaignId, askedByUserId: userId, external } = turn
    const first = await now(turnId)
    if (isStop(first)) return endOf(first)
    const status = model.status()
    if (!status.ready) return { state: 'failed', message: status.missing ?? 'No AI is set up.' }
    if (status.external && !external)
      return { state: 'stopped', message: 'Another AI was chosen meanwhile. Ask again.' }
    const fence = newFence()
    const acting: ActingTurn = { turnId, campaignId, userId, external, rights: first, signal }
    talk.messages.push(...turnMessages(await materialOf(turn, acting, first), fence))
    const said: string[] = []
    let empty = 0
    for (let step = 1; step <= most.steps; step++) {
      const seat = await now(turnId)
      if (isStop(seat)) return endOf(seat)
      shorten(talk.messages, status.contextTokens)
      const answer = await ask(turn, seat, talk, signal)
      talk.usage = sum(talk.usage, answer.usage)
      await save(campaignId, turnId, { steps: step, ...usageOf(talk.usage) })
      const words = wordsIn(answer.text)
      if (words !== '') said.push(words)
      if (answer.toolCalls.length === 0) {
        const text = said.join('\n\n').slice(0, 20_000).toWellFormed()
        const message = answer.finish === 'length' ? 'It was cut off at its limit.' : (answer.warnings[0] ?? null)
        if (words !== '') return { state: 'done', text, message: message === null ? null : asMessage(message) }
        if (empty > 0)
          return text === ''
            ? { state: 'failed', message: 'The model answered nothing.' }
            : { state: 'done', text, message: null }
        empty += 1
        talk.messages.push({ role: 'user', text: 'You said nothing. Answer with words, or use a tool.' })
        continue
      }
      talk.messages.push({ role: 'assistant', text: answer.text, toolCalls: answer.toolCalls })
      const end = await runCalls(turn, acting, answer.toolCalls, talk, fence)
      if (end !== null) return end
    }
    return stuck(`It took ${most.steps} steps and had not come to an end.`)
  }

  /** Throws nothing: whatever happens, the turn ends in a state with a sentence. */
  const perform = async (turnId: number): Promise<void> => {
    const stop = new AbortController()
    const turn = await whole(() => begin(turnId))
    if (turn?.state !== 'running') return
    const { campaignId } = turn
    running.set(turnId, { campaignId, stop })
    const late = AbortSignal.timeout(most.minutes * 60_000)
    const signal = AbortSignal.any([stop.signal, closing.signal, late, system().stopping])
    const usage: ModelUsage = { input: 0, output: 0, source: 'reported' }
    const talk: Talk = { messages: [], actions: [], usage, seen: new Map(), failures: 0 }
    let end: End
    try {
      end = await converse(turn, talk, signal)
    } catch (error) {
      if (error instanceof ModelFailure) talk.usage = sum(talk.usage, error.usage)
      else if (!(error instanceof Failure))
        log.error({ err: error, turnId }, 'A turn of the AI seat failed unexpectedly.')
      end = endBy(error, { stopped: await now(turnId), isLate: late.aborted, isClosing: closing.signal.aborted })
    } finally {
      running.delete(turnId)
    }
    const { state, message, text = null } = end
    const values = { state, message: message && asMessage(message), text, endedAt: clock().toISOString() }
    await save(campaignId, turnId, { ...values, ...usageOf(talk.usage) })
  }
  const start = (turnId: number): void => {
    const work = perform(turnId).catch((error: unknown) =>
      log.error({ err: error, turnId }, 'A turn of the AI seat could not be ended.'),
    )
    atWork.add(work)
    void work.finally(() => atWork.delete(work))
  }

  return {
    onChanges(changes) {
      for (const { entity, id, campaignId, before, after } of changes) {
        if (entity.name === 'ai_turn' && before === null && after?.state === 'running') start(id)
        // Whatever was changed, each turn reads the seat: those that may not go on end what they wait for.
        if (entity.name !== 'ai_seat' && entity.name !== 'safety_signal') continue
        for (const [turnId, at] of running)
          if (at.campaignId === campaignId && isStop(seatOfTurn(store(), turnId))) at.stop.abort()
      }
    },
    recover() {
      const left = store().all("SELECT id, campaign_id FROM ai_turns WHERE state = 'running' AND deleted_at IS NULL")
      const ended = { state: 'failed', message: stoppedAmid, endedAt: clock().toISOString() } as const
      for (const { id, campaign_id: campaignId } of left)
        system().transaction((unit) =>
          keepingBooks(
            unit,
            Number(campaignId),
            (context) => context.write(aiTurn).update(Number(id), ended),
            'narrate',
          ),
        )
    },
    async idle() {
      while (atWork.size > 0) await Promise.all(atWork)
    },
    async close() {
      closing.abort()
      while (atWork.size > 0) await Promise.all(atWork)
    },
  }
}

const stoppedAmid =
  'The server was stopped in the middle of it. What it had changed by then is listed, and can be taken back.'

function endOf({ state, says }: Stop): End {
  return { state, message: says }
}

function stuck(message: string): End {
  return { state: 'stuck', message }
}

interface Circumstances {
  readonly stopped: SeatNow | Stop
  readonly isLate: boolean
  readonly isClosing: boolean
}

function endBy(error: unknown, { stopped, isLate, isClosing }: Circumstances): End {
  if (isClosing) return { state: 'failed', message: stoppedAmid }
  if (error instanceof ModelFailure && error.failureClass === 'budget_exhausted')
    return { state: 'spent', message: spent }
  if (isStop(stopped)) return endOf(stopped)
  if (isLate) return { state: 'failed', message: `It took longer than ${most.minutes} minutes, and was ended.` }
  if (error instanceof ModelFailure || error instanceof Failure) return { state: 'failed', message: error.message }
  return { state: 'failed', message: 'Something went wrong that nobody foresaw; the log of the server says what.' }
}

/** An answer of before is recalled only where nothing of it is kept from this turn. */
function mayRecall(earlier: Turn, turn: Turn): boolean {
  return (
    (turn.readSecrets || !earlier.readSecrets) && (!turn.external || earlier.external) && earlier.mode === turn.mode
  )
}

/** A name that was made up, or that is not on the list of this mode. */
function notOffered({ name }: ModelToolCall): { readonly action: SeatAction; readonly result: unknown } {
  const called = name.replaceAll(/[^\w.-]/g, '').slice(0, 60) || 'a tool without a name'
  const says = `${called} is no tool that you have here.`
  const nothing = { auditRecordId: null, encounterEventIds: [], encounterId: null, proposalId: null }
  return { action: { ...nothing, operation: called, title: called, outcome: 'refused', says }, result: { error: says } }
}

function keyOf({ name, argumentsText }: ModelToolCall): string {
  return createHash('sha256')
    .update(`${name} ${canonical(argumentsText)}`)
    .digest('hex')
}

function canonical(text: string): string {
  try {
    const value: unknown = JSON.parse(text)
    return JSON.stringify(value, (_, each: unknown) =>
      typeof each === 'object' && each !== null && !Array.isArray(each)
        ? Object.fromEntries(Object.entries(each).toSorted(([one], [other]) => (one < other ? -1 : 1)))
        : each,
    )
  } catch {
    return text
  }
}

/** Keeps a conversation under half of what fits: the oldest results go first. */
function shorten(messages: ModelMessage[], contextTokens: number | null): void {
  const fits = contextTokens === null ? conversationBytes : contextTokens * 1.5
  const size = (): number => messages.reduce((all, { text }) => all + Buffer.byteLength(text), 0)
  for (let at = 0; at < messages.length && size() > fits; at++) {
    const message = messages[at] as ModelMessage
    if (message.role === 'tool')
      messages[at] = { ...message, text: 'Left out: too long ago. Ask again if you need it.' }
  }
}

function usageOf({ input, output, source }: ModelUsage): Partial<Turn> {
  return { inputTokens: input, outputTokens: output, tokensEstimated: source === 'estimated' }
}

function pick(value: unknown, members: readonly string[]): unknown {
  return Object.fromEntries(Object.entries(value as object).filter(([key]) => members.includes(key)))
}
