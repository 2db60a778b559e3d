import { describe, expect, test } from 'vitest'
import { shareWorld } from '../support/shared-world.ts'

// A wrong call is answered so that the next one is right, by a reader who has nothing but the message.

const shared = shareWorld()

const message = async (tool: string, input: object, as: 'dm' | 'player' = 'dm'): Promise<string> => {
  const { isError, content } = await shared.world.callers[as].tool(tool, input)
  expect(isError).toBe(true)
  return content.error.message
}
const campaignId = () => shared.world.id('campaign')

describe('a name where an id belongs', () => {
  test('is answered with the id, where one thing alone goes by it', async () => {
    const text = await message('create_quest', {
      campaignId: campaignId(),
      title: 'The song',
      giverNpcId: 'marta quill',
    })
    expect(text).toContain(
      `giverNpcId: an id is a whole number. The only one of that name has the id ${shared.world.id('npc')}`,
    )
  })

  test('is answered with the list to ask, and what to ask it, where there are several or none', async () => {
    const text = await message('create_npc', { campaignId: campaignId(), name: 'Nettie', locationId: 'The far mill' })
    expect(text).toContain(`list_locations finds it with {"campaignId": ${campaignId()}, "query": "The far mill"}`)
  })

  test('tells a player nothing of what they do not see', async () => {
    const input = { campaignId: campaignId(), name: 'Nettie', locationId: 'ice cellar' }
    expect(await message('create_npc', input)).toContain(`the id ${shared.world.id('location', 'hidden')}`)
    expect(await message('create_npc', input, 'player')).toContain('list_locations finds it')
    const foreign = { campaignId: shared.world.id('campaign', 'foreign'), name: 'Nettie', locationId: 'Pomary' }
    expect(await message('create_npc', foreign)).toContain('list_locations finds it.')
  })

  test('names the list where no campaign is named', async () => {
    expect(await message('get_quest', { questId: 'A cradle' })).toContain(
      'questId: an id is a whole number. list_quests finds it.',
    )
    expect(await message('list_quests', { campaignId: 'Orchard' })).toContain('list_campaigns finds it.')
  })
})

test.each([
  [
    'update_npc',
    { npcId: 1, dispositon: 'friendly' },
    'dispositon: there is no such member; did you mean disposition?',
  ],
  [
    'list_quests',
    { campaignId: 1, colour: 'red' },
    'There are: campaignId, status, parentQuestId, tag, query, view, limit, cursor',
  ],
  ['set_quest_status', { questId: 1, status: 'done' }, '"completed"'],
  ['list_recent_changes', { campaignId: 1, since: 'last Friday' }, 'as in 2026-11-22T19:00:00Z'],
  ['create_session', { campaignId: 1, playedAt: '6 November' }, 'as in 2026-11-22'],
  ['create_quest', { campaignId: 1 }, 'title'],
])('%s with %j says what would be right', async (tool, input, expected) => {
  expect(await message(tool, input)).toContain(expected)
})

type Credential = 'dm' | 'player' | 'viewer' | 'propose' | 'bound'
const at = (entity: string, variant?: string) => () => shared.world.id(entity, variant)
const here = at('campaign')

