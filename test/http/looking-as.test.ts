import { expect, test } from 'vitest'
import { throughEyes } from '../../src/kernel/looking-as.ts'
import type { AnyOperation } from '../../src/kernel/operation.ts'
import type { LiveEvent } from '../../src/live/hub.ts'
import { walkLimitMs } from '../support/long.ts'
import { addressOf, declaredIn, isCatalogued, restCall } from '../support/matrix.ts'
import { shareWorld } from '../support/shared-world.ts'
import type { CallerName, TestWorld } from '../support/world.ts'

// A Dungeon Master looks through the eyes of a player: what the server answers is what that player gets, to the letter, but
// for what is the player's alone, which is not there. Nobody else may, and nothing is changed that way.

const shared = shareWorld()

const asPlayer = (world: TestWorld): string => `viewAs=${world.id('member player')}`

function readsOf(world: TestWorld): readonly AnyOperation[] {
  const operations = declaredIn(world).flatMap(({ declared, door }) =>
    door === 'rest' && isCatalogued(declared) && declared.effect === 'read' ? [declared] : [],
  )
  // `get_me` says which credential asks, and that is the Dungeon Master's.
  return operations.filter(
    ({ name, route, secretAnswer }) => route.startsWith('GET ') && secretAnswer !== true && name !== 'get_me',
  )
}

async function read(world: TestWorld, who: CallerName, operation: AnyOperation, through = false) {
  const input = operation.example(world) as Readonly<Record<string, unknown>>
  const looking = through ? { viewAs: world.id('member player') } : {}
  const { status, body } = await restCall(world.callers[who], operation, { ...input, ...looking })
  return { status, body }
}

/** Every value that is no object, with where it stands, apart from places in a list. */
function leavesOf(value: unknown, path = ''): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((each) => leavesOf(each, path))
  if (value === null || typeof value !== 'object') return [`${path} ${String(value)}`]
  return Object.entries(value).flatMap(([key, each]) => leavesOf(each, `${path}.${key}`))
}

/** What of somebody is theirs alone, whichever answer it is in: these differ, and never say more than the player gets. */
const theirsAlone: readonly string[] = [
  'list_notes',
  'list_notifications',
  'search_campaign',
  'list_recent_changes',
  'list_mentions',
  'list_members',
  'get_campaign_summary',
  'list_campaigns',
]

test(
  'every answer is the player’s own, but for what is theirs alone',
  shared.alone(async (world) => {
    const differing: string[] = []
    for (const operation of readsOf(world)) {
      const own = await read(world, 'player', operation)
      const through = await read(world, 'dm', operation, true)
      expect(through.status, operation.name).toBe(own.status)
      if (JSON.stringify(through.body) === JSON.stringify(own.body)) continue
      differing.push(operation.name)
      const theirs = new Set(leavesOf(own.body))
      const more = leavesOf(through.body).filter(
        (leaf) => !theirs.has(leaf) && !/(null|unreadCount \d+|count \d+)$/i.test(leaf),
      )
      expect(more, operation.name).toEqual([])
    }
    expect(differing.filter((name) => !theirsAlone.includes(name))).toEqual([])
  }),
  walkLimitMs,
)

test(
  'private notes and whispers of others stay theirs, those to oneself are there',
  shared.alone(async (world) => {
    const campaignId = world.id('campaign')
    await world.as('player', 'send_whisper', {
      campaignId,
      body: 'I shall tell the DM alone.',
      recipientUserId: world.userId.dm,
    })
    const { body } = await world.callers.dm.get(`/api/v1/campaigns/${campaignId}/notes?${asPlayer(world)}&limit=200`)
    const texts = body.items.map(({ body, excerpt }: { body?: string; excerpt?: string }) => body ?? excerpt)
    expect(texts).toContain('I owe the clerk a coin.')
    expect(texts).toContain('I shall tell the DM alone.')
    expect(texts).not.toContain('I do not trust Marta.')
    for (const note of ['private', 'whisper'])
      expect((await world.callers.dm.get(`/api/v1/notes/${world.id('note', note)}?${asPlayer(world)}`)).status).toBe(
        404,
      )
    const found = await world.callers.dm.get(
      `/api/v1/campaigns/${campaignId}/search?query=trust%20Marta&${asPlayer(world)}`,
    )
    expect(found.status).toBe(200)
    expect(found.text).not.toContain('I do not trust')
  }),
)

