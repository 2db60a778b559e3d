import { describe, expect, test } from 'vitest'
import type { Caller } from '../support/callers.ts'
import { shareWorld } from '../support/shared-world.ts'
import type { TestWorld } from '../support/world.ts'

// Decisions of a person (SPEC 2.2 and 3): a machine is told which page to open. Taking them back is open to everybody.

const { alone } = shareWorld()

interface Decision {
  readonly tool: string
  readonly method: string
  readonly path: string
  readonly on: Readonly<Record<string, unknown>>
  readonly off: Readonly<Record<string, unknown>>
  readonly page: string
  readonly state: (world: TestWorld) => unknown
}

const membership = (world: TestWorld) =>
  world.server.app.store().get('SELECT ai_consent FROM memberships WHERE campaign_id = @campaign AND user_id = @user', {
    campaign: world.id('campaign'),
    user: world.userId.dm,
  })?.ai_consent

const decisions = {
  'a member’s AI consent': (world): Decision => ({
    tool: 'set_my_ai_consent',
    method: 'PUT',
    path: `/api/v1/campaigns/${world.id('campaign')}/me/ai-consent`,
    on: { consent: true },
    off: { consent: false },
    page: `/campaigns/${world.id('campaign')}/members`,
    state: membership,
  }),
  'the policy back to member_consent': (world): Decision => ({
    tool: 'update_campaign_settings',
    method: 'PATCH',
    path: `/api/v1/campaigns/${world.id('campaign')}/settings`,
    on: { aiContentPolicy: 'member_consent' },
    off: { aiContentPolicy: 'disabled' },
    page: `/campaigns/${world.id('campaign')}/settings`,
    state: () => world.row('campaigns', world.id('campaign'))?.ai_content_policy,
  }),
} satisfies Record<string, (world: TestWorld) => Decision>

describe.each(Object.entries(decisions))('%s', (_, decisionIn) => {
  const decide = async (world: TestWorld, caller: Caller, door: 'rest' | 'mcp', value: 'on' | 'off') => {
    const { tool, method, path, [value]: input } = decisionIn(world)
    if (door === 'rest') return (await caller.request(method, path, input)).body
    return (await caller.tool(tool, { campaignId: world.id('campaign'), ...input })).content
  }

  test(
    'is not turned on over MCP, nor with an OAuth token; the answer names the page',
    alone(async (world) => {
      const { dm, oauth } = world.callers
      const { page, state } = decisionIn(world)
      await decide(world, dm, 'rest', 'off')
      const before = state(world)
      for (const [caller, door] of [
        [dm, 'mcp'],
        [oauth, 'mcp'],
        [oauth, 'rest'],
      ] as const) {
        const { error } = await decide(world, caller, door, 'on')
        expect(error, `${caller.name} ${door}`).toMatchObject({ status: 403, code: 'human_needed' })
        expect(error.message).toContain(page)
        expect(state(world)).toBe(before)
      }
    }),
  )

  test(
    'is turned on by a person: signed in, or with their own token over REST',
    alone(async (world) => {
      const { state } = decisionIn(world)
      for (const caller of [world.callers.dm, world.token('dm')]) {
        await decide(world, caller, 'rest', 'off')
        const before = state(world)
        expect(await decide(world, caller, 'rest', 'on')).not.toHaveProperty('error')
        expect(state(world)).not.toBe(before)
      }
    }),
  )

  test(
    'is turned off by every door',
    alone(async (world) => {
      const { dm, oauth } = world.callers
      const { state } = decisionIn(world)
      await decide(world, dm, 'rest', 'off')
      const off = state(world)
      for (const [caller, door] of [
        [dm, 'rest'],
        [dm, 'mcp'],
        [oauth, 'rest'],
        [oauth, 'mcp'],
      ] as const) {
        await decide(world, dm, 'rest', 'on')
        expect(await decide(world, caller, door, 'off'), `${caller.name} ${door}`).not.toHaveProperty('error')
        expect(state(world)).toBe(off)
      }
    }),
  )
})

test(
  'what a person turned off, no machine turns on by an undo or an old version',
  alone(async (world) => {
    const campaignId = world.id('campaign')
    const { dm, oauth } = world.callers
    await dm.request('PUT', `/api/v1/campaigns/${campaignId}/me/ai-consent`, { consent: true })
    await dm.request('PUT', `/api/v1/campaigns/${campaignId}/me/ai-consent`, { consent: false })
    await dm.request('PATCH', `/api/v1/campaigns/${campaignId}/settings`, { aiContentPolicy: 'disabled' })
    for (const operation of ['set_my_ai_consent', 'update_campaign_settings']) {
      const { items } = (await oauth.tool('list_audit_records', { campaignId, operation })).content
      expect(items.length).toBeGreaterThan(0)
      for (const { id } of items) {
        const { content } = await oauth.tool('revert_change', { auditRecordId: id })
        expect(content.error?.code, operation).toBe('invalid_state')
      }
    }
    const members = (await oauth.tool('list_members', { campaignId })).content.items
    const mine = members.find(({ username }: { readonly username: string }) => username === 'dm')
    const versions = (await oauth.tool('list_revisions', { campaignId, entityType: 'member', entityId: mine.id }))
      .content
    for (const { id } of versions.items) {
      expect((await oauth.tool('restore_revision', { revisionId: id })).isError).toBe(true)
    }
    expect([membership(world), world.row('campaigns', campaignId)?.ai_content_policy]).toEqual([0, 'disabled'])
  }),
)

test(
  'other settings are no such decision, and stay open to machines',
  alone(async (world) => {
    const { content } = await world.callers.oauth.tool('update_campaign_settings', {
      campaignId: world.id('campaign'),
      playersPropose: false,
    })
    expect(content.playersPropose).toBe(false)
  }),
)

test(
  'consent is a member’s own: others neither set nor see it, the DM sees it (SPEC appendix 4)',
  alone(async (world) => {
    const campaignId = world.id('campaign')
    await world.as('player', 'set_my_ai_consent', { campaignId, consent: true })
    await world.as('otherPlayer', 'set_my_ai_consent', { campaignId, consent: false })
    const consents = async (caller: Caller) => {
      const { items } = (await caller.get(`/api/v1/campaigns/${campaignId}/members`)).body
      return Object.fromEntries(
        items
          .filter((item: object) => 'aiConsent' in item)
          .map(({ username, aiConsent }: { username: string; aiConsent: boolean }) => [username, aiConsent]),
      )
    }
    const { dm, coDm, player, otherPlayer, viewer, capped } = { ...world.callers, coDm: world.session('coDm') }
    const all = { dm: false, coDm: false, player: true, otherPlayer: false, viewer: false }
    expect(await consents(dm)).toEqual(all)
    expect(await consents(coDm)).toEqual(all)
    expect(await consents(player)).toEqual({ player: true })
    expect(await consents(otherPlayer)).toEqual({ otherPlayer: false })
    expect(await consents(viewer)).toEqual({ viewer: false })
    expect(await consents(capped)).toEqual({ dm: false })
    const forged = await dm.request('PUT', `/api/v1/campaigns/${campaignId}/me/ai-consent`, {
      consent: true,
      userId: world.userId.viewer,
    })
    expect(forged.status).toBe(400)
    expect(await consents(dm)).toEqual(all)
  }),
)