/** Forty wrong calls: who makes it, what it is, and what of the message names the right next call. */
const wrong: readonly (readonly [Credential, string, Readonly<Record<string, unknown>>, string])[] = [
  // A name for an id.
  ['dm', 'get_npc', { npcId: 'Marta Quill' }, 'list_npcs finds it'],
  ['dm', 'update_npc', { npcId: 'Marta Quill', voice: 'Low' }, 'list_npcs finds it'],
  ['dm', 'create_npc', { campaignId: here, name: 'Hob', factionId: 'Pomary house' }, 'has the id'],
  ['dm', 'create_quest', { campaignId: here, title: 'X', parentQuestId: 'cradle' }, 'has the id'],
  ['dm', 'create_quest', { campaignId: here, title: 'X', locationId: 'The far mill' }, 'list_locations finds it with'],
  ['dm', 'publish_session_recap', { sessionId: 'The wall', recap: 'x' }, 'list_sessions finds it'],
  ['dm', 'create_beat', { arcId: 'The harvest', title: 'x' }, 'list_arcs finds it'],
  ['dm', 'get_campaign_summary', { campaignId: 'The Orchard in Winter' }, 'list_campaigns finds it'],
  // A wrong value of several.
  ['dm', 'set_npc_disposition', { npcId: at('npc'), disposition: 'angry' }, '"hostile"'],
  ['dm', 'set_quest_status', { questId: at('quest'), status: 'finished' }, '"completed"'],
  ['dm', 'set_beat_status', { beatId: at('beat'), status: 'told' }, '"done"'],
  ['dm', 'create_note', { campaignId: here, body: 'x', visibility: 'public' }, '"party"'],
  ['dm', 'list_npcs', { campaignId: here, view: 'short' }, '"brief"'],
  ['dm', 'reveal_entity', { campaignId: here, entityType: 'person', entityId: 1 }, 'npc'],
  ['dm', 'set_rsvp', { gameNightId: at('game_night'), answer: 'perhaps' }, '"maybe"'],
  // A misspelt, absent or strange member.
  ['dm', 'update_quest', { questId: at('quest'), titel: 'x' }, 'did you mean title?'],
  ['dm', 'create_location', { campaignId: here, title: 'The mill' }, 'There are: campaignId, name'],
  ['dm', 'create_npc', { name: 'Hob' }, 'campaignId'],
  ['dm', 'set_objective_done', { objectiveId: at('objective') }, 'done'],
  ['dm', 'list_npcs', { campaign: here }, 'did you mean campaignId?'],
  ['dm', 'send_whisper', { campaignId: here, to: 'player', body: 'x' }, 'recipientUserId'],
  // A date or a time of a wrong form.
  ['dm', 'create_session', { campaignId: here, playedAt: 'last Friday' }, 'as in 2026-11-22'],
  ['dm', 'list_recent_changes', { campaignId: here, since: 'yesterday' }, 'as in 2026-11-22T19:00:00Z'],
  [
    'dm',
    'create_timeline_event',
    { campaignId: here, title: 'x', worldDate: 'Midwinter' },
    'as 412, 412-10 or 412-10-9',
  ],
  ['dm', 'create_game_night', { campaignId: here, startsAt: 'Friday', timeZone: 'Europe/Brussels' }, '2026-'],
  // What is not there, or not to be seen.
  ['dm', 'get_npc', { npcId: 99_999 }, 'list_npcs finds ids'],
  ['dm', 'get_quest', { questId: 99_999 }, 'list_quests finds ids'],
  ['dm', 'create_npc', { campaignId: here, name: 'Hob', locationId: 99_999 }, 'list_locations finds ids'],
  ['dm', 'list_quests', { campaignId: 99_999 }, 'list_campaigns finds ids'],
  ['player', 'get_npc', { npcId: at('npc', 'hidden') }, 'list_npcs finds ids'],
  ['bound', 'list_npcs', { campaignId: here }, 'list_campaigns finds ids'],
  ['dm', 'revert_change', { auditRecordId: 99_999 }, 'list_audit_records finds ids'],
  // A state or version that it cannot be done in.
  ['dm', 'update_npc', { npcId: at('npc'), voice: 'x', expectedRevision: 77 }, 'Read it again'],
  ['dm', 'reopen_inbox_item', { inboxItemId: at('inbox_item') }, 'open already'],
  // A role, or a credential, that may not.
  ['player', 'delete_npc', { npcId: at('npc') }, 'the role dm'],
  ['viewer', 'create_note', { campaignId: here, body: 'x' }, 'the role player'],
  ['propose', 'remove_member', { memberId: at('member', 'viewer') }, 'A person does it in the web app'],
  [
    'propose',
    'approve_proposals',
    { campaignId: here, proposals: [{ proposalId: 1, revision: 1 }] },
    'A person does it',
  ],
  ['dm', 'set_my_ai_consent', { campaignId: here, consent: true }, '/members in the web app'],
  // A change that is asked for wrongly.
  [
    'propose',
    'create_proposal',
    { campaignId: here, changes: [{ operation: 'create_ncp', input: { name: 'Hob' } }] },
    'Did you mean create_npc?',
  ],
]

test('there are forty wrong calls', () => {
  expect(wrong.length).toBeGreaterThanOrEqual(40)
})

test.each(wrong)('%s calls %s with %j and is told what to do', async (who, tool, given, expected) => {
  const input = Object.fromEntries(
    Object.entries(given).map(([key, value]) => [key, typeof value === 'function' ? value() : value]),
  )
  const { isError, content } = await shared.world.callers[who].tool(tool, input)
  expect(isError).toBe(true)
  expect(content.error.message).toContain(expected)
})

test('a tool that there is not is answered with the nearest one', async () => {
  const { body } = await shared.world.callers.dm.mcp('tools/call', { name: 'create_ncp', arguments: {} })
  expect(body.error.message).toContain('Did you mean create_npc?')
})
