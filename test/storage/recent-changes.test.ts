import { beforeEach, expect, test } from 'vitest'
import { type Answer, makeTable, type Person, type Table } from '../domain/support.ts'
import { asRead } from '../support/proposals.ts'

let table: Table
let start: string
beforeEach(async () => {
  table = await makeTable()
  table.pass(1)
  start = table.now()
  table.pass(1)
})

const npc = async (name: string, more: object = {}): Promise<number> =>
  (await table.call('ellen', 'create_npc', { name, ...more })).id
const update = (npcId: number, patch: object): Promise<Answer> => table.call('ellen', 'update_npc', { npcId, ...patch })

/** All pages of what changed, each line as `kind title`. */
async function changes(person: Person, since = start, limit = 50): Promise<string[]> {
  const lines: string[] = []
  let cursor: string | undefined
  do {
    const page: Answer = await table.call(person, 'list_recent_changes', { since, limit, cursor })
    lines.push(...page.items.map(({ kind, title }: Answer) => `${kind} ${title}`))
    cursor = page.nextCursor ?? undefined
  } while (cursor !== undefined)
  return lines
}

test('one line for each thing, of its newest change, newest first', async () => {
  const [first, second] = [await npc('Anna'), await npc('Bela')]
  await update(first, { voice: 'Low.' })
  await update(second, { voice: 'Dry.' })
  await update(first, { voice: 'Lower.' })
  expect(await changes('ellen')).toEqual(['update Anna', 'update Bela'])
})

test('nothing from before the instant that is asked for', async () => {
  const [first] = [await npc('Anna'), await npc('Bela')]
  const later = table.now()
  expect(await changes('ellen', later)).toEqual([])
  table.pass(1)
  await update(first, { voice: 'Low.' })
  expect(await changes('ellen', later)).toEqual(['update Anna'])
  expect(await changes('ellen', table.now())).toEqual([])
})

test.each([1, 2, 3])('pages of %i hold each thing once', async (limit) => {
  const ids = [await npc('A'), await npc('B'), await npc('C'), await npc('D'), await npc('E')]
  for (const id of [ids[0], ids[3], ids[0]]) await update(id as number, { voice: `v${Math.random()}` })
  // Several things of one record.
  await table.call('ellen', 'delete_npc', { npcId: ids[4] })
  const asked = await Promise.all(['F', 'G', 'H'].map((name) => table.call('pell', 'create_npc', { name })))
  await table.call('ellen', 'approve_proposals', {
    proposals: asRead(table, ...asked.map(({ proposal }) => proposal.id)),
  })
  const all = await changes('ellen')
  expect(all.filter((line) => !line.includes('Create NPC'))).toEqual([
    'create H',
    'create G',
    'create F',
    'update A',
    'update D',
    'create C',
    'create B',
  ])
  expect(await changes('ellen', start, limit)).toEqual(all)
})

test('a player hears of what they see, and of changes that they could notice', async () => {
  const open = await npc('Anna', { dmSecret: 'Old.' })
  const other = await npc('Bela')
  await npc('Hidden', { hidden: true })
  await update(open, { dmSecret: 'New.' })
  expect(await changes('pell')).toEqual(['create Bela', 'create Anna'])
  expect(await changes('ellen')).toEqual(['update Anna', 'create Hidden', 'create Bela'])
  await update(other, { hidden: true })
  expect(await changes('pell')).toEqual(['create Anna'])
  // What went from the open to the hidden stands there alone.
  expect(await changes('ellen')).toEqual(['update Bela', 'update Anna', 'create Hidden'])
  await update(other, { hidden: false })
  expect(await changes('ellen')).toEqual(['update Bela', 'update Anna', 'create Hidden'])
  expect(await changes('pell')).toEqual(['update Bela', 'create Anna'])
})

test('what was done while the clock was set back is told by its own time', async () => {
  table.pass(60)
  await npc('Anna')
  table.pass(-30)
  await npc('Bela')
  expect(await changes('ellen')).toEqual(['create Bela', 'create Anna'])
})
