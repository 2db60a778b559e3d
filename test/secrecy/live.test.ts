import { expect, test } from 'vitest'
import { entities } from '../../src/catalogue.ts'
import { sessionActor } from '../../src/identity/sessions.ts'
import type { LiveEvent } from '../../src/live/hub.ts'
import { restCall } from '../support/matrix.ts'
import { shareWorld } from '../support/shared-world.ts'
import type { Person, TestWorld } from '../support/world.ts'
import { wordOf, wordsIn } from './canaries.ts'
import { addHiddenThings } from './content.ts'
import { openThings } from './worlds.ts'

// Live events say that something changed to those who can see it, and to nobody else that there is something.

const shared = shareWorld({ layer: openThings })

const watchers = ['player', 'viewer', 'dm'] as const
type Heard = Readonly<Record<(typeof watchers)[number], readonly string[]>>

/** What each watcher hears of a change, as `kind type id`. */
async function heard(world: TestWorld, change: () => Promise<unknown>): Promise<Heard> {
  const { hub } = world.server.app
  const streams = watchers.map((person) => {
    const events: string[] = []
    const actor = sessionActor(0, { id: world.userId[person], username: person, admin: false })
    const send = ({ kind, entityType, entityId }: LiveEvent): void => {
      events.push(`${kind} ${entityType} ${entityId}`)
    }
    const leave = hub.subscribe({ actor, campaignId: world.id('campaign'), send, close: () => {} }, null)
    return { person, events, leave }
  })
  await change()
  for (const { leave } of streams) leave()
  return Object.fromEntries(streams.map(({ person, events }) => [person, events])) as unknown as Heard
}

/** Operations that are not called after the kind of thing alone; `instead` makes a new one of what the example names. */
const spelled: Readonly<
  Record<
    string,
    {
      create: string
      update: string
      remove: string
      id: string
      instead?: object
      other?: object
      /** What brings it back, where removing does not put it into the trash. */
      restore?: (world: TestWorld) => Promise<unknown>
      /** What is done before players may see it at all. */
      begin?: (world: TestWorld, id: number) => Promise<unknown>
    }
  >
> = {
  pin: { create: 'create_map_pin', update: 'update_map_pin', remove: 'delete_map_pin', id: 'pinId' },
  map_token: {
    create: 'set_map_token',
    update: 'set_map_token',
    remove: 'remove_map_token',
    id: 'tokenId',
    instead: { tokenId: undefined, label: 'A stranger' },
    other: { x: 0.55 },
  },
  // What a campaign writes itself is an entry among those of packs.
  rule_entry: {
    create: 'create_homebrew',
    update: 'update_homebrew',
    remove: 'delete_homebrew',
    id: 'ruleEntryId',
  },
  inventory_item: {
    create: 'create_inventory_item',
    update: 'update_inventory_item',
    remove: 'delete_inventory_item',
    id: 'itemId',
  },
  // Nobody sees a fight that is only planned.
  encounter: {
    create: 'create_encounter',
    update: 'update_encounter',
    remove: 'delete_encounter',
    id: 'encounterId',
    begin: async ({ as }, encounterId) => {
      await as('dm', 'add_combatant', { encounterId, kind: 'monster', name: 'A stranger', hpMax: 5, hidden: true })
      await as('dm', 'begin_encounter', { encounterId })
    },
  },
  combatant: {
    create: 'add_combatant',
    update: 'update_combatant',
    remove: 'remove_combatant',
    id: 'combatantId',
    restore: async ({ as, id }) => {
      const events = await as('dm', 'list_encounter_events', { encounterId: id('encounter') })
      await as('dm', 'undo_encounter_event', { eventId: events.items[0].id })
    },
  },
}

const hideable = entities.filter(({ hide }) => hide).map(({ name }) => name)

