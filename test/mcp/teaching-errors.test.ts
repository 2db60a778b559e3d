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
    'There are: campaignId, status, parentQuestId, query, view, limit, cursor',
  ],
  ['set_quest_status', { questId: 1, status: 'done' }, '"completed"'],
  ['list_recent_changes', { campaignId: 1, since: 'last Friday' }, 'as in 2026-11-22T19:00:00Z'],
  ['create_session', { campaignId: 1, playedAt: '6 November' }, 'as in 2026-11-22'],
  ['create_quest', { campaignId: 1 }, 'title'],
])('%s with %j says what would be right', async (tool, input, expected) => {
  expect(await message(tool, input)).toContain(expected)
})