test(
  'nothing is changed that way',
  shared.alone(async (world) => {
    for (const { declared, door } of declaredIn(world)) {
      if (door !== 'rest' || !isCatalogued(declared) || declared.effect === 'read') continue
      const { method, path, rest } = addressOf(declared, declared.example(world))
      const body = method === 'DELETE' ? undefined : rest
      const { status, body: answer } = await world.callers.dm.request(method, `${path}?${asPlayer(world)}`, body)
      expect([status, answer.error?.status], declared.name).toEqual([status, status])
      expect([400, 401, 403, 415], declared.name).toContain(status)
    }
    const quest = `/api/v1/quests/${world.id('quest')}/status?${asPlayer(world)}`
    const refused = await world.callers.dm.request('PUT', quest, { status: 'completed' })
    expect([refused.status, refused.body.error.code]).toEqual([403, 'write_mode'])
  }),
  walkLimitMs,
)

test(
  'only a person looks so who is a Dungeon Master of that campaign, and only at who plays in it',
  shared.alone(async (world) => {
    const quests = `/api/v1/campaigns/${world.id('campaign')}/quests`
    const statuses: Record<string, number> = {}
    for (const name of ['anonymous', 'outsider', 'viewer', 'player', 'otherPlayer', 'capped', 'oauth'] as const)
      statuses[name] = (await world.callers[name].get(`${quests}?${asPlayer(world)}`)).status
    expect(statuses).toEqual({
      anonymous: 401,
      outsider: 404,
      viewer: 403,
      player: 403,
      otherPlayer: 403,
      capped: 403,
      oauth: 403,
    })
    const ask = async (viewAs: string) => (await world.callers.dm.get(`${quests}?viewAs=${viewAs}`)).status
    expect(await ask('x')).toBe(400)
    expect(await ask('999999')).toBe(404)
    expect(await ask(String(world.id('member coDm')))).toBe(403)
    // A player of theirs is looked through in their campaign alone.
    const other = await world.as('player', 'create_campaign', { name: 'A tale of their own' })
    expect((await world.callers.dm.get(`/api/v1/campaigns/${other.id}/quests?${asPlayer(world)}`)).status).toBe(404)
    expect((await world.callers.dm.get(`/api/v1/tokens?${asPlayer(world)}`)).status).toBe(403)
    expect(
      (await world.callers.dm.get(`/api/v1/attachments/${world.id('attachment')}/file?${asPlayer(world)}`)).status,
    ).toBe(403)
  }),
)

test(
  'live events tell of what the player sees, and end when the one who looks is no Dungeon Master any more',
  shared.alone(async (world) => {
    const { app } = world.server
    const campaignId = world.id('campaign')
    const real = {
      userId: world.userId.dm,
      username: 'dm',
      admin: false,
      credential: {
        kind: 'session',
        id: 1,
        scope: 'dm',
        campaignId: null,
        writeMode: 'direct',
        clientId: null,
        toolsets: null,
      },
    } as const
    const operation = app.system().operations.get('get_campaign') as AnyOperation
    const call = { door: 'rest', idempotencyKey: null, reason: null, requestId: 'looking' } as const
    const looking = { ...call, actor: real, viewAs: world.id('member player') }
    const { actor: eyes } = app.system().view((unit) => throughEyes(unit, operation, looking))
    const heard: string[] = []
    let ended = false
    app.hub.subscribe(
      {
        actor: real,
        eyes,
        campaignId,
        send: ({ kind, entityType, entityId }: LiveEvent) => void heard.push(`${kind} ${entityType} ${entityId}`),
        close: () => {
          ended = true
        },
      },
      null,
    )
    const npcId = world.id('npc')
    const hiddenId = world.id('npc', 'hidden')
    await world.as('dm', 'update_npc', { npcId: hiddenId, role: 'Nobody knows' })
    await world.as('player', 'create_note', { campaignId, body: 'Mine alone.', visibility: 'private' })
    expect(heard).toEqual([])
    await world.as('dm', 'update_npc', { npcId, role: 'Clerk' })
    expect(heard).toEqual([`changed npc ${npcId}`])
    const { items } = await world.as('coDm', 'list_members', { campaignId })
    const dm = items.find(({ userId }: { userId: number }) => userId === real.userId)
    await world.as('coDm', 'update_member', { memberId: dm.id, role: 'player' })
    expect(ended).toBe(true)
  }),
)
