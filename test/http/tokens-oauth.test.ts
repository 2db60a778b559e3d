import { expect, test } from 'vitest'
import type { Choice } from '../../src/oauth/grants.ts'
import { walkLimitMs } from '../support/long.ts'
import { cellOf, declaredIn, isCatalogued, rolledBack } from '../support/matrix.ts'
import { shareWorld } from '../support/shared-world.ts'
import type { TestWorld } from '../support/world.ts'

// An OAuth token honours the same caps as a personal token, operation by operation (SPEC 5.5).

const shared = shareWorld()

const choices: readonly (readonly [string, (world: TestWorld) => Partial<Choice>])[] = [
  ['all that the DM has', () => ({})],
  ['scope player', () => ({ scope: 'player' })],
  ['scope viewer', () => ({ scope: 'viewer' })],
  ['write mode propose', () => ({ writeMode: 'propose' })],
  ['write mode read', () => ({ writeMode: 'read' })],
  ['one campaign, this one', (world) => ({ campaignId: world.id('campaign') })],
  ['one campaign, another one', (world) => ({ campaignId: world.id('campaign', 'bound') })],
  [
    'a player’s proposals in one campaign',
    (world) => ({ scope: 'player', writeMode: 'propose', campaignId: world.id('campaign') }),
  ],
]

test.each(choices)(
  'with %s it gets what the same personal token gets',
  async (_, choiceIn) => {
    const { world } = shared
    const { toolsets: _all, ...choice } = choiceIn(world)
    const { campaignId, ...rest } = choice
    const token = world.token('dm', { ...rest, ...(campaignId == null ? {} : { campaignId }) })
    const oauth = world.oauth('dm', choice)
    // What reads no example of JSON is the same route for both, and is compared in the role matrix.
    // What only a person does is for no app, by whatever door.
    const lines = declaredIn(world).filter(
      ({ declared }) => isCatalogued(declared) && declared.name !== 'resume_ai_seat',
    )
    expect(lines.length).toBeGreaterThan(180)
    for (const { declared, door } of lines) {
      const [personal, granted] = [
        await rolledBack(world, () => cellOf(world, token, declared, door)),
        await rolledBack(world, () => cellOf(world, oauth, declared, door)),
      ]
      expect(granted, `${declared.name} ${door}`).toBe(personal)
    }
  },
  walkLimitMs,
)

test('it never administers the server, whoever gave it', async () => {
  const oauth = shared.world.oauth('admin')
  for (const { declared, door } of declaredIn(shared.world)) {
    if (declared.access !== 'admin' || 'carries' in declared || door === 'mcp') continue
    const world = { ...shared.world, text: (what: string) => (what === 'backup' ? 'x.zip' : shared.world.text(what)) }
    expect(await rolledBack(world, () => cellOf(world, oauth, declared, door)), declared.name).toBe('403')
  }
  expect((await oauth.get('/api/v1/me')).body.user.admin).toBe(false)
})
