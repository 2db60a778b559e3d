import type { KnownCall } from './admission.ts'
import { fail } from './errors.ts'
import type { AnyOperation } from './operation.ts'
import type { Unit } from './system.ts'
import { capRole, isOutsideAi } from './viewer.ts'

/**
 * The call as the member makes it through whose eyes its caller asks to look: with their rights and no others, in their
 * campaign and nowhere else. What comes back is what both may read (`onlookerOf`). Only a person does it who is a Dungeon
 * Master there, and only to read. Throws `write_mode`, `forbidden` and `not_found`.
 */
export function throughEyes(unit: Unit, operation: AnyOperation, call: KnownCall): KnownCall {
  const { effect, toolset, secretAnswer } = operation
  const { actor, door, viewAs } = call
  if (viewAs === undefined) return call
  if (effect !== 'read')
    throw fail('write_mode', 'Who looks through the eyes of a player changes nothing. Stop looking as them first.')
  if (toolset === 'server' || secretAnswer)
    throw fail('forbidden', 'This is a person’s own and not of the campaign: nobody else looks at it.')
  if (isOutsideAi(actor, door)) throw fail('forbidden', 'Only a person looks through the eyes of a player.')
  const member = unit.memberAt(viewAs)
  const { scope, campaignId: bound } = actor.credential
  const role = member && unit.roleOf(actor.userId, member.campaignId)
  if (member === null || role === null || (bound !== null && bound !== member.campaignId))
    throw fail('not_found', 'There is no such member, or you may not see them. list_members finds ids.')
  if (capRole(role, scope) !== 'dm')
    throw fail('forbidden', 'Only a Dungeon Master of the campaign looks through the eyes of its players.')
  if (unit.roleOf(member.userId, member.campaignId) === 'dm')
    throw fail('forbidden', 'A Dungeon Master sees what you see. Look through the eyes of a player.')
  return {
    ...call,
    actor: {
      userId: member.userId,
      username: member.username,
      admin: false,
      credential: { ...actor.credential, campaignId: member.campaignId },
      onlooker: actor.userId,
    },
  }
}
