import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startServer, type TestServer } from '../support/server.ts'
import { buildWorld, type TestWorld } from '../support/world.ts'
import { memberTexts, wordOf, wordsFor, wordsIn } from './canaries.ts'
import { addHiddenThings, addOpenThings } from './content.ts'
import { everybody, walk } from './walk.ts'

// What an external AI does not get: under the policy `disabled` no text of another member at all (SPEC 2.2), and as material
// for recaps and preparation only texts of authors who opted in (SPEC appendix 1 and 3).

let server: TestServer
let world: TestWorld
let campaignId: number
let calls = 0

beforeAll(async () => {
  server = await startServer()
  world = await buildWorld(server)
  campaignId = world.id('campaign')
  await addHiddenThings(world, await addOpenThings(world))
})
afterAll(async () => {
  console.log(`withheld: ${calls} calls`)
  await server.stop()
})

const sources = ['party note', 'inbox of player', 'inbox of otherPlayer'] as const

/** What a Dungeon Master's client is handed as material, in every way there is. */
async function material(): Promise<Readonly<Record<string, string>>> {
  const { dm, oauth, propose } = world.callers
  const texts: Record<string, string> = {}
  for (const caller of [dm, oauth, propose]) {
    for (const tool of ['draft_session_recap', 'get_session_prep'])
      texts[`${tool} ${caller.name}`] = (await caller.tool(tool, { campaignId })).answer.text
    for (const name of ['recap-writer', 'session-prep'])
      texts[`${name} ${caller.name}`] = (
        await caller.mcp('prompts/get', { name, arguments: { campaignId: String(campaignId) } })
      ).text
  }
  texts['draft over REST'] = (await dm.get(`/api/v1/campaigns/${campaignId}/recap-draft`)).text
  calls += Object.keys(texts).length
  return texts
}

const wordsOf = (texts: Readonly<Record<string, string>>): ReadonlySet<string> =>
  wordsIn(Object.values(texts).join('\n'))

describe('consent', () => {
  const neverSources = [
    'private note of player',
    'private note of the DM',
    'note to the DM of player',
    'whisper between players',
    'whisper of the DM',
    'inbox resolution',
    'trashed party note',
    'trashed inbox item',
  ] as const
  const consentOf = (person: 'player' | 'otherPlayer' | 'dm', consent: boolean) =>
    world.as(person, 'set_my_ai_consent', { campaignId, consent })

  test('nothing of anybody is material until they opt in', async () => {
    const texts = await material()
    const words = wordsOf(texts)
    expect([...sources, ...neverSources].filter((name) => words.has(wordOf(name)))).toEqual([])
    for (const [what, text] of Object.entries(texts)) {
      expect(text, what).toMatch(/withheld\\*":[1-9]/)
      expect(text, what).toContain('pending author consent')
    }
  })

  test('whoever opts in gives their own texts and nobody else’s, and may stop', async () => {
    await consentOf('player', true)
    const words = wordsOf(await material())
    expect(sources.filter((name) => words.has(wordOf(name)))).toEqual(['party note', 'inbox of player'])
    expect(neverSources.filter((name) => words.has(wordOf(name)))).toEqual([])
    await consentOf('otherPlayer', true)
    expect(wordsOf(await material())).toContain(wordOf('inbox of otherPlayer'))
    for (const person of ['player', 'otherPlayer'] as const) await consentOf(person, false)
    const after = wordsOf(await material())
    expect(sources.filter((name) => after.has(wordOf(name)))).toEqual([])
  })

  test('a person in the web app prepares with the whole inbox', async () => {
    const { text } = await world.callers.dm.get(`/api/v1/campaigns/${campaignId}/session-prep`)
    expect(wordsIn(text)).toContain(wordOf('inbox of player'))
  })
})

describe('the policy "disabled"', () => {
  const met = new Map<string, Map<string, string>>()

  beforeAll(async () => {
    for (const person of ['player', 'otherPlayer', 'dm'] as const)
      await world.as(person, 'set_my_ai_consent', { campaignId, consent: true })
    await world.as('dm', 'update_campaign_settings', { campaignId, aiContentPolicy: 'disabled' })
    for (const name of everybody) {
      const words = new Map<string, string>()
      met.set(name, words)
      calls += await walk(world, name, 'mcp', ({ question, text }) => {
        for (const word of wordsIn(text)) if (!words.has(word)) words.set(word, question)
      })
    }
  }, 60_000)

  const bytes: readonly string[] = [wordOf('hidden attachment bytes'), wordOf('open attachment metadata')]

  test.each(everybody)('%s meets over MCP no text of another member, and all else as before', (name) => {
    const words = met.get(name) ?? new Map<string, string>()
    const mine = wordsFor(name, memberTexts).filter((word) => !bytes.includes(word))
    expect([...words].filter(([word]) => !mine.includes(word)).map(([word, call]) => `${word}: ${call}`)).toEqual([])
    expect(mine.filter((word) => !words.has(word))).toEqual([])
  })

  test.each(['list_notes', 'list_inbox_items'])('%s says how many texts it withheld', async (tool) => {
    const { content } = await world.callers.dm.tool(tool, { campaignId })
    const without = content.items.filter((item: { readonly body: string }) => item.body === '')
    expect(without.length).toBeGreaterThan(0)
    expect(content.withheld).toBe(without.length)
    expect(without.every((item: { readonly textWithheld?: boolean }) => item.textWithheld === true)).toBe(true)
  })

  test('nothing of anybody is material, though all have opted in', async () => {
    const words = wordsOf(await material())
    expect(sources.filter((name) => words.has(wordOf(name)))).toEqual([])
  })

  test('the web app shows people what it showed them before', async () => {
    const texts = ['notes', 'inbox'].map((list) => world.callers.dm.get(`/api/v1/campaigns/${campaignId}/${list}`))
    const words = wordsIn((await Promise.all(texts)).map(({ text }) => text).join('\n'))
    for (const name of ['party note', 'note to the DM of player', 'inbox of otherPlayer'] as const)
      expect(words).toContain(wordOf(name))
  })
})
