import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { sessionActor } from '../../src/identity/sessions.ts'
import type { LiveEvent } from '../../src/live/hub.ts'
import { asRead } from '../support/proposals.ts'
import type { TestServer } from '../support/server.ts'
import type { Person, TestWorld } from '../support/world.ts'
import { startWorld } from '../support/world-file.ts'

let server: TestServer
let world: TestWorld
beforeEach(async () => {
  world = await startWorld()
  server = world.server
})
afterEach(() => server.stop())

interface Listener {
  readonly events: LiveEvent[]
  /** What came, in short: kind, type and id. */
  received(): string[]
  isOpen(): boolean
  leave(): void
}

function listen(person: Person, lastEventId: string | null = null): Listener {
  const events: LiveEvent[] = []
  let open = true
  const leave = server.app.hub.subscribe(
    {
      actor: sessionActor(world.userId[person], { id: world.userId[person], username: person, admin: false }),
      campaignId: world.id('campaign'),
      send: (event) => void events.push(event),
      close: () => {
        open = false
      },
    },
    lastEventId,
  )
  return {
    events,
    leave,
    isOpen: () => open,
    received: () =>
      events.map(({ kind, entityType, entityId }) => (kind === 'reset' ? kind : `${kind} ${entityType} ${entityId}`)),
  }
}

describe('a live event', () => {
  test('says what changed and never how', async () => {
    const player = listen('player')
    const npcId = world.id('npc')
    await world.as('dm', 'update_npc', { npcId, voice: 'Hoarse.' })
    expect(player.events).toEqual([
      {
        id: expect.stringMatching(/^[\w-]{12}$/),
        kind: 'changed',
        entityType: 'npc',
        entityId: npcId,
        revision: expect.any(Number),
      },
    ])
  })

  test('comes to those who see the thing before or after: created, hidden, revealed, deleted', async () => {
    const [dm, player] = [listen('dm'), listen('player')]
    const { id } = await world.as('dm', 'create_npc', { campaignId: world.id('campaign'), name: 'The ferryman' })
    const thing = { campaignId: world.id('campaign'), entityType: 'npc', entityId: id }
    await world.as('dm', 'hide_entity', thing)
    await world.as('dm', 'update_npc', { npcId: id, voice: 'None.' })
    await world.as('dm', 'reveal_entity', thing)
    await world.as('dm', 'delete_npc', { npcId: id })
    await world.as('dm', 'restore_from_trash', thing)
    expect(dm.received()).toEqual([
      `changed npc ${id}`,
      `changed npc ${id}`,
      `changed npc ${id}`,
      `changed npc ${id}`,
      `removed npc ${id}`,
      `changed npc ${id}`,
    ])
    expect(player.received()).toEqual([
      `changed npc ${id}`,
      `removed npc ${id}`,
      `changed npc ${id}`,
      `removed npc ${id}`,
      `changed npc ${id}`,
    ])
  })

  test('of a secret member comes to the DM alone', async () => {
    const [dm, player, viewer] = [listen('dm'), listen('player'), listen('viewer')]
    await world.as('dm', 'update_npc', { npcId: world.id('npc'), dmSecret: 'Another secret.' })
    await world.as('dm', 'update_session', { sessionId: world.id('session planned'), prep: 'Other plans.' })
    expect(dm.received()).toHaveLength(2)
    expect([player.received(), viewer.received()]).toEqual([[], []])
  })

  test('of a long text comes to who returns as it came to who stayed, and is not kept with it', async () => {
    const npcId = world.id('npc')
    const long = (word: string): string => `${word} `.repeat(3000)
    await world.as('dm', 'update_npc', { npcId, body: long('pear'), dmSecret: long('wasp') })
    const people = ['dm', 'player', 'viewer'] as const
    const stayed = people.map((person) => listen(person))
    await world.as('dm', 'update_npc', { npcId, voice: 'Hoarse.' })
    const last = stayed[1]?.events.at(-1)?.id as string
    await world.as('dm', 'update_npc', { npcId, body: long('plum') })
    await world.as('dm', 'update_npc', { npcId, dmSecret: long('hornet') })
    await world.as('dm', 'update_npc', { npcId, tags: ['orchard'] })
    const back = people.map((person) => listen(person, last))
    expect(stayed.map(({ events }) => events.length)).toEqual([4, 3, 3])
    expect(back.map(({ events }) => events)).toEqual(stayed.map(({ events }) => events.slice(1)))
  })

  test('of a private note comes to its author, of a whisper to both its people', async () => {
    const people = ['dm', 'player', 'otherPlayer', 'viewer'] as const
    const listeners = people.map((person) => listen(person))
    const campaignId = world.id('campaign')
    const note = await world.as('player', 'create_note', { campaignId, body: 'for myself' })
    const whisper = await world.as('player', 'send_whisper', {
      campaignId,
      recipientUserId: world.userId.otherPlayer,
      body: 'psst',
    })
    expect(listeners.map((each) => each.received())).toEqual([
      [],
      [`changed note ${note.id}`, `changed note ${whisper.id}`],
      [`changed note ${whisper.id}`],
      [],
    ])
  })

  test('of somebody’s AI consent comes to them and the DM, not to other members (SPEC appendix 4)', async () => {
    const [dm, player, otherPlayer] = [listen('dm'), listen('player'), listen('otherPlayer')]
    await world.as('player', 'set_my_ai_consent', { campaignId: world.id('campaign'), consent: false })
    const change = `changed member ${world.id('member player')}`
    expect([dm.received(), player.received(), otherPlayer.received()]).toEqual([[change], [change], []])
  })

  test('of an objective under a hidden quest comes to no player', async () => {
    const player = listen('player')
    await world.as('dm', 'update_objective', { objectiveId: world.id('objective under hidden'), text: 'Steal it back' })
    await world.as('dm', 'create_objective', { questId: world.id('quest hidden'), text: 'Burn it' })
    expect(player.received()).toEqual([])
  })

  test('of another campaign does not come', async () => {
    const dm = listen('dm')
    await world.as('dm', 'create_npc', { campaignId: world.id('campaign live'), name: 'Elsewhere' })
    expect(dm.received()).toEqual([])
  })

  test('of what was rolled back does not come', async () => {
    const campaignId = world.id('campaign')
    const [applied, npcId] = [world.id('proposal'), world.id('npc')]
    const gone = (await world.as('player', 'update_npc', { npcId, voice: 'Loud.' })).proposal.id
    await world.as('dm', 'update_npc', { npcId, voice: 'Changed meanwhile.' })
    const dm = listen('dm')
    const approving = world.as('dm', 'approve_proposals', { campaignId, proposals: asRead(world, applied, gone) })
    await expect(approving).rejects.toThrow(/changed since/)
    expect(dm.received()).toEqual([])
    await world.as('dm', 'approve_proposals', { campaignId, proposals: asRead(world, applied) })
    expect(dm.received()).toEqual([
      expect.stringMatching(/^changed npc/),
      `changed proposal ${applied}`,
      expect.stringMatching(/^changed notification/),
    ])
  })
})

