import { expect, test } from 'vitest'
import { entities, operations, toolsetsOf } from '../../src/catalogue.ts'
import { measureCost } from '../support/cost.ts'
import { walkLimitMs } from '../support/long.ts'
import { restCall } from '../support/matrix.ts'
import { shareWorld } from '../support/shared-world.ts'
import type { TestWorld } from '../support/world.ts'
import { type CanaryName, wordOf, wordsIn } from './canaries.ts'
import { questionsOf, sayQuestion } from './questions.ts'
import { openThings } from './worlds.ts'

// What somebody left closed when they let an app in is not there for it, by whatever operation: an app that was let into all
// toolsets but one asks every question and meets no thing of that one.

const shared = shareWorld({ layer: openThings })
const cost = measureCost('closed toolsets', () => shared.world.server.app.system().operations.size)

const entityToolsets = toolsetsOf(entities, operations)
// What is told with a campaign itself is open to every app.
const all = Array.from(new Set(entityToolsets.values())).filter((toolset) => toolset !== 'campaign')

/** Words of things that a Dungeon Master's app meets while their toolset is open. */
const wordsOf: Readonly<Record<string, readonly CanaryName[]>> = {
  story: ['quest body', 'quest dmSecret', 'objective text'],
  world: ['npc body', 'npc dmSecret', 'location body', 'location dmSecret', 'faction goals', 'event body'],
  party: ['character body', 'character dmSecret', 'notes on an item', 'item dmSecret', 'reason in the ledger'],
  dice: ['label of a roll', 'secret request of player'],
  combat: ['fight body', 'fight dmSecret', 'combatant name', 'combatant notes', 'stat block'],
  rules: ['homebrew body', 'homebrew dmSecret'],
  maps: ['map body', 'map dmSecret', 'pin label', 'token label'],
  journal: ['recap', 'session prep', 'session dmSecret'],
  schedule: ['game night notes'],
  files: ['attachment caption', 'own hidden attachment'],
  table: [],
  review: [],
  ai: [],
}

/** Asks all there is to ask with an OAuth token; the words met, and the things that were named, each with its question. */
async function met(world: TestWorld, toolsets: readonly string[] | null) {
  const caller = world.oauth('dm', { toolsets: toolsets === null ? null : [...toolsets] })
  const words = new Map<string, string>()
  const things = new Map<string, string>()
  let calls = 0
  for (const question of questionsOf(world, 'rest')) {
    const { status, text } = await restCall(caller, question.declared, question.input)
    calls += 1
    if (status !== 200) continue
    for (const word of wordsIn(text)) if (!words.has(word)) words.set(word, sayQuestion(question))
    for (const [, kind = ''] of text.matchAll(/"(?:entityType|targetType|ownerType)":"(\w+)"/g))
      if (!things.has(kind)) things.set(kind, sayQuestion(question))
  }
  cost.add(calls)
  return { words, things }
}

test('every kind of thing of a campaign has the toolset that lists it', () => {
  const kinds = entities.filter(({ scope }) => scope === 'campaign').map(({ name }) => name)
  expect([...entityToolsets.keys()].sort()).toEqual([...kinds].sort())
  expect(Object.keys(wordsOf).sort()).toEqual([...all].sort())
})

test('an app that was let into everything meets all of these words', { timeout: walkLimitMs }, async () => {
  const { words } = await met(shared.world, null)
  const lacking = Object.values(wordsOf)
    .flat()
    .filter((name) => !words.has(wordOf(name)))
  expect(lacking).toEqual([])
})

test.each(all)('without %s nothing of it is met, and the rest is', { timeout: walkLimitMs }, async (closed) => {
  const { words, things } = await met(shared.world, ['campaign', ...all.filter((each) => each !== closed)])
  const told = (wordsOf[closed] ?? []).map((name) => [name, words.get(wordOf(name))])
  expect(told.filter(([, question]) => question !== undefined)).toEqual([])
  const kinds = [...entityToolsets].flatMap(([kind, toolset]) => (toolset === closed ? [kind] : []))
  expect(kinds.map((kind) => things.get(kind)).filter((question) => question !== undefined)).toEqual([])
  const others = Object.entries(wordsOf).flatMap(([toolset, names]) => (toolset === closed ? [] : names))
  expect(others.filter((name) => !words.has(wordOf(name)))).toEqual([])
})

