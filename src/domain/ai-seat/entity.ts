import * as z from 'zod'
import { defineEntity } from '../../kernel/entity.ts'
import { byUser, instant, line, nullable, prose, required, userId, withDefault } from '../../kernel/fields.ts'
import { anyOf, dungeonMasters, everyone, where } from '../../kernel/visibility.ts'

/** `co_dm` tells and proposes; `driver` acts by itself, with what a Dungeon Master may do in play. */
export const seatMode = z.enum(['off', 'co_dm', 'driver'])
/** What it may do in `driver`, by groups of operations (ai/seat-tools.ts). */
export const seatGroup = z.enum(['fights', 'dice', 'tale', 'reveal'])

const stays = { carry: { drop: 'who sits at another table a person decides there' } } as const

/** The chair of the AI beside the Dungeon Master. A campaign has one, or none while nobody put it there. */
export const aiSeat = defineEntity({
  name: 'ai_seat',
  table: 'ai_seats',
  label: 'AI seat',
  listedBy: 'get_ai_seat',
  visible: everyone,
  lists: { orders: [[]] },
  since: 4,
  fields: {
    mode: withDefault(seatMode, 'off', stays),
    /** How it speaks. */
    persona: nullable(line(2000), stays),
    driverMay: withDefault(z.array(seatGroup).max(4), ['fights', 'dice'], stays),
    /** How many tokens it may use, read and written together, since it was allowed them. */
    tokenBudget: withDefault(z.int().min(0).max(100_000_000), 200_000, stays),
    budgetSince: nullable(instant(), stays),
    /** What all turns had used when it was allowed them. */
    usedBefore: withDefault(z.int().min(0), 0, stays),
    /** It reads what the Dungeon Masters keep to themselves. */
    maySeeSecrets: withDefault(z.boolean(), false, { ...stays, decision: true }),
    /** Since when it is silent; null while it is not. */
    pausedAt: nullable(instant(), stays),
    pauseReason: nullable(line(), stays),
  },
})

/**
 * `stopped`: somebody at the table did, or asked for a pause; `stuck`: it did the same again and again, or nothing worked;
 * `spent`: the budget is used up.
 */
export const turnState = z.enum(['running', 'done', 'stopped', 'stuck', 'spent', 'failed'])

const ofTurn = { carry: { drop: 'says what an AI of this server did' } } as const
const count = () => z.int().min(0)

/** One thing that it did, tried or asked for, in the order of the turn. */
export const seatAction = z.object({
  operation: z.string(),
  title: z.string(),
  /** `done` changed something, `proposed` waits in the inbox, `looked` read, `refused` came to nothing. */
  outcome: z.enum(['done', 'proposed', 'looked', 'refused']),
  /** What it was about, by its name, or why it was refused. */
  says: z.string().nullable(),
  /** The record of the journal: revert_change takes it back. */
  auditRecordId: z.int().nullable(),
  /** The events of a fight that it made: undo_encounter_event takes the last of them back, with those of the same step. */
  encounterEventIds: z.array(z.int()),
  /** The fight that they are of: what happens in one is taken back there. */
  encounterId: z.int().nullable(),
  proposalId: z.int().nullable(),
})
export type SeatAction = z.output<typeof seatAction>

/** What everybody reads: words for the table, of a model that has read no secrets. */
const ofTable = anyOf(dungeonMasters, where('forTable', true))

/**
 * One turn of the seat: what it was asked, said and did. Its words count as those of who asked, so that an outside AI reads
 * them with that person's consent alone. The list of turns is their history: the journal keeps what the seat changed.
 */
export const aiTurn = defineEntity({
  name: 'ai_turn',
  table: 'ai_turns',
  label: 'turn of the AI seat',
  listedBy: 'list_ai_turns',
  owner: 'askedByUserId',
  writtenBy: 'askedByUserId',
  about: 'people',
  journal: 'none',
  visible: everyone,
  lists: {
    orders: [[]],
    filters: ['state', 'askedByUserId'],
    counts: [
      { by: 'mode', sum: 'inputTokens' },
      { by: 'mode', sum: 'outputTokens' },
    ],
  },
  since: 4,
  fields: {
    askedByUserId: required(userId(), { ...byUser, references: 'user' }),
    prompt: required(prose(8000).min(1), { ...ofTurn, readableBy: 'dm' }),
    mode: required(seatMode.exclude(['off']), ofTurn),
    state: withDefault(turnState, 'running', ofTurn),
    maxTokens: nullable(count(), ofTurn),
    /** Its words are for everybody: it acts for the table and has read no secrets. */
    forTable: withDefault(z.boolean(), false, ofTurn),
    /** It has read what only Dungeon Masters do; what it has read left this server. */
    readSecrets: withDefault(z.boolean(), false, { ...ofTurn, readableBy: 'dm' }),
    external: withDefault(z.boolean(), false, { ...ofTurn, readableBy: 'dm' }),
    text: nullable(prose(20_000), { ...ofTurn, readableBy: ofTable }),
    actions: withDefault(z.array(seatAction), [], { ...ofTurn, readableBy: ofTable }),
    /** How it ended, where there is more to say than that it did. */
    message: nullable(line(1000), { ...ofTurn, readableBy: ofTable }),
    /** How often it has asked the model, and the characters that came so far. */
    steps: withDefault(count(), 0, ofTurn),
    written: withDefault(count(), 0, ofTurn),
    /** Changes that it made or asked for. */
    changeCount: withDefault(count(), 0, ofTurn),
    inputTokens: withDefault(count(), 0, ofTurn),
    outputTokens: withDefault(count(), 0, ofTurn),
    tokensEstimated: withDefault(z.boolean(), false, ofTurn),
    model: nullable(line(200), ofTurn),
    endedAt: nullable(instant(), ofTurn),
  },
})
