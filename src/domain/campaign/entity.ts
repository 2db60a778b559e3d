import * as z from 'zod'
import { defineEntity } from '../../kernel/entity.ts'
import { invalid } from '../../kernel/errors.ts'
import { line, name, nullable, prose, reference, required, withDefault } from '../../kernel/fields.ts'
import { everyone } from '../../kernel/visibility.ts'
import { faultOf, type WorldCalendar } from '../../kernel/world-calendar.ts'
import { worldCalendar, worldDate } from '../calendar/entity.ts'

export const campaignStatus = z.enum(['planning', 'active', 'paused', 'completed', 'archived'])
/** SPEC 2.2. `disabled`: no member-authored notes go to any external AI. */
export const aiContentPolicy = z.enum(['member_consent', 'disabled'])

/** Drawings of our own, for campaigns that have no cover; `assets/art` has one file for each. */
export const scene = z.enum(['orchard', 'headland', 'forest', 'saltroad', 'ferry', 'press'])

export const campaign = defineEntity({
  name: 'campaign',
  table: 'campaigns',
  label: 'campaign',
  listedBy: 'list_campaigns',
  scope: 'root',
  title: 'name',
  trash: true,
  visible: everyone,
  arriving({ calendar }) {
    const fault = calendar == null ? null : faultOf(calendar as WorldCalendar)
    if (fault !== null) throw invalid(`calendar.${fault.path}`, fault.message)
    return {}
  },
  fields: {
    name: required(name(), { search: 'title' }),
    description: nullable(prose(), { search: 'body' }),
    status: withDefault(campaignStatus, 'planning', { ofPlay: true }),
    ruleSystem: nullable(line()),
    currentLocationId: reference('location', { ofPlay: true }),
    coverAttachmentId: reference('attachment'),
    /** What is shown where there is no cover. */
    scene: withDefault(scene, 'orchard', { since: 4 }),
    /** Null: the Gregorian. */
    calendar: nullable(worldCalendar, { since: 4 }),
    /** Today in the world, as it was written; a day. */
    worldDate: nullable(worldDate(), { since: 4 }),
    /** The packs whose rules are read here; null: every one that is installed. */
    rulePackIds: nullable(z.array(z.int().min(1)).max(50), {
      since: 4,
      carry: { drop: 'packs of one server are not packs of another' },
    }),
    playersPropose: withDefault(z.boolean(), true),
    /** What a Dungeon Master makes begins hidden from players, where they say nothing of it. */
    hidesNewThings: withDefault(z.boolean(), false, { since: 4, readableBy: 'dm' }),
    aiContentPolicy: withDefault(aiContentPolicy, 'member_consent', { decision: true, since: 2 }),
    /** It is being brought in from a file, and nobody is a member of it yet. */
    importing: withDefault(z.boolean(), false, {
      internal: true,
      since: 4,
      carry: { drop: 'says what this server is doing' },
    }),
  },
})