test('search, recent changes, mentions, links and the summary leave it out, and the summary says so', () =>
  shared.alone(async (world) => {
    const campaignId = world.id('campaign')
    const [quest, npc] = [world.id('quest', 'canary'), world.id('npc', 'canary')]
    await world.as('dm', 'update_quest', { questId: quest, giverNpcId: npc, body: `[the lamplighter](npc:${npc})` })
    const wide = world.oauth('dm')
    const narrow = world.oauth('dm', { toolsets: ['campaign', 'world', 'files'] })
    const found = async (caller: typeof wide) => {
      const search = await caller.get(`/api/v1/campaigns/${campaignId}/search?query=lantern`)
      const changes = await caller.get(`/api/v1/campaigns/${campaignId}/changes?since=1970-01-01T00:00:00.000Z`)
      const mentions = (await caller.tool('list_mentions', { campaignId, entityType: 'npc', entityId: npc })).content
      const seen = (await caller.get(`/api/v1/npcs/${npc}`)).body
      const summary = (await caller.get(`/api/v1/campaigns/${campaignId}/summary`)).body
      return {
        search: search.body.items.some(({ entityType }: { readonly entityType: string }) => entityType === 'quest'),
        changes: changes.body.items.some(({ entityType }: { readonly entityType: string }) => entityType === 'quest'),
        mentions: mentions.items.length,
        quests: seen.questCount,
        open: summary.openQuestCount > 0,
        closed: summary.closedToolsets,
      }
    }
    const most = { search: true, changes: true, mentions: 1, quests: 1, open: true, closed: undefined }
    expect(await found(wide)).toEqual(most)
    const closed = ['story', 'journal', 'table', 'review']
    const least = { search: false, changes: false, mentions: 0, quests: 0, open: false, closed }
    expect(await found(narrow)).toEqual(least)
    // A link to what is closed reads as empty, and names nothing.
    const story = world.oauth('dm', { toolsets: ['campaign', 'story'] })
    expect((await story.get(`/api/v1/quests/${quest}`)).body).toMatchObject({ giverNpcId: null, giverNpc: null })
    // And no link to it is made: it is not there.
    const linked = await story.request('PATCH', `/api/v1/quests/${quest}`, { locationId: world.id('location') })
    expect([linked.status, linked.body.error.code]).toEqual([400, 'validation_failed'])
  })())

test('no live event tells of it, and nothing of it is undone', () =>
  shared.alone(async (world) => {
    const { hub, transfers } = world.server.app
    const declared = transfers.find(({ name }) => name === 'campaign_events')
    if (declared === undefined) throw new Error('there are no live events')
    const campaignId = world.id('campaign')
    const narrow = world.oauth('dm', { toolsets: ['campaign', 'review', 'world'] })
    const streams = [narrow, world.oauth('dm')].map((caller) => restCall(caller, declared, { campaignId }))
    while (hub.count() < 2) await new Promise(setImmediate)
    await world.as('dm', 'update_quest', { questId: world.id('quest', 'canary'), reward: 'A coat' })
    await world.as('dm', 'update_npc', { npcId: world.id('npc', 'canary'), voice: 'Low' })
    hub.endAll()
    const heard = (await Promise.all(streams)).map(({ text }) =>
      Array.from(text.matchAll(/"entityType":"(\w+)"/g), ([, kind]) => kind),
    )
    expect(heard).toEqual([['npc'], ['quest', 'npc']])
    const { items } = await world.as('dm', 'list_audit_records', { campaignId, operation: 'update_quest', limit: 1 })
    const undone = await narrow.post(`/api/v1/audit-records/${items[0].id}/revert`)
    expect([undone.status, undone.body.error.code]).toEqual([403, 'forbidden'])
    expect((await narrow.get(`/api/v1/audit-records/${items[0].id}`)).body.entities).toEqual([])
  })())
