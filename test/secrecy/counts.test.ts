import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { measureCost } from '../support/cost.ts'
import { long, walkLimitMs } from '../support/long.ts'
import { type Door, wholeState } from '../support/matrix.ts'
import type { TestWorld } from '../support/world.ts'
import { startWorld } from '../support/world-file.ts'
import { questionsOf, sayQuestion } from './questions.ts'
import { type Asker, askerOn, type Reply } from './walk.ts'
import { hiddenThings, openThings } from './worlds.ts'

// The count test: what a player is told in a campaign with hidden things is what they would be told in the same campaign
// without them, in every count, order, page, search and error. Both are copies of one database at two points, before and
// after the hidden things were made, so that all ids and times agree by themselves.

const people = ['viewer', 'player'] as const
type Person = (typeof people)[number]

/** Both doors answer from one pipeline: over the second one of them asks, unless there is time. */
const askers: readonly (readonly [Person, Door])[] = [
  ['viewer', 'rest'],
  ['player', 'rest'],
  ['player', 'mcp'],
  ...(long ? [['viewer', 'mcp'] as const] : []),
]

interface Change {
  readonly what: string
  make(): Promise<TestWorld>
  readonly only?: Door
}

/** The open campaign after a Dungeon Master has changed something of it. */
function edited(change: (world: TestWorld) => Promise<unknown>): () => Promise<TestWorld> {
  return async () => {
    const world = await startWorld({ layer: openThings })
    const before = wholeState(world)
    await change(world)
    expect(wholeState(world)).not.toBe(before)
    return world
  }
}

const changes: readonly Change[] = [
  { what: 'hidden things', make: () => startWorld({ layer: hiddenThings }) },
  {
    what: 'changes of secret fields',
    make: edited(async ({ as, id }) => {
      await as('dm', 'update_quest', {
        questId: id('quest', 'canary'),
        dmSecret: 'Another secret of the lantern.',
      })
      await as('dm', 'update_npc', { npcId: id('npc', 'canary'), dmSecret: null })
      await as('dm', 'update_location', { locationId: id('location', 'canary'), dmSecret: null })
      await as('dm', 'update_session', { sessionId: id('session', 'canary'), prep: 'Another prep.', dmSecret: null })
    }),
  },
  {
    what: 'links to hidden things',
    make: edited(async ({ as, id }) => {
      const hidden = id('attachment', 'hidden')
      await as('dm', 'update_quest', { questId: id('quest', 'canary'), giverNpcId: id('npc', 'hidden') })
      await as('dm', 'update_npc', { npcId: id('npc', 'canary'), portraitAttachmentId: hidden })
      await as('dm', 'update_location', { locationId: id('location', 'canary'), imageAttachmentId: hidden })
      await as('dm', 'update_campaign', {
        campaignId: id('campaign'),
        currentLocationId: id('location', 'hidden'),
      })
    }),
  },
  {
    // SPEC appendix 4: members do not see each other's consent state, so not even a version number may tell of it. What an
    // outside AI gets does tell: it gets the texts of who agreed (consent-table.test.ts).
    what: 'the consent of another member',
    only: 'rest',
    make: edited(({ as, id }) => as('otherPlayer', 'set_my_ai_consent', { campaignId: id('campaign'), consent: true })),
  },
]

let plain: TestWorld
beforeAll(async () => {
  plain = await startWorld({ layer: openThings })
})
afterAll(() => plain.server.stop())
const cost = measureCost('counts', () => plain.server.app.system().operations.size)

/** What each of them is told without any change. A question is put once, whatever number of changes it is about. */
const plainAnswers = new Map<string, Promise<readonly Reply[]>>()

function replyWithout(who: string, asker: Asker, question: string, ask: (asker: Asker) => Promise<readonly Reply[]>) {
  const key = `${who}: ${question}`
  const known = plainAnswers.get(key)
  if (known !== undefined) return known
  const answer = ask(asker)
  plainAnswers.set(key, answer)
  return answer
}

const cases = changes.flatMap(({ what, only, make }) =>
  askers
    .filter(([, door]) => only === undefined || door === only)
    .map(([person, door]) => ({ what, person, door, make })),
)

test.each(cases)(
  'the $person is told over $door what they are told without $what',
  { timeout: walkLimitMs },
  async ({ make, person, door }) => {
    const changed = await make()
    onTestFinished(() => changed.server.stop())
    const [asker, plainAsker] = [askerOn(changed, person, door), askerOn(plain, person, door)]
    const found: string[] = []
    const compare = async (question: string, ask: (asker: Asker) => Promise<readonly Reply[]>): Promise<void> => {
      const [withIt, withoutIt] = [await ask(asker), await replyWithout(`${person} ${door}`, plainAsker, question, ask)]
      cost.add(withIt.length)
      found.push(...differences(comparable(withIt), comparable(withoutIt)))
    }
    const questions = questionsOf(changed, door)
    for (const question of questions) await compare(sayQuestion(question), ({ ask }) => ask(question))
    await compare('beside tools', ({ askBesideTools }) => askBesideTools())
    expect(questions.length).toBeGreaterThan(400)
    expect(found.slice(0, 12)).toEqual([])
  },
)

type Answers = ReadonlyMap<string, string>

/** Without the hour of the computer's own clock, which Node writes above each answer. */
function comparable(replies: readonly Reply[]): Answers {
  const bare = (text: string): string => text.replace(/"date":"[^"]*",?/, '')
  return new Map(replies.map(({ question, text }) => [question, bare(text)]))
}

/** The questions that are answered differently, from where the answers part; an absent one is a page more or less. */
function differences(one: Answers, other: Answers): readonly string[] {
  const keys = new Set([...one.keys(), ...other.keys()])
  const parted = [...keys].filter((key) => one.get(key) !== other.get(key))
  return parted.map((key) => parting(key, one.get(key), other.get(key)))
}

function parting(key: string, one = '(not asked)', other = '(not asked)'): string {
  let at = 0
  while (one[at] === other[at]) at += 1
  const [from, to] = [Math.max(0, at - 80), at + 80]
  return `${key}\n  with:    ${one.slice(from, to)}\n  without: ${other.slice(from, to)}`
}
