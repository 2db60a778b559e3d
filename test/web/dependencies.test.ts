import { expect, test } from 'vitest'
import { operationFacts } from '../../scripts/lib/operation-facts.ts'
import { createDependencies, overlap, textLimits } from '../../src/web/api/dependencies.ts'

const dependencies = createDependencies(operationFacts())
type Name = Parameters<typeof dependencies.readsOf>[0]
const makesOld = (change: Name, reading: Name) => overlap(dependencies.writesOf(change), dependencies.readsOf(reading))

test('a page is fetched anew when a thing changes whose name it prints', () => {
  // Who gives a quest and where, in lists and on its page; where a person is; what speaks of a person.
  expect(makesOld('update_npc', 'get_quest')).toBe(true)
  expect(makesOld('update_location', 'list_quests')).toBe(true)
  expect(makesOld('update_location', 'get_npc')).toBe(true)
  expect(makesOld('publish_session_recap', 'get_npc')).toBe(true)
  expect(makesOld('update_npc', 'get_campaign_summary')).toBe(true)
  expect(makesOld('update_npc', 'list_inbox_items')).toBe(true)
  expect(makesOld('update_npc', 'get_proposal')).toBe(true)
})

test('what only gathers is about what it gathers', () => {
  expect(makesOld('update_quest', 'list_tags')).toBe(true)
  expect(makesOld('submit_inbox_item', 'get_session_prep')).toBe(true)
  expect(makesOld('set_objective_done', 'get_session_prep')).toBe(true)
  expect(makesOld('set_objective_done', 'get_campaign_summary')).toBe(true)
})

test('what hangs on a thing goes to the trash with it, and what undoes may touch anything', () => {
  expect(makesOld('delete_quest', 'list_objectives')).toBe(true)
  expect(makesOld('reorder_quests', 'list_quests')).toBe(true)
  expect(makesOld('revert_change', 'list_invites')).toBe(true)
  expect(makesOld('update_member', 'list_audit_records')).toBe(true)
})

test('what shows nothing of it is left alone', () => {
  expect(makesOld('create_note', 'list_npcs')).toBe(false)
  expect(makesOld('create_invite', 'list_quests')).toBe(false)
  expect(makesOld('create_invite', 'search_campaign')).toBe(false)
})

test('texts say how long they may be, those of rows too', () => {
  const limitsOf = (name: string) => textLimits(operationFacts()[name])
  expect(limitsOf('create_npc').name).toBe(120)
  expect(limitsOf('create_random_table')).toMatchObject({ name: expect.any(Number), 'rows.text': expect.any(Number) })
  // What a proposal holds is measured where it is written: by the operation that it asks for.
  expect(limitsOf('get_npc')).toEqual({})
})
