import * as z from 'zod'
import { defineEntity } from '../../kernel/entity.ts'
import { line, name, nullable, parent, prose, reference, required, withDefault } from '../../kernel/fields.ts'
import { allOf, dungeonMasters, withParent } from '../../kernel/visibility.ts'
import { position } from '../ordering.ts'

// What may come is the Dungeon Masters' alone: players never get any of it, nor a count.

export const arcStatus = z.enum(['planned', 'active', 'resolved', 'dropped'])
/** To come, now, told, not taken. */
export const beatStatus = z.enum(['planned', 'active', 'done', 'skipped'])
export const branchStatus = z.enum(['open', 'taken', 'not_taken'])

/** A thread of the tale: beats one behind the other. */
export const arc = defineEntity({
  name: 'arc',
  table: 'arcs',
  label: 'arc',
  listedBy: 'list_arcs',
  title: 'title',
  trash: true,
  visible: dungeonMasters,
  lists: { orders: [[['position', 'asc']]], filters: ['status'] },
  since: 4,
  fields: {
    title: required(name(), { search: 'title' }),
    summary: nullable(prose(), { search: 'body' }),
    status: withDefault(arcStatus, 'active', { ofPlay: true }),
    position: position(),
  },
})

/** One thing that may happen. */
export const beat = defineEntity({
  name: 'beat',
  table: 'beats',
  label: 'beat',
  listedBy: 'list_beats',
  title: 'title',
  trash: true,
  visible: allOf(dungeonMasters, withParent('arcId', 'arc')),
  lists: { orders: [[['position', 'asc']]], filters: ['arcId', 'status'], counts: [{ by: 'status' }] },
  since: 4,
  fields: {
    arcId: parent('arc'),
    title: required(name(), { search: 'title' }),
    body: nullable(prose(), { search: 'body' }),
    /** What stays unsaid while the rest of it is read out. */
    dmSecret: nullable(prose(), { readableBy: 'dm', search: 'body' }),
    status: withDefault(beatStatus, 'planned', { ofPlay: true }),
    /** Where it is to be told, and once it is, where it was. */
    sessionId: reference('session'),
    questId: reference('quest'),
    locationId: reference('location'),
    position: position(),
  },
})

/** A way out of a beat: what the party may do, and the beat that follows. Without one nobody knows yet. */
export const branch = defineEntity({
  name: 'branch',
  table: 'branches',
  label: 'branch',
  listedBy: 'list_branches',
  title: 'label',
  trash: true,
  visible: allOf(dungeonMasters, withParent('beatId', 'beat')),
  lists: { orders: [[]], filters: ['beatId'] },
  since: 4,
  fields: {
    beatId: parent('beat'),
    label: required(name(), { search: 'title' }),
    toBeatId: reference('beat'),
    condition: nullable(line(), { search: 'body' }),
    status: withDefault(branchStatus, 'open', { ofPlay: true }),
  },
})
