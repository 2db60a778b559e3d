import { expect, test } from 'vitest'
import { operations } from '../../src/catalogue.ts'
import type { Answer, Caller } from '../support/callers.ts'
import { restCall } from '../support/matrix.ts'
import { shareWorld } from '../support/shared-world.ts'
import type { TestWorld } from '../support/world.ts'

// The consent truth table (SPEC 2.2, 3 and appendix): policy x consent x door x kind of text x whose it is. What leaves at a
// door is what `leaves` says, a small model of its own that knows nothing of the code; each text holds a word of its own.

const policies = ['member_consent', 'disabled'] as const
const doors = ['web session', 'personal token, REST', 'OAuth, REST', 'MCP with a token', 'MCP with OAuth'] as const
type Door = (typeof doors)[number]
const authors = ['another member', 'the reader'] as const

interface Case {
  readonly policy: (typeof policies)[number]
  /** Whether the author agreed. */
  readonly consent: boolean
  readonly door: Door
  readonly kind: Kind
  readonly author: (typeof authors)[number]
}

const isOverMcp = (door: Door): boolean => door.startsWith('MCP')

/** The model. */
function leaves({ policy, consent, door, kind, author }: Case): boolean {
  // A person reads what a person may read; the policy and consent are about outside AI.
  if (door === 'web session' || door === 'personal token, REST') return true
  const isGiven = policy === 'member_consent' && consent
  // Material for a recap and for preparation is of authors who agreed, its own person included (appendix 1 and 3).
  if (kind === 'recap draft' || kind === 'prep' || kind === 'prompt') return isGiven
  if (author === 'the reader') return true
  // A whisper is between two people, whatever one of them agreed to.
  return kind === 'whisper' ? false : isGiven
}

/** What says whether the texts left: where a kind has no text of its own, a number or an event is what leaves of it. */
interface Seen {
  readonly has: boolean
  /** Everything that came back, for the message of a failure. */
  readonly text: string
}
interface Place {
  readonly world: TestWorld
  readonly caller: Caller
  readonly door: Door
  readonly author: (typeof authors)[number]
}

const slug = (author: string): string => (author === 'the reader' ? 'reader' : 'other')
const word = (kind: string, author: string): string => `zc${kind.replaceAll(/\W/g, '')}${slug(author)}`
const idOf = (world: TestWorld, kind: string, author: string): number => world.id(`table ${kind}`, slug(author))

/** Reads an operation at a door, as its caller. */
async function read({ world, caller, door }: Place, name: string, input: Readonly<Record<string, unknown>>) {
  const asked = {
    ...('campaignId' in (operations.get(name)?.input.shape ?? {}) ? { campaignId: world.id('campaign') } : {}),
    ...input,
  }
  if (isOverMcp(door)) {
    const { content, answer } = await caller.tool(name, asked)
    return { body: content, text: answer.text }
  }
  return restCall(caller, operations.get(name) as NonNullable<ReturnType<typeof operations.get>>, asked)
}

const holding = (found: string) => (answer: Pick<Answer, 'text'>) => ({
  has: answer.text.includes(found),
  text: answer.text,
})
type Look = (place: Place) => Promise<Seen>
const listing =
  (kind: string, name: string, input: Readonly<Record<string, unknown>> = {}): Look =>
  async (place) =>
    holding(word(kind, place.author))(await read(place, name, input))
/** What is asked about the row of the kind itself. */
const about =
  (kind: string, name: string, member: string): Look =>
  async (place) =>
    holding(word(kind, place.author))(await read(place, name, { [member]: idOf(place.world, kind, place.author) }))

const asksPrompt: Look = async ({ world, caller, author }) => {
  const texts: string[] = []
  for (const name of ['recap-writer', 'session-prep'])
    texts.push(
      (await caller.mcp('prompts/get', { name, arguments: { campaignId: String(world.id('campaign')) } })).text,
    )
  const found = texts.map((text) => text.includes(word('inbox', author)))
  if (found[0] !== found[1]) throw new Error('the two prompts differ')
  return { has: found[0] === true, text: texts.join('\n') }
}
const readsResource: Look = async ({ world, caller, author }) => {
  const uri = `talekeeper://campaigns/${world.id('campaign')}/summary`
  const { body, text } = await caller.mcp('resources/read', { uri })
  const { openInboxItems } = JSON.parse(body.result.contents[0].text)
  return { has: countsTheirs(openInboxItems, author), text }
}
/** The reader has one open item and the other member two, so that a number tells whose are in it. */
const countsTheirs = (count: number, author: string): boolean =>
  author === 'the reader' ? count % 2 === 1 : count >= 2

