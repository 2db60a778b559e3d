import * as z from 'zod'
import { defineEntity } from '../../kernel/entity.ts'
import { byUser, instant, line, nullable, reference, userId, withDefault } from '../../kernel/fields.ts'
import { dungeonMasters } from '../../kernel/visibility.ts'

/**
 * `queued` waits for its turn, `running` asks the model. Then one of the others, for good: `drafted` filed a proposal; `skipped`
 * found the very material of the last draft; `no_material` had nothing it may read; `failed` and `cancelled` filed nothing.
 */
export const scribeState = z.enum(['queued', 'running', 'drafted', 'skipped', 'no_material', 'failed', 'cancelled'])

const stays = { carry: { drop: 'says what the scribe of this server did' } } as const
const count = () => z.int().min(0)

/**
 * One draft of a recap by the scribe, with what came of it. It holds none of the material: who reads that reads it anew, with
 * their own eyes. The list of runs is their history, so that the journal keeps none.
 */
export const scribeRun = defineEntity({
  name: 'scribe_run',
  table: 'scribe_runs',
  label: 'run of the scribe',
  listedBy: 'list_scribe_runs',
  journal: 'none',
  visible: dungeonMasters,
  lists: { orders: [[]], filters: ['sessionId', 'state'] },
  since: 4,
  fields: {
    sessionId: reference('session', stays),
    state: withDefault(scribeState, 'queued', stays),
    trigger: withDefault(z.enum(['by_hand', 'after_session']), 'by_hand', stays),
    /** It drafts although the same material was drafted before. */
    forced: withDefault(z.boolean(), false, stays),
    /** In whose name the draft is filed. */
    askedByUserId: nullable(userId(), { ...byUser, references: 'user' }),
    startedAt: nullable(instant(), stays),
    endedAt: nullable(instant(), stays),
    /** Characters that the model has written so far. */
    written: withDefault(count(), 0, stays),
    /** How many texts of members it read, and how many it was not given, by reason. */
    included: withDefault(count(), 0, stays),
    withheldNoConsent: withDefault(count(), 0, stays),
    withheldByPolicy: withDefault(count(), 0, stays),
    /** What came of it, in words. */
    message: nullable(line(1000), stays),
    model: nullable(line(200), stays),
    proposalId: reference('proposal', stays),
    inputTokens: withDefault(count(), 0, stays),
    outputTokens: withDefault(count(), 0, stays),
    /** The provider did not say how many tokens it were. */
    tokensEstimated: withDefault(z.boolean(), false, stays),
    /** Of the material and of what the consent was then. */
    sourceHash: nullable(z.string(), { ...stays, internal: true }),
  },
})

/** When and how the scribe writes. A campaign has one row, or none while nothing was chosen. */
export const scribeSettings = defineEntity({
  name: 'scribe_settings',
  table: 'scribe_settings',
  label: 'settings of the scribe',
  listedBy: 'list_scribe_runs',
  visible: dungeonMasters,
  lists: { orders: [[]] },
  since: 4,
  fields: {
    /** It drafts by itself when a session ends. */
    afterSession: withDefault(z.boolean(), false),
    /** The language to write in; null: that of the notes. */
    language: nullable(line(60)),
    /** How it should sound. */
    style: nullable(line(1000)),
    /** Who chose last; drafts after sessions are filed in their name. */
    chosenByUserId: nullable(userId(), { ...byUser, references: 'user' }),
  },
})
