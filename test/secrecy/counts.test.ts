import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { rolledBack } from '../support/matrix.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { buildWorld, type TestWorld } from '../support/world.ts'
import { addHiddenThings, addOpenThings, type OpenThings } from './content.ts'
import { type Question, questionsOf } from './questions.ts'
import { renewed, walk } from './walk.ts'

// The count test: what a player is told in a campaign with hidden things is what they would be told in the same campaign
// without them, in every count, order, page, search and error. Both are one database at two points: with the hidden things,
// and after the transaction that made them is rolled back, so that all ids and times agree by themselves.

const people = ['viewer', 'player'] as const
const doors = ['rest', 'mcp'] as const
type Answers = ReadonlyMap<string, string>

let server: TestServer
let world: TestWorld
let open: OpenThings
let calls = 0

beforeAll(async () => {
  server = await startServer()
  world = await buildWorld(server)
  open = await addOpenThings(world)
})
afterAll(async () => {
  console.log(`counts: ${calls} calls, each answer compared with its twin`)
  await server.stop()
})

/** Every answer of the campaign after `change`, to questions that know of everything which the change makes. */
async function collectAnswers(
  person: (typeof people)[number],
  door: (typeof doors)[number],
  change: () => Promise<void>,
  asked?: readonly Question[],
): Promise<{ readonly answers: Answers; readonly questions: readonly Question[] }> {
  const answers = new Map<string, string>()
  const questions: Question[] = []
  // Made before the transaction: the ids of tokens that are rolled back come again, and with them their count of calls.
  const caller = door === 'rest' ? () => world.callers[person] : renewed(world, person, 4)
  await rolledBack(world, async () => {
    await change()
    questions.push(...(asked ?? questionsOf(world, door)))
    const onReply = ({ question, text }: { readonly question: string; readonly text: string }): void => {
      answers.set(question, comparable(text))
    }
    calls += await walk(world, person, door, onReply, questions, caller)
  })
  return { answers, questions }
}

/** Without the hour of the computer's own clock, which Node writes above each answer. */
function comparable(text: string): string {
  return text.replace(/"date":"[^"]*",?/, '')
}

/** The first questions that are answered differently, from where the answers part; an absent one is a page more or less. */
function differences(one: Answers, other: Answers): readonly string[] {
  const keys = new Set([...one.keys(), ...other.keys()])
  const parted = [...keys].filter((key) => one.get(key) !== other.get(key))
  return parted.slice(0, 12).map((key) => parting(key, one.get(key), other.get(key)))
}

function parting(key: string, one = '(not asked)', other = '(not asked)'): string {
  let at = 0
  while (one[at] === other[at]) at += 1
  const [from, to] = [Math.max(0, at - 80), at + 80]
  return `${key}\n  with:    ${one.slice(from, to)}\n  without: ${other.slice(from, to)}`
}

const cases = people.flatMap((person) => doors.map((door) => [person, door] as const))

test.each(cases)('the %s is told over %s what they are told without the hidden things', async (person, door) => {
  const withThem = await collectAnswers(person, door, () => addHiddenThings(world, open))
  const without = await collectAnswers(person, door, async () => {}, withThem.questions)
  expect(withThem.answers.size).toBeGreaterThan(700)
  expect(differences(withThem.answers, without.answers)).toEqual([])
})

describe('changes that only a Dungeon Master can notice', () => {
  const secretEdits: Readonly<Record<string, () => Promise<unknown>>> = {
    'secret fields': async () => {
      const { as } = world
      await as('dm', 'update_quest', { questId: open.quest, dmSecret: 'Another secret of the lantern.' })
      await as('dm', 'update_npc', { npcId: open.npc, dmSecret: null })
      await as('dm', 'update_location', { locationId: open.location, dmSecret: null })
      await as('dm', 'update_session', { sessionId: open.session, prep: 'Another prep.', dmSecret: null })
    },
    'links to hidden things': async () => {
      const { as, id } = world
      await as('dm', 'update_quest', { questId: open.quest, giverNpcId: id('npc', 'hidden') })
      await as('dm', 'update_npc', { npcId: open.npc, portraitAttachmentId: id('attachment', 'hidden') })
      await as('dm', 'update_location', { locationId: open.location, imageAttachmentId: id('attachment', 'hidden') })
      await as('dm', 'update_campaign', { campaignId: open.campaignId, currentLocationId: id('location', 'hidden') })
    },
  }

  test.each(Object.entries(secretEdits))('%s', async (_, edit) => {
    for (const [person, door] of cases) {
      const after = await collectAnswers(person, door, async () => void (await edit()))
      const before = await collectAnswers(person, door, async () => {}, after.questions)
      // A row counts all its versions, since `expectedRevision` must be told of every one, and says when it was last written:
      // that something about it changed is not kept from those who see it, only what.
      const stripped = (answers: Answers): Answers =>
        new Map([...answers].map(([key, text]) => [key, text.replaceAll(/\\?"(revision|updatedAt)\\?":[^,}]+/g, '')]))
      expect(differences(stripped(after.answers), stripped(before.answers))).toEqual([])
    }
  })

  // SPEC appendix 4: members do not see each other's consent state, so not even a version number may tell of it.
  test('the consent of another member', async () => {
    for (const [person, door] of cases) {
      const consented = () =>
        world.as('otherPlayer', 'set_my_ai_consent', { campaignId: open.campaignId, consent: true })
      const after = await collectAnswers(person, door, async () => void (await consented()))
      const before = await collectAnswers(person, door, async () => {}, after.questions)
      expect(differences(after.answers, before.answers)).toEqual([])
    }
  })
})