/** What is read of each kind, in every way that there is. Which doors have it, where not all. */
const kinds = {
  note: { looks: [listing('note', 'list_notes'), about('note', 'get_note', 'noteId')] },
  'note to the DM': { looks: [listing('dmnote', 'list_notes', { visibility: 'dm' })] },
  // Of one's own words nobody is told.
  notice: {
    looks: [
      (place: Place) =>
        listing('inbox', place.author === 'the reader' ? 'list_inbox_items' : 'list_notifications', { limit: 200 })(
          place,
        ),
    ],
  },
  wish: { looks: [listing('wish', 'list_support_preferences')] },
  // What a player keeps on their character for themself and the Dungeon Master.
  'notes on a character': {
    looks: [about('sheet', 'get_character', 'characterId'), listing('sheet', 'list_characters', { view: 'full' })],
  },
  inbox: {
    looks: [listing('inbox', 'list_inbox_items'), about('inbox', 'get_inbox_item', 'inboxItemId')],
  },
  whisper: {
    looks: [
      listing('whisper', 'list_notes', { visibility: 'whisper' }),
      about('whisper', 'get_note', 'noteId'),
      (place: Place) =>
        place.author === 'the reader'
          ? listing('whisper', 'list_notes', { visibility: 'whisper' })(place)
          : listing('whisper', 'list_notifications', { limit: 200 })(place),
    ],
  },
  'search snippet': {
    looks: [
      ...['note', 'inbox', 'dmnote'].map(
        (kind): Look =>
          async (place) => {
            const found = await read(place, 'search_campaign', { query: word(kind, place.author) })
            return { has: found.body.items.length > 0, text: found.text }
          },
      ),
      async (place: Place) => {
        const found = await read(place, 'list_notes', { query: word('note', place.author) })
        return { has: found.body.items.length > 0, text: found.text }
      },
    ],
  },
  mention: {
    looks: [
      async (place: Place) =>
        holding(word('note', place.author))(
          await read(place, 'list_mentions', { entityType: 'npc', entityId: place.world.id('npc'), limit: 200 }),
        ),
      async (place: Place) =>
        holding(word('note', place.author))(await read(place, 'get_npc', { npcId: place.world.id('npc') })),
    ],
  },
  summary: {
    looks: [
      async (place: Place) => {
        const { body, text } = await read(place, 'get_campaign_summary', {})
        return { has: countsTheirs(body.openInboxItems, place.author), text }
      },
      async (place: Place) => {
        const { body, text } = await read(place, 'list_recent_changes', {
          since: '1970-01-01T00:00:00.000Z',
          limit: 200,
        })
        const id = idOf(place.world, 'note', place.author)
        const changes: readonly { readonly entityType: string; readonly entityId: number }[] = body.items
        return { has: changes.some(({ entityType, entityId }) => entityType === 'note' && entityId === id), text }
      },
    ],
  },
  prep: { looks: [listing('inbox', 'get_session_prep')] },
  'recap draft': {
    looks: [
      listing('inbox', 'draft_session_recap'),
      listing('note', 'draft_session_recap'),
      // What the scribe found, kept with its run.
      ...['inbox', 'note'].map(
        (kind): Look =>
          async (place) => {
            const scribeRunId = place.world.id('scribe_run', 'table')
            return holding(word(kind, place.author))(await read(place, 'get_scribe_run', { scribeRunId }))
          },
      ),
    ],
  },
  'proposal text': {
    looks: [
      listing('proposal', 'list_proposals', { view: 'full' }),
      about('proposal', 'get_proposal', 'proposalId'),
      listing('reason', 'list_proposals'),
      // The reason stands in the history of the campaign as well.
      listing('reason', 'list_audit_records', { operation: 'update_npc' }),
    ],
  },
  'earlier text': {
    looks: [
      async (place: Place) => {
        const auditRecordId = idOf(place.world, 'inbox record', place.author)
        return holding(word('inbox', place.author))(await read(place, 'get_audit_record', { auditRecordId }))
      },
    ],
  },
  resource: { looks: [readsResource], only: isOverMcp },
  prompt: { looks: [asksPrompt], only: isOverMcp },
} as const satisfies Readonly<
  Record<string, { readonly looks: readonly Look[]; readonly only?: (door: Door) => boolean }>
>

type Kind = keyof typeof kinds | 'live event'

const shared = shareWorld()