test.each(hideable)(
  'a hidden %s is made, changed, trashed and brought back unheard, revealed and hidden heard',
  (name) =>
    shared.alone(async (world) => {
      const { as } = world
      const campaignId = world.id('campaign')
      const idMember = `${name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())}Id`
      const usual = { create: `create_${name}`, update: `update_${name}`, remove: `delete_${name}`, id: idMember }
      const names: (typeof spelled)[string] = spelled[name] ?? usual
      const operation = world.server.app.system().operations.get(names.create)
      const values = { ...(operation?.example(world) as object), ...names.instead, hidden: true }
      const change = world.server.app.system().operations.get(names.update)?.example(world) as object
      let id = 0
      const thing = () => ({ campaignId, entityType: name, entityId: id })
      const named = () => ({ [names.id]: id })
      const restore = names.restore ?? (({ as }) => as('dm', 'restore_from_trash', thing()))
      const { begin } = names
      const unheard: readonly (() => Promise<unknown>)[] = [
        async () => {
          id = (await as('dm', names.create, values)).id
        },
        () => as('dm', names.update, { ...change, ...names.other, ...named() }),
        () => as('dm', names.remove, named()),
        () => restore(world),
        ...(begin === undefined ? [] : [() => begin(world, id)]),
      ]
      for (const step of unheard) {
        const { player, viewer, dm } = await heard(world, step)
        expect([player, viewer]).toEqual([[], []])
        expect(dm).not.toEqual([])
      }
      const revealed = await heard(world, () => as('dm', 'reveal_entity', thing()))
      expect([revealed.player, revealed.viewer]).toEqual([[`changed ${name} ${id}`], [`changed ${name} ${id}`]])
      const hidden = await heard(world, () => as('dm', 'hide_entity', thing()))
      expect([hidden.player, hidden.viewer]).toEqual([[`removed ${name} ${id}`], [`removed ${name} ${id}`]])
    })(),
)

type Step = (world: TestWorld) => Promise<unknown>
const others: Readonly<Record<string, Step>> = {
  'a secret field': ({ as, id }) => as('dm', 'update_npc', { npcId: id('npc', 'canary'), dmSecret: 'Something else.' }),
  'the preparation of a session': ({ as, id }) =>
    as('dm', 'update_session', { sessionId: id('session', 'canary'), prep: 'New.' }),
  'a link to a hidden thing': ({ as, id }) =>
    as('dm', 'update_quest', { questId: id('quest', 'canary'), giverNpcId: id('npc', 'hidden') }),
  'a step of a hidden quest': ({ as, id }) =>
    as('dm', 'create_objective', { questId: id('quest', 'hidden'), text: 'Unheard.' }),
  'a step of a hidden quest done': ({ as, id }) =>
    as('dm', 'set_objective_done', { objectiveId: id('objective', 'under hidden'), done: true }),
  'a place nobody knows': ({ as, id }) =>
    as('dm', 'update_location', { locationId: id('location', 'unknown'), kind: 'shore' }),
  'a pin under fog': ({ as, id }) => as('dm', 'update_map_pin', { pinId: id('pin', 'fogged'), label: 'The old weir' }),
  'a token under fog': ({ as, id }) =>
    as('dm', 'set_map_token', { mapId: id('map'), tokenId: id('map_token', 'fogged'), x: 0.95, y: 0.95 }),
  'a private note': ({ as, id }) =>
    as('otherPlayer', 'create_note', { campaignId: id('campaign'), body: 'x', visibility: 'private' }),
  'a note to the DM': ({ as, id }) =>
    as('otherPlayer', 'create_note', { campaignId: id('campaign'), body: 'x', visibility: 'dm' }),
  'a whisper of others': ({ as, id, userId }) =>
    as('otherPlayer', 'send_whisper', { campaignId: id('campaign'), recipientUserId: userId.coDm, body: 'x' }),
  'an inbox item of somebody else': ({ as, id }) =>
    as('otherPlayer', 'submit_inbox_item', { campaignId: id('campaign'), body: 'x' }),
  'a proposal of somebody else': ({ as, id }) =>
    as('otherPlayer', 'create_proposal', {
      campaignId: id('campaign'),
      changes: [{ operation: 'create_npc', input: { name: 'x' } }],
    }),
  'an invite': ({ as, id }) => as('dm', 'create_invite', { campaignId: id('campaign') }),
  // SPEC appendix 4.
  'the consent of another member': ({ as, id }) =>
    as('otherPlayer', 'set_my_ai_consent', { campaignId: id('campaign'), consent: true }),
  'another campaign': ({ as, id }) =>
    as('dm', 'create_npc', { campaignId: id('campaign', 'bound'), name: 'Somebody else' }),
}

