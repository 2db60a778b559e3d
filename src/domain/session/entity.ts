import * as z from 'zod'
import { defineEntity } from '../../kernel/entity.ts'
import { day, instant, name, nullable, prose, reference, required, withDefault } from '../../kernel/fields.ts'
import { everyone } from '../../kernel/visibility.ts'

export const sessionStatus = z.enum(['planned', 'live', 'played'])

/** One evening at the table. Its preparation is the DM's; the published recap is for all. */
export const session = defineEntity({
  name: 'session',
  table: 'game_sessions',
  label: 'session',
  listedBy: 'list_sessions',
  title: 'title',
  untitled: { word: 'Session', field: 'number' },
  trash: true,
  ofPlay: true,
  mention: true,
  visible: everyone,
  unique: [['number']],
  lists: { orders: [[['number', 'desc']], []], filters: ['status'], counts: [{ by: 'status' }] },
  fields: {
    number: required(z.int().min(0).max(100_000)),
    title: nullable(name(), { search: 'title' }),
    status: withDefault(sessionStatus, 'planned'),
    /** The day it is or was played on, wherever the table is. */
    playedAt: nullable(day()),
    gameNightId: reference('game_night', { since: 4 }),
    startedAt: nullable(instant()),
    endedAt: nullable(instant()),
    /** What players read; null until it is published. */
    recap: nullable(prose(), { search: 'body' }),
    prep: nullable(prose(), { readableBy: 'dm', search: 'body' }),
    dmSecret: nullable(prose(), { readableBy: 'dm', search: 'body' }),
  },
})
