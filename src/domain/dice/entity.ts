import * as z from 'zod'
import { defineEntity } from '../../kernel/entity.ts'
import {
  byUser,
  instant,
  line,
  name,
  nullable,
  parent,
  reference,
  required,
  userId,
  withDefault,
} from '../../kernel/fields.ts'
import { allOf, anyOf, dungeonMasters, self, where } from '../../kernel/visibility.ts'

/** `party`: everybody. `dm`: whoever rolled, and the Dungeon Masters. `secret`: the Dungeon Masters alone. */
export const rollVisibility = z.enum(['party', 'dm', 'secret'])

const die = z.object({
  face: z.int(),
  value: z.int(),
  out: z.enum(['dropped', 'rerolled']).nullable(),
  extra: z.boolean(),
  counts: z.int().nullable(),
})

export const rolledTerms = z.array(
  z.object({
    text: z.string(),
    label: z.string().nullable(),
    sides: z.int(),
    dice: z.array(die),
    total: z.int(),
    counting: z.boolean(),
  }),
)

export const degree = z.enum(['critical-success', 'success', 'failure', 'critical-failure'])
const target = z.int().min(-1000).max(1000)

/** What fell. It is never written over; a secret one can be shown. */
export const diceRoll = defineEntity({
  name: 'dice_roll',
  table: 'dice_rolls',
  label: 'roll',
  listedBy: 'list_dice_rolls',
  owner: 'userId',
  visible: anyOf(dungeonMasters, where('visibility', 'party'), allOf(where('visibility', 'dm'), self('userId'))),
  lists: { orders: [[]], filters: ['userId', 'characterId', 'checkRequestId'] },
  since: 4,
  fields: {
    userId: nullable(userId(), { ...byUser, references: 'user' }),
    characterId: reference('character'),
    /** What it answers: a request does not name its roll, since who answered may not see it. */
    checkRequestId: reference('check_request'),
    expression: required(z.string().max(200)),
    label: nullable(line()),
    visibility: withDefault(rollVisibility, 'party'),
    total: required(z.int()),
    /** The face of the one die that counted; null where there were more. */
    natural: nullable(z.int()),
    terms: required(rolledTerms),
    /** Told to those who may know the number. */
    difficulty: nullable(target, { readableBy: anyOf(dungeonMasters, where('difficultyShown', true)) }),
    difficultyShown: withDefault(z.boolean(), false),
    /** How it came out against the difficulty, in a word of the rules; null where there was none. */
    outcome: nullable(degree),
    outcomeSays: nullable(line(60)),
    revealedAt: nullable(instant()),
  },
})

export const checkRequestStatus = z.enum(['open', 'answered', 'cancelled'])

/** A Dungeon Master asks a character's player to roll. What nobody else is to know of is between the two. */
export const checkRequest = defineEntity({
  name: 'check_request',
  table: 'check_requests',
  label: 'request to roll',
  listedBy: 'list_check_requests',
  owner: 'characterId',
  trash: true,
  visible: anyOf(dungeonMasters, where('secret', false), self('characterId')),
  lists: { orders: [[]], filters: ['status'] },
  since: 4,
  fields: {
    characterId: parent('character'),
    requestedByUserId: nullable(userId(), { ...byUser, references: 'user' }),
    /** Those that were asked together share it. */
    batch: required(z.string().max(40)),
    checkId: required(z.string().max(60)),
    checkName: required(name()),
    reason: nullable(line()),
    difficulty: nullable(target, { readableBy: anyOf(dungeonMasters, where('difficultyShown', true)) }),
    difficultyShown: withDefault(z.boolean(), false),
    /** The result is the Dungeon Masters' alone. */
    secret: withDefault(z.boolean(), false),
    status: withDefault(checkRequestStatus, 'open'),
  },
})