test.each(Object.entries(others))('%s changes unheard', (_, step) =>
  shared.alone(async (world) => {
    const { player, viewer } = await heard(world, () => step(world))
    expect([player, viewer]).toEqual([[], []])
  })(),
)

const audible: Readonly<Record<string, readonly [Step, Partial<Record<Person, number>>]>> = {
  'a public field': [
    ({ as, id }) => as('dm', 'update_npc', { npcId: id('npc', 'canary'), voice: 'Low' }),
    { player: 1, viewer: 1, dm: 1 },
  ],
  'one’s own consent': [
    ({ as, id }) => as('player', 'set_my_ai_consent', { campaignId: id('campaign'), consent: true }),
    { player: 1, viewer: 0, dm: 1 },
  ],
  'a whisper to the viewer': [
    ({ as, id, userId }) =>
      as('otherPlayer', 'send_whisper', { campaignId: id('campaign'), recipientUserId: userId.viewer, body: 'x' }),
    { player: 0, viewer: 1, dm: 0 },
  ],
  'a place that becomes known': [
    ({ as, id }) =>
      as('dm', 'set_location_discovery', { locationId: id('location', 'unknown'), discovery: 'rumoured' }),
    { player: 1, viewer: 1, dm: 1 },
  ],
  'a link to a thing that all see': [
    ({ as, id }) => as('dm', 'update_quest', { questId: id('quest', 'canary'), giverNpcId: id('npc', 'canary') }),
    { player: 1, viewer: 1, dm: 1 },
  ],
}

test.each(Object.entries(audible))('%s is heard by whom it concerns', (_, [step, counts]) =>
  shared.alone(async (world) => {
    const events = await heard(world, () => step(world))
    expect(Object.fromEntries(Object.entries(events).map(([person, list]) => [person, list.length]))).toEqual(counts)
  })(),
)

test('a stream holds no word, also when it is taken up again', () =>
  shared.alone(async (world) => {
    const { hub, transfers } = world.server.app
    const declared = transfers.find(({ name }) => name === 'campaign_events')
    if (declared === undefined) throw new Error('there are no live events')
    const input = { campaignId: world.id('campaign') }
    const waiting = watchers.map((person) => restCall(world.callers[person], declared, input))
    while (hub.count() < watchers.length) await new Promise(setImmediate)
    await addHiddenThings(world)
    await world.as('dm', 'update_npc', { npcId: world.id('npc', 'canary'), body: wordOf('npc body'), voice: 'Another' })
    hub.endAll()
    const texts = (await Promise.all(waiting)).map(({ text }) => text)
    expect(texts.map((text) => [...wordsIn(text)])).toEqual([[], [], []])
    const types = texts.map((text) => Array.from(text.matchAll(/"entityType":"(\w+)"/g), ([, type]) => type))
    // Of all that was made, the player and the viewer hear of a party note that came and went, and of the public change.
    const noticed = ['note', 'note', 'npc']
    expect(types.slice(0, 2)).toEqual([noticed, noticed])
    expect(types[2]?.length).toBeGreaterThan(10)
    const first = /"id":"(\S+?)\./.exec(texts[0] ?? '')?.[1]
    const { player } = world.callers
    const again = player.request('GET', `/api/v1/campaigns/${world.id('campaign')}/events`, undefined, {
      'last-event-id': `${first}.1`,
    })
    while (hub.count() === 0) await new Promise(setImmediate)
    hub.endAll()
    const { text } = await again
    expect([...wordsIn(text)]).toEqual([])
    expect(text).not.toMatch(/invite|hidden/)
  })())
