import { beforeEach, describe, expect, test } from 'vitest'
import { type Answer, makeTable, type Table } from './support.ts'

// Whether players see what is made without a word about it.

let table: Table
beforeEach(async () => {
  table = await makeTable()
})

/** Each kind of thing that a form asks it of, and the least that makes one. */
const kinds = {
  npc: { name: 'Osk' },
  location: { name: 'The ferry', discovery: 'discovered' },
  quest: { title: 'Cross the river' },
  faction: { name: 'The ferrymen' },
  timeline_event: { title: 'The flood', worldDate: '390' },
  encounter: { name: 'On the ferry' },
  homebrew: { kind: 'item', name: 'A coin with a hole' },
} as const

const begins = (hidesNewThings: boolean): Promise<Answer> =>
  table.call('ellen', 'update_campaign_settings', { hidesNewThings })

describe('a new thing', () => {
  for (const [kind, values] of Object.entries(kinds))
    test(`${kind} begins as the campaign says, or as its input says`, async () => {
      const make = async (hidden?: boolean): Promise<boolean> =>
        (
          await table.call('ellen', `create_${kind}` as 'create_npc', {
            ...(values as { name: string }),
            ...(hidden === undefined ? {} : { hidden }),
          })
        ).hidden
      for (const hides of [true, false]) {
        await begins(hides)
        expect([await make(), await make(true), await make(false)]).toEqual([hides, true, false])
      }
    })

  test('that a player proposed is one that players know, and one that a Dungeon Master proposed is as all others', async () => {
    await begins(true)
    const filed = await table.call('pell', 'create_npc', { name: 'The miller’s brother' })
    await table.call('ellen', 'approve_proposals', {
      proposals: [{ proposalId: filed.proposal.id, revision: filed.proposal.revision }],
    })
    const seen = await table.call('pell', 'list_npcs', {})
    expect(seen.items.map(({ name }: Answer) => name)).toContain('The miller’s brother')
    const own = await table.call('ellen', 'create_proposal', {
      changes: [{ operation: 'create_npc', input: { name: 'The miller’s ghost' } }],
    })
    await table.call('ellen', 'approve_proposals', { proposals: [{ proposalId: own.id, revision: own.revision }] })
    const { items } = await table.call('ellen', 'list_npcs', { query: 'ghost' })
    expect(items.map(({ hidden }: Answer) => hidden)).toEqual([true])
  })
})

test('a new campaign keeps new things to its Dungeon Master, unless it is told otherwise', async () => {
  const said = async (input: object): Promise<boolean> => {
    const { id } = await table.call('ellen', 'create_campaign', { name: 'A tale', ...input })
    return (await table.call('ellen', 'get_campaign_settings', { campaignId: id })).hidesNewThings
  }
  expect([await said({}), await said({ hidesNewThings: false })]).toEqual([true, false])
})