/** Texts of every kind, by another member and by the reader, who is the Dungeon Master. */
async function write(world: TestWorld): Promise<void> {
  const { as, userId, callers } = world
  const campaignId = world.id('campaign')
  // What the sample table holds already is of nobody whose word is looked for.
  for (const { id } of (await as('dm', 'list_inbox_items', { campaignId, status: 'open', limit: 200 })).items)
    await as('dm', 'resolve_inbox_item', { inboxItemId: id })
  for (const author of authors) {
    const person = author === 'the reader' ? 'dm' : 'otherPlayer'
    const name = (kind: string, { id }: { readonly id: number }): void => world.name(id, `table ${kind}`, slug(author))
    const body = (kind: string): string => `${word(kind, author)} [Marta](npc:${world.id('npc')})`
    const note = (kind: string, visibility: string) =>
      as(person, 'create_note', { campaignId, body: body(kind), visibility })
    name('note', await note('note', 'party'))
    name('dmnote', await note('dmnote', 'dm'))
    const recipientUserId = person === 'dm' ? userId.otherPlayer : userId.dm
    name('whisper', await as(person, 'send_whisper', { campaignId, recipientUserId, body: word('whisper', author) }))
    const sheet = await as(person, 'create_character', {
      campaignId,
      name: 'A lamplighter',
      notes: word('sheet', author),
    })
    await as('dm', 'assign_character', { characterId: sheet.id, userId: userId[person] })
    name('sheet', sheet)
    name('inbox', await as(person, 'submit_inbox_item', { campaignId, body: body('inbox') }))
    const { items } = await as('dm', 'list_audit_records', { campaignId, operation: 'submit_inbox_item', limit: 1 })
    world.name(items[0].id, 'table inbox record', slug(author))
    const asker = person === 'dm' ? world.token('dm', { writeMode: 'propose' }) : callers.otherPlayer
    const npc = `/api/v1/npcs/${world.id('npc')}`
    const asked = await asker.request(
      'PATCH',
      npc,
      { voice: word('proposal', author) },
      { 'x-reason': word('reason', author) },
    )
    name('proposal', asked.body.proposal)
  }
  await as('otherPlayer', 'submit_inbox_item', { campaignId, body: 'one more' })
  // A recap is of what came before the session that it is of ends.
  await as('dm', 'create_session', { campaignId, title: 'The table', status: 'played' })
  world.name((await as('dm', 'run_scribe', { campaignId })).id, 'scribe_run', 'table')
}

const settings = policies.flatMap((policy) =>
  [false, true].flatMap((other) => [false, true].map((reader) => ({ policy, other, reader }))),
)

async function set(world: TestWorld, { policy, other, reader }: (typeof settings)[number]): Promise<void> {
  const campaignId = world.id('campaign')
  await world.as('otherPlayer', 'set_my_ai_consent', { campaignId, consent: other })
  await world.as('dm', 'set_my_ai_consent', { campaignId, consent: reader })
  // The yes to a wish is one of its own: it is put as the general one here, so that the model is the same.
  for (const [person, author, aiUseAllowed] of [
    ['otherPlayer', 'another member', other],
    ['dm', 'the reader', reader],
  ] as const) {
    const text = word('wish', author)
    await world.as(person, 'set_my_support_preference', { campaignId, text, sharedWithDm: true, aiUseAllowed })
  }
  await world.as('dm', 'update_campaign_settings', { campaignId, aiContentPolicy: policy })
}

function callersOf(world: TestWorld): Readonly<Record<Door, Caller>> {
  const [token, oauth] = [world.token('dm'), world.oauth('dm')]
  return {
    'web session': world.session('dm'),
    'personal token, REST': token,
    'OAuth, REST': oauth,
    'MCP with a token': token,
    'MCP with OAuth': oauth,
  }
}

test.each(settings)('policy $policy, the other agreed: $other, the reader agreed: $reader', (setting) =>
  shared.alone(async (world) => {
    await write(world)
    await set(world, setting)
    const callers = callersOf(world)
    const wrong: string[] = []
    let compared = 0
    for (const [kind, { looks, ...rest }] of Object.entries(kinds)) {
      for (const door of doors) {
        if ('only' in rest && !rest.only(door)) continue
        for (const author of authors) {
          const consent = author === 'the reader' ? setting.reader : setting.other
          const expected = leaves({ policy: setting.policy, consent, door, kind: kind as Kind, author })
          for (const [index, look] of looks.entries()) {
            const { has, text } = await look({ world, caller: callers[door], door, author })
            compared += 1
            if (has !== expected)
              wrong.push(
                `${kind} (${index}) of ${author} at ${door}: ${has ? 'left' : 'stayed'}\n  ${text.slice(0, 300)}`,
              )
          }
        }
      }
    }
    expect(wrong).toEqual([])
    expect(compared).toBeGreaterThan(200)
  })(),
)