describe('resuming', () => {
  const change = (voice: string) => world.as('dm', 'update_npc', { npcId: world.id('npc'), voice })

  test('behind an event gives what came after it, as the subscriber sees it now', async () => {
    const first = listen('player')
    await change('One.')
    first.leave()
    await change('Two.')
    await world.as('dm', 'update_quest', { questId: world.id('quest hidden'), title: 'Secret' })
    await world.as('dm', 'update_quest', { questId: world.id('quest'), title: 'Open' })
    expect(first.events).toHaveLength(1)
    const second = listen('player', first.events[0]?.id ?? null)
    expect(second.received()).toEqual([`changed npc ${world.id('npc')}`, `changed quest ${world.id('quest')}`])
    const third = listen('player', second.events.at(-1)?.id ?? null)
    expect(third.received()).toEqual([])
  })

  test.each(['nonsense', 'AAAAAAAA.1', '', 'x.y.z', '.-1'])('behind %j, which is no place, gives reset', (id) => {
    const player = listen('player', id)
    expect(player.events).toEqual([
      { id: expect.any(String), kind: 'reset', entityType: null, entityId: null, revision: null },
    ])
    expect(player.isOpen()).toBe(true)
  })

  test('behind more than is kept gives reset, and that is a place to resume from', async () => {
    const first = listen('player')
    await change('One.')
    first.leave()
    server.app.store().connection.exec('BEGIN')
    for (let number = 0; number < 501; number += 1) await change(`Number ${number}.`)
    server.app.store().connection.exec('COMMIT')
    const second = listen('player', first.events[0]?.id ?? null)
    expect(second.received()).toEqual(['reset'])
    second.leave()
    await change('Last.')
    expect(listen('player', second.events[0]?.id ?? null).received()).toEqual([`changed npc ${world.id('npc')}`])
  })

  test('after a restore gives reset, since nothing before it is a place', async () => {
    const first = listen('player')
    await change('One.')
    server.app.hub.reset()
    expect(first.received()).toEqual([`changed npc ${world.id('npc')}`, 'reset'])
    expect(listen('player', first.events[0]?.id ?? null).received()).toEqual(['reset'])
  })
})

