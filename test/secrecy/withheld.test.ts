import { describe, expect, test } from 'vitest'
import { measureCost } from '../support/cost.ts'
import { long, walkLimitMs } from '../support/long.ts'
import { shareWorld } from '../support/shared-world.ts'
import type { TestWorld } from '../support/world.ts'
import { memberTexts, wordOf, wordsFor, wordsIn } from './canaries.ts'
import { everybody, walk } from './walk.ts'
import { hiddenThings, noTextsForAi } from './worlds.ts'

// What an external AI does not get: under the policy `disabled` no text of another member at all (SPEC 2.2), and as material
// for recaps and preparation only texts of authors who opted in (SPEC appendix 1 and 3).

const sources = ['party note', 'inbox of player', 'inbox of otherPlayer'] as const

/** What a Dungeon Master's client is handed as material, in every way there is. */
async function material({ callers, id }: TestWorld): Promise<Readonly<Record<string, string>>> {
  const { dm, oauth, propose } = callers
  const campaignId = id('campaign')
  const texts: Record<string, string> = {}
  for (const caller of [dm, oauth, propose]) {
    for (const tool of ['draft_session_recap', 'get_session_prep'])
      texts[`${tool} ${caller.name}`] = (await caller.tool(tool, { campaignId })).answer.text
    for (const name of ['recap-writer', 'session-prep'])
      texts[`${name} ${caller.name}`] = (
        await caller.mcp('prompts/get', { name, arguments: { campaignId: String(campaignId) } })
      ).text
  }
  texts['draft over REST'] = (await oauth.get(`/api/v1/campaigns/${campaignId}/recap-draft`)).text
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
  const { alone } = shareWorld({ layer: hiddenThings })
  const consentOf = ({ as, id }: TestWorld, person: 'player' | 'otherPlayer', consent: boolean) =>
    as(person, 'set_my_ai_consent', { campaignId: id('campaign'), consent })

  test('nothing of anybody is material until they opt in (SPEC appendix 3)', () =>
    alone(async (world) => {
      const texts = await material(world)
      const words = wordsOf(texts)
      expect([...sources, ...neverSources].filter((name) => words.has(wordOf(name)))).toEqual([])
      for (const [what, text] of Object.entries(texts)) {
        expect(text, what).toMatch(/withheld\\*":[1-9]/)
        expect(text, what).toContain('pending author consent')
      }
    })())

  test('whoever opts in gives their own texts and nobody else’s, and may stop (SPEC 3)', () =>
    alone(async (world) => {
      await consentOf(world, 'player', true)
      const words = wordsOf(await material(world))
      expect(sources.filter((name) => words.has(wordOf(name)))).toEqual(['party note', 'inbox of player'])
      expect(neverSources.filter((name) => words.has(wordOf(name)))).toEqual([])
      await consentOf(world, 'otherPlayer', true)
      expect(wordsOf(await material(world))).toContain(wordOf('inbox of otherPlayer'))
      for (const person of ['player', 'otherPlayer'] as const) await consentOf(world, person, false)
      const after = wordsOf(await material(world))
      expect(sources.filter((name) => after.has(wordOf(name)))).toEqual([])
    })())

  test('a person in the web app prepares and gathers with the whole inbox', () =>
    alone(async ({ callers, id }) => {
      for (const what of ['session-prep', 'recap-draft']) {
        const { text } = await callers.dm.get(`/api/v1/campaigns/${id('campaign')}/${what}`)
        expect(wordsIn(text)).toContain(wordOf('inbox of player'))
      }
    })())
})

describe('the policy "disabled"', () => {
  const shared = shareWorld({ layer: noTextsForAi })
  const cost = measureCost('withheld from AI clients', () => shared.world.server.app.system().operations.size)
  const bytes: readonly string[] = [wordOf('hidden attachment bytes'), wordOf('open attachment metadata')]

  /** The others see nothing of the campaign's members under any policy (canaries-mcp.test.ts). */
  const members = everybody.filter((name) => wordsFor(name).includes(wordOf('party note')))

  test.each(long ? everybody : members)(
    '%s meets over MCP no text of another member, and all else as before',
    { timeout: walkLimitMs },
    async (name) => {
      const words = new Map<string, string>()
      cost.add(
        await walk(shared.world, name, 'mcp', ({ question, text }) => {
          for (const word of wordsIn(text)) if (!words.has(word)) words.set(word, question)
        }),
      )
      const mine = wordsFor(name, memberTexts).filter((word) => !bytes.includes(word))
      expect([...words].filter(([word]) => !mine.includes(word)).map(([word, call]) => `${word}: ${call}`)).toEqual([])
      expect(mine.filter((word) => !words.has(word))).toEqual([])
    },
  )

  test.each([
    ['list_notes', 'notes'],
    ['list_inbox_items', 'inbox'],
    ['list_proposals', 'proposals'],
  ])('%s says how many texts it withheld, and what would change it', async (tool, list) => {
    const { callers, id } = shared.world
    const { content } = await callers.dm.tool(tool, { campaignId: id('campaign') })
    const all = (await callers.dm.get(`/api/v1/campaigns/${id('campaign')}/${list}`)).body
    expect(content.withheld).toBe(all.items.length - content.items.length)
    expect(content.withheld).toBeGreaterThan(0)
    expect(content.withheldMessage).toContain('A Dungeon Master decides that')
    expect(all).not.toHaveProperty('withheld')
  })

  test('nothing of anybody is material, though all have opted in', async () => {
    const words = wordsOf(await material(shared.world))
    expect(sources.filter((name) => words.has(wordOf(name)))).toEqual([])
  })

  test('the web app shows people what it showed them before', async () => {
    const { callers, id } = shared.world
    const texts = ['notes', 'inbox'].map((list) => callers.dm.get(`/api/v1/campaigns/${id('campaign')}/${list}`))
    const words = wordsIn((await Promise.all(texts)).map(({ text }) => text).join('\n'))
    for (const name of ['party note', 'note to the DM of player', 'inbox of otherPlayer'] as const)
      expect(words).toContain(wordOf(name))
  })
})