test.each(settings)('live events under $policy, the other agreed: $other, the reader agreed: $reader', (setting) =>
  shared.alone(async (world) => {
    await set(world, setting)
    const { hub, transfers } = world.server.app
    const declared = transfers.find(({ name }) => name === 'campaign_events')
    if (declared === undefined) throw new Error('there are no live events')
    // MCP has no stream of its own.
    const listening = doors.filter((door) => !isOverMcp(door))
    const callers = callersOf(world)
    const campaignId = world.id('campaign')
    const streams = listening.map((door) => restCall(callers[door], declared, { campaignId }))
    while (hub.count() < listening.length) await new Promise(setImmediate)
    const ids = new Map<string, number>()
    for (const author of authors) {
      const person = author === 'the reader' ? 'dm' : 'otherPlayer'
      ids.set(author, (await world.as(person, 'submit_inbox_item', { campaignId, body: 'heard' })).id)
    }
    hub.endAll()
    const heard = (await Promise.all(streams)).map(({ text }) => text)
    for (const [index, door] of listening.entries()) {
      for (const author of authors) {
        const consent = author === 'the reader' ? setting.reader : setting.other
        const expected = leaves({ policy: setting.policy, consent, door, kind: 'live event', author })
        const event = `"entityType":"inbox_item","entityId":${ids.get(author)},`
        expect([door, author, heard[index]?.includes(event)]).toEqual([door, author, expected])
      }
    }
  })(),
)

test('what is withheld is counted and explained, and nobody is named', () =>
  shared.alone(async (world) => {
    await write(world)
    for (const [policy, hint] of [
      ['member_consent', 'pending author consent'],
      ['disabled', 'this campaign gives none to an outside AI'],
    ] as const) {
      await set(world, { policy, other: false, reader: false })
      for (const door of ['OAuth, REST', 'MCP with a token', 'MCP with OAuth'] as const) {
        const place: Place = { world, caller: callersOf(world)[door], door, author: 'another member' }
        for (const [name, input] of [
          ['list_notes', {}],
          ['list_inbox_items', {}],
          ['list_proposals', {}],
          ['search_campaign', { query: 'nothing' }],
          ['list_mentions', { entityType: 'npc', entityId: world.id('npc') }],
          ['list_recent_changes', {}],
          ['get_campaign_summary', {}],
          ['get_character', { characterId: idOf(world, 'sheet', 'another member') }],
        ] as const) {
          const { body } = await read(place, name, input)
          expect(body.withheld, `${name} at ${door}`).toBeGreaterThan(0)
          expect(body.withheldMessage).toContain(hint)
          expect(body.withheldMessage).not.toContain('otherPlayer')
        }
        for (const name of ['draft_session_recap', 'get_session_prep'])
          expect((await read(place, name, {})).body.consent.withheld, `${name} at ${door}`).toBeGreaterThan(0)
      }
      const person: Place = { world, caller: world.session('dm'), door: 'web session', author: 'another member' }
      expect((await read(person, 'list_notes', {})).body).not.toHaveProperty('withheld')
    }
  })())

// An oracle: which words stand in what is withheld is not to be counted out.
test('a search tells as many withheld texts whatever it looks for', () =>
  shared.alone(async (world) => {
    await write(world)
    await set(world, { policy: 'member_consent', other: false, reader: false })
    const caller = world.token('dm')
    const withheld = async (query: string): Promise<number> =>
      (await caller.tool('search_campaign', { campaignId: world.id('campaign'), query })).content.withheld
    expect(await withheld(word('note', 'another member'))).toBe(await withheld('nothingatall'))
  })())

test('an answer to a person is not replayed at a door where less may leave', () =>
  shared.alone(async (world) => {
    await write(world)
    const caller = world.token('dm')
    const inboxItemId = idOf(world, 'inbox', 'another member')
    const found = word('inbox', 'another member')
    const path = `/api/v1/inbox-items/${inboxItemId}/resolve`
    const done = await caller.request('POST', path, {}, { 'idempotency-key': 'one-key' })
    expect([done.status, done.text.includes(found)]).toEqual([200, true])
    const replayed = await caller.mcp('tools/call', {
      name: 'resolve_inbox_item',
      arguments: { inboxItemId },
      _meta: { 'talekeeper/idempotencyKey': 'one-key' },
    })
    expect(replayed.text).not.toContain(found)
    const again = await caller.request('POST', path, {}, { 'idempotency-key': 'one-key' })
    expect([again.status, again.body]).toEqual([200, done.body])
  })())