describe('a stream ends', () => {
  const member = () => ({ memberId: world.id('member player') })

  test('when its user gets another role, and the next one begins anew instead of ending again', async () => {
    const [player, otherPlayer] = [listen('player'), listen('otherPlayer')]
    await world.as('dm', 'update_npc', { npcId: world.id('npc'), voice: 'One.' })
    await world.as('dm', 'update_member', { ...member(), role: 'viewer' })
    expect([player.isOpen(), otherPlayer.isOpen()]).toEqual([false, true])
    expect(otherPlayer.received().at(-1)).toBe(`changed member ${world.id('member player')}`)
    await world.as('dm', 'update_npc', { npcId: world.id('npc'), voice: 'Two.' })
    expect(player.events).toHaveLength(1)
    const again = listen('player', player.events[0]?.id ?? null)
    expect([again.isOpen(), again.received()]).toEqual([true, ['reset']])
    await world.as('dm', 'update_npc', { npcId: world.id('npc'), voice: 'Three.' })
    expect(again.received()).toHaveLength(2)
  })

  test('when its user is removed or leaves', async () => {
    const player = listen('player')
    await world.as('dm', 'remove_member', member())
    expect(player.isOpen()).toBe(false)
    const viewer = listen('viewer')
    await world.as('viewer', 'leave_campaign', { campaignId: world.id('campaign') })
    expect(viewer.isOpen()).toBe(false)
    expect(server.app.hub.count()).toBe(0)
  })

  test('of a credential that ends, and of no other', () => {
    const [player, otherPlayer] = [listen('player'), listen('otherPlayer')]
    server.app.hub.endUser(world.userId.player, { kind: 'token', id: 1 })
    expect(player.isOpen()).toBe(true)
    server.app.hub.endUser(world.userId.player, { kind: 'session', id: world.userId.player })
    expect([player.isOpen(), otherPlayer.isOpen()]).toEqual([false, true])
    server.app.hub.endUser(world.userId.otherPlayer)
    expect(otherPlayer.isOpen()).toBe(false)
  })
})

describe('over HTTP', () => {
  let address: string | undefined
  beforeEach(() => {
    address = undefined
  })

  /** Reads a stream until it ends; `until` gives what was read so far. */
  async function stream(person: Person, headers: Readonly<Record<string, string>> = {}) {
    address ??= await server.app.listen()
    const { cookie } = world.session(person).headers
    const response = await fetch(`${address}/api/v1/campaigns/${world.id('campaign')}/events`, {
      headers: { cookie: cookie as string, ...headers },
    })
    let text = ''
    const decoder = new TextDecoder()
    const ended = (async () => {
      for await (const chunk of response.body ?? []) text += decoder.decode(chunk as Uint8Array, { stream: true })
    })()
    const until = async (part: string): Promise<void> => {
      await expect.poll(() => text).toContain(part)
    }
    return { response, ended, until, text: () => text }
  }

  test('events come as server-sent events with an id to resume by', async () => {
    const { response, until, text } = await stream('player')
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toContain('text/event-stream')
    expect(response.headers.get('cache-control')).toBe('no-store')
    await world.as('dm', 'update_npc', { npcId: world.id('npc'), voice: 'Hoarse.' })
    await until('event: changed')
    const [, id, data] = /id: (\S+)\nevent: changed\ndata: (.*)\n\n/.exec(text()) ?? []
    expect(JSON.parse(data as string)).toMatchObject({
      id,
      kind: 'changed',
      entityType: 'npc',
      entityId: world.id('npc'),
    })
    expect(text()).not.toContain('Hoarse')
    const again = await stream('player', { 'last-event-id': 'gone.7' })
    await again.until('event: reset')
  })

  test('a demotion ends the stream', async () => {
    const { ended } = await stream('player')
    await world.as('dm', 'update_member', { memberId: world.id('member player'), role: 'viewer' })
    await ended
  })

  test('who sees no campaign gets the answer of an absent one', async () => {
    const { response } = await stream('outsider')
    expect(response.status).toBe(404)
  })
})

describe('a stream that cannot be told', () => {
  test('fails no write: the others start anew, the log says so, and the write has happened', async () => {
    const player = listen('player')
    const isClosed = { broken: false }
    server.app.hub.subscribe(
      {
        actor: sessionActor(world.userId.dm, { id: world.userId.dm, username: 'dm', admin: false }),
        campaignId: world.id('campaign'),
        send: () => {
          throw new Error('the wire is cut')
        },
        close: () => {
          isClosed.broken = true
        },
      },
      null,
    )
    const answer = await world.callers.dm.request('PATCH', `/api/v1/npcs/${world.id('npc')}`, { voice: 'Hoarse.' })
    expect([answer.status, answer.body.voice]).toEqual([200, 'Hoarse.'])
    expect(world.row('npcs', world.id('npc'))?.voice).toBe('Hoarse.')
    expect(player.received().at(-1)).toBe('reset')
    expect(isClosed.broken).toBe(true)
    expect(server.logs()).toMatch(/"unannounced":1.*could not be told to open streams/)
    await world.as('dm', 'update_npc', { npcId: world.id('npc'), voice: 'Clear.' })
    expect(player.received().at(-1)).toBe(`changed npc ${world.id('npc')}`)
  })
})
