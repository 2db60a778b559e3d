import { describe, expect, test } from 'vitest'
import { operations } from '../../src/catalogue.ts'
import { Failure } from '../../src/kernel/errors.ts'
import { shareWorld } from '../support/shared-world.ts'
import type { Person, TestWorld } from '../support/world.ts'

// What a record says of itself is what happens: every write of the catalogue is made once, and then taken back or refused.

const shared = shareWorld()

/** Runs an operation's example as the first who may. */
async function make(world: TestWorld, name: string): Promise<void> {
  const operation = operations.get(name)
  const refusals: unknown[] = []
  for (const person of ['dm', 'player', 'outsider', 'admin'] satisfies Person[]) {
    try {
      await world.as(person, name, operation?.example(world) as Readonly<Record<string, unknown>>)
      return
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      refusals.push(error.message)
    }
  }
  throw new Error(`${name} is refused to everybody: ${refusals.join(' ')}`)
}

/** `taken back`, or the code of the refusal. */
async function revert(world: TestWorld, auditRecordId: number): Promise<string> {
  const codes: string[] = []
  for (const person of ['dm', 'coDm', 'player', 'outsider'] satisfies Person[]) {
    try {
      await world.as(person, 'revert_change', { auditRecordId })
      return 'taken back'
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      codes.push(error.code)
    }
  }
  return codes.find((code) => code !== 'not_found' && code !== 'forbidden') ?? codes.join()
}

/** What leaves no record in a campaign: packs are of the server, and that somebody has read a notice is no history. */
const unrecorded = ['install_rule_pack', 'uninstall_rule_pack', 'mark_notifications_read', 'run_scribe', 'narrate']
const writes = [...operations.values()]
  .filter(({ effect, name }) => effect !== 'read' && !unrecorded.includes(name))
  .map(({ name }) => name)
const final: string[] = []

test.each(writes)('%s can be reverted where its record says so, and is refused where not', (name) =>
  shared.alone(async (world) => {
    const store = world.server.app.store()
    const last = store.get('SELECT max(id) AS id FROM change_sets')?.id as number
    await make(world, name)
    const records = store.all(
      'SELECT id, operation, revertible FROM change_sets WHERE id > @last AND campaign_id IS NOT NULL ORDER BY id DESC',
      { last },
    )
    expect(records.length).toBeGreaterThan(0)
    for (const { id, operation, revertible } of records) {
      const changes = store.get('SELECT count(*) AS n FROM changes WHERE change_set_id = @id', { id: id as number })
      if (revertible === 0 && changes?.n !== 0) final.push(String(operation))
      expect((await revert(world, id as number)) === 'taken back', String(operation)).toBe(revertible === 1)
    }
  })(),
)

test('what is final is so by what it is done to: the campaign itself, rights, codes, decisions, private texts, dice, fights and what is gone for good', () => {
  expect([...new Set(final)].sort()).toEqual(
    [
      'accept_invite',
      'add_member',
      'approve_proposals',
      'create_campaign',
      'create_display',
      'create_invite',
      'create_note',
      'create_proposal',
      'delete_campaign',
      'delete_note',
      'leave_campaign',
      'purge_from_trash',
      'reject_proposals',
      'remove_member',
      'restore_campaign',
      'revise_proposal',
      'revoke_invite',
      'rotate_calendar_feed',
      'send_whisper',
      'update_campaign_settings',
      'update_member',
      'update_note',
      'withdraw_proposal',
      // What the table has heard or agreed to, dice that fell, and fights, which have a way back of their own.
      'acknowledge_charter',
      'add_combatant',
      'adjust_combatant_resource',
      'answer_check_request',
      'begin_encounter',
      'create_sample_campaign',
      'damage_combatant',
      'draft_content',
      'duplicate_campaign',
      'end_encounter',
      'heal_combatant',
      'import_campaign',
      'move_combatant',
      'next_turn',
      'previous_turn',
      'remove_combatant',
      'reopen_encounter',
      'reveal_dice_roll',
      'revoke_display',
      'revoke_session_share',
      'roll_check',
      'roll_death_save',
      'roll_dice',
      'roll_initiative',
      'set_combatant_conditions',
      'set_combatant_initiative',
      'set_combatant_turn',
      'set_my_support_preference',
      'undo_encounter_event',
      'update_charter',
      'update_display',
      'use_combatant_action',
      // What an AI may do, and how it writes.
      'pause_ai_seat',
      'update_ai_seat',
      'update_scribe_settings',
    ].sort(),
  )
})

describe('a person’s decision', () => {
  const settings = (world: TestWorld, input: object) =>
    world.as('dm', 'update_campaign_settings', { campaignId: world.id('campaign'), ...input })
  const lastRecord = async (world: TestWorld) =>
    (await world.as('dm', 'list_audit_records', { campaignId: world.id('campaign'), limit: 1 })).items[0]

  test(
    'is not taken back with the rest of a record, and is named',
    shared.alone(async (world) => {
      await settings(world, { aiContentPolicy: 'disabled', playersPropose: false })
      const { id, revertible } = await lastRecord(world)
      expect(revertible).toBe(false)
      await expect(world.as('dm', 'revert_change', { auditRecordId: id })).rejects.toMatchObject({
        code: 'invalid_state',
        message: `Record ${id} (update_campaign_settings) cannot be undone: aiContentPolicy is a person's decision.`,
      })
    }),
  )

  test(
    'keeps nothing else from being taken back',
    shared.alone(async (world) => {
      await settings(world, { playersPropose: false })
      const { id, revertible } = await lastRecord(world)
      expect(revertible).toBe(true)
      await world.as('dm', 'revert_change', { auditRecordId: id })
      const { playersPropose } = await world.as('dm', 'get_campaign_settings', { campaignId: world.id('campaign') })
      expect(playersPropose).toBe(true)
    }),
  )
})
