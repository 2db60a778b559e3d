import * as z from 'zod'
import type { Context } from '../../kernel/context.ts'
import { fail, invalid } from '../../kernel/errors.ts'
import { defineOperation } from '../../kernel/operation.ts'
import { listInput, pageOf } from '../../kernel/paging.ts'
import { changed, deletes, trashedOutput } from '../plain.ts'
import { beat, branch } from './entity.ts'
import { beatDetail, detailOf, toldIn, wholeStory } from './read.ts'
import { outcomeOf, wouldCircle } from './rules.ts'

const ofBeat = { beatId: beat.id }
const one = { branchId: branch.id }
const writable = ['label', 'toBeatId', 'condition'] as const

/** Throws `validation_failed` where a beat would lead back to itself, at once or in the end. */
function refuseWayBack(context: Context, beatId: number, toBeatId: number | null | undefined, but?: number): void {
  if (toBeatId === null || toBeatId === undefined) return
  const others = wholeStory(context).branches.filter(({ id }) => id !== but)
  if (wouldCircle(others, beatId, toBeatId))
    throw invalid('toBeatId', 'would make a circle', 'A beat cannot lead to itself, nor to one that leads to it.')
}

/** The way out of a beat that the party took; null while they took none. */
function takenOf(context: Context, beatId: number) {
  return context.read(branch).first({ where: { beatId, status: 'taken' }, columns: ['label'] })
}

export const branchOperations = {
  list_branches: defineOperation({
    name: 'list_branches',
    title: 'List branches',
    description: 'Where a beat can lead.',
    toolset: 'story',
    access: 'dm',
    effect: 'read',
    route: 'GET /beats/{beatId}/branches',
    input: z.strictObject({ ...ofBeat, ...listInput }),
    output: pageOf(branch.listed),
    example: (world) => ({ beatId: world.id('beat') }),
    handle: (context, { beatId, ...page }) => context.read(branch).list(page, { where: { beatId } }),
  }),
  create_branch: defineOperation({
    name: 'create_branch',
    title: 'Create branch',
    description: 'Way out of a beat: what the party may do, and the next beat, of any arc.',
    toolset: 'story',
    access: 'dm',
    effect: 'write',
    route: 'POST /beats/{beatId}/branches',
    creates: true,
    input: z.strictObject({ ...ofBeat, ...branch.create(...writable) }),
    output: branch.output,
    example: (world) => ({
      beatId: world.id('beat'),
      label: 'They ring the cracked bell',
      toBeatId: world.id('beat', 'next'),
      condition: 'if they have the clapper',
    }),
    handle(context, { beatId, ...values }) {
      refuseWayBack(context, beatId, values.toBeatId)
      // Where the party has chosen, what is thought of later was not taken.
      const status = takenOf(context, beatId) === null ? 'open' : 'not_taken'
      return changed(context, branch, context.write(branch).insert({ beatId, ...values, status }))
    },
  }),
  update_branch: defineOperation({
    name: 'update_branch',
    title: 'Update branch',
    description: 'Change a way out of a beat.',
    toolset: 'story',
    access: 'dm',
    effect: 'write',
    route: 'PATCH /branches/{branchId}',
    input: z.strictObject({ ...one, ...branch.update(...writable) }),
    output: branch.output,
    example: (world) => ({ branchId: world.id('branch'), condition: 'if they dare' }),
    handle(context, { branchId, expectedRevision, ...patch }) {
      refuseWayBack(context, context.read(branch).get(branchId).beatId, patch.toBeatId, branchId)
      context.write(branch).update(branchId, patch, expectedRevision)
      return changed(context, branch, branchId)
    },
  }),
  take_branch: defineOperation({
    name: 'take_branch',
    title: 'Take branch',
    description: 'The party chose this: its beat is told, other ways are not taken, the next is now.',
    toolset: 'story',
    access: 'dm',
    effect: 'write',
    route: 'POST /branches/{branchId}/take',
    input: z.strictObject(one),
    /** The beat that is told now. */
    output: beatDetail,
    tells: ['branches'],
    example: (world) => ({ branchId: world.id('branch') }),
    handle(context, { branchId }) {
      const { beatId } = context.read(branch).get(branchId)
      const taken = takenOf(context, beatId)
      if (taken !== null)
        throw fail(
          'invalid_state',
          `The party chose “${taken.label}” here. Take that back with revert_change, or open all ways again with set_beat_status active.`,
        )
      const outcome = outcomeOf(wholeStory(context), branchId)
      for (const [id, status] of outcome.branches) context.write(branch).update(id, { status })
      for (const [id, status] of outcome.beats)
        context.write(beat).update(id, { status, ...(id === beatId ? toldIn(context, status) : {}) })
      return detailOf(context, beatId)
    },
  }),
  delete_branch: defineOperation({
    name: 'delete_branch',
    title: 'Delete branch',
    description: 'Way out of a beat to the trash.',
    toolset: 'story',
    access: 'dm',
    effect: 'destroy',
    route: 'DELETE /branches/{branchId}',
    input: z.strictObject(one),
    output: trashedOutput,
    example: (world) => ({ branchId: world.id('branch', 'spare') }),
    handle: deletes(branch, 'branchId'),
  }),
}
