import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type FakeProvider, type Step, startFakeProvider } from '../support/fake-provider.ts'
import { chooseProvider } from '../support/fake-world-provider.ts'
import { startServer } from '../support/server.ts'
import { runnerOn, type TestWorld } from '../support/world.ts'
import { startWorld } from '../support/world-file.ts'

// What leaves this server for a model, read at the socket of the provider: by its kind, whether its endpoint is marked local,
// the policy of the campaign, who agreed, and whom a text is for. And a fight of ten rounds through the real client.

interface Case {
  readonly kind: 'openai_compatible' | 'anthropic'
  readonly local: boolean
  readonly policy: 'member_consent' | 'disabled'
}
const cases: readonly Case[] = (['openai_compatible', 'anthropic'] as const).flatMap((kind) =>
  [true, false].flatMap((local) =>
    (['member_consent', 'disabled'] as const).map((policy) => ({ kind, local, policy })),
  ),
)

async function start({ kind, local }: Pick<Case, 'kind' | 'local'>): Promise<{ world: TestWorld; fake: FakeProvider }> {
  const fake = await startFakeProvider()
  const world = await startWorld({ env: local ? { AI_PROVIDER_ENDPOINT_IS_LOCAL: '1' } : {} })
  onTestFinished(async () => {
    await world.server.stop()
    await fake.close()
  })
  chooseProvider(world.server.app.store(), { kind, baseUrl: fake.baseUrl }, '2026-11-20T18:00:00.000Z')
  return { world, fake }
}

test.each(cases)('$kind, local $local, $policy: what leaves of notes, by whom they are and for whom', async (given) => {
  const { world, fake } = await start(given)
  const campaignId = world.id('campaign')
  const as: TestWorld['as'] = (person, name, input = {}) => world.as(person, name, { campaignId, ...input })
  await as('player', 'set_my_ai_consent', { consent: true })
  for (const person of ['otherPlayer', 'dm', 'coDm'] as const) await as(person, 'set_my_ai_consent', { consent: false })
  await as('dm', 'update_campaign_settings', { aiContentPolicy: 'disabled' })
  if (given.policy === 'member_consent') await as('dm', 'update_campaign_settings', { aiContentPolicy: given.policy })
  for (const person of ['player', 'otherPlayer', 'dm'] as const) {
    for (const visibility of ['party', 'dm', 'private'])
      await as(person, 'create_note', { body: `ZQ-${visibility}-${person}`, visibility })
    await as(person, 'submit_inbox_item', { body: `ZQ-inbox-${person}` })
  }
  await as('player', 'send_whisper', { recipientUserId: world.userId.dm, body: 'ZQ-whisper-player' })
  await as('dm', 'update_ai_seat', { mode: 'co_dm', maySeeSecrets: false })
  const left = (): readonly string[] => Array.from(new Set(fake.sent().match(/ZQ-\w+-\w+/g))).sort()
  const agreed = given.local ? ['player', 'otherPlayer', 'dm'] : given.policy === 'member_consent' ? ['player'] : []
  const expected = (...kinds: readonly string[]): readonly string[] =>
    agreed.flatMap((person) => kinds.map((kind) => `ZQ-${kind}-${person}`)).sort()

  fake.reset()
  fake.always({ text: 'They came to the far bank.' })
  const { id } = await as('dm', 'run_scribe', { sessionId: world.id('session'), force: true })
  await world.server.app.ai.idle()
  expect(left()).toEqual(expected('party', 'inbox'))
  const run = await world.as('dm', 'get_scribe_run', { scribeRunId: id })
  // Of the sample campaign there are other notes; none of them is anybody's secret.
  expect(['drafted', 'no_material']).toContain(run.state)
  if (agreed.length > 0) expect(run.state).toBe('drafted')

  fake.reset()
  const look = (...names: readonly (readonly [string, object])[]): Step => ({
    calls: names.map(([name, input]) => ({ name, arguments: input })),
  })
  fake.script(
    look(['list_notes', { view: 'full' }], ['list_notes', { visibility: 'private', view: 'full' }]),
    look(['search_campaign', { query: 'ZQ' }], ['list_notes', { visibility: 'dm', view: 'full' }]),
    { text: 'So.' },
  )
  const { id: turnId } = await as('dm', 'narrate', { prompt: 'What did they write?' })
  await world.server.app.ai.idle()
  const turn = (await as('dm', 'list_ai_turns')).items.find((each: { readonly id: number }) => each.id === turnId)
  expect(turn).toMatchObject({ state: 'done', text: 'So.' })
  expect(left()).toEqual(expected('party'))
  expect(fake.sent()).not.toMatch(/private-|whisper-/)
})

test('a fight of ten rounds through the real client; what a player stops goes no further, and the usage is settled', async () => {
  const { world, fake } = await start({ kind: 'openai_compatible', local: false })
  const campaignId = world.id('campaign')
  const dm = (name: string, input: object = {}) => world.as('dm', name, { ...input })
  const { id: encounterId } = await dm('create_encounter', { campaignId, name: 'The press-house' })
  const { id: combatantId } = await dm('add_combatant', {
    encounterId,
    kind: 'monster',
    name: 'Wicker Stag',
    hpMax: 200,
  })
  await dm('set_combatant_initiative', { combatantId, initiative: 12 })
  await dm('begin_encounter', { encounterId })
  await dm('update_ai_seat', { campaignId, mode: 'driver', driverMay: ['fights'], tokenBudget: 1_000_000 })
  const hit = { calls: [{ name: 'damage_combatant', arguments: { combatantId, amount: 3 } }] }
  const next = { calls: [{ name: 'next_turn', arguments: { encounterId } }] }
  const turn = async (...steps: readonly Step[]) => {
    fake.script(...steps)
    const { id } = await dm('narrate', { campaignId, prompt: 'One round.' })
    await world.server.app.ai.idle()
    return (await dm('list_ai_turns', { campaignId })).items.find((each: { readonly id: number }) => each.id === id)
  }
  for (let round = 1; round <= 10; round++)
    expect(await turn(hit, next, { text: `Round ${round}.` })).toMatchObject({ state: 'done', changeCount: 2 })
  const whole = await dm('get_encounter', { encounterId })
  expect([whole.round, whole.combatants[0].hp]).toEqual([11, 170])

  const pausing = (): Step => {
    void world.as('player', 'pause_ai_seat', { campaignId })
    return { ...hit, usage: [10, 5] }
  }
  const stopped = await turn(hit, pausing as Step)
  expect(stopped).toMatchObject({ state: 'stopped', changeCount: 1 })
  expect((await dm('get_encounter', { encounterId })).combatants[0].hp).toBe(167)
  const open = world.server.app.store().get("SELECT count(*) AS n FROM model_calls WHERE state = 'open'")
  expect(open).toEqual({ n: 0 })
  const used = await dm('get_ai_usage', { campaignId })
  expect(used.totals.calls).toBeGreaterThanOrEqual(32)
})

test('a kill in the middle of a run and of a turn leaves both failed, what they had set aside is settled, and both begin anew', async () => {
  const { world, fake } = await start({ kind: 'openai_compatible', local: true })
  const campaignId = world.id('campaign')
  const sessionId = world.id('session')
  fake.always({ fault: 'comments' })
  await world.as('dm', 'update_ai_seat', { campaignId, mode: 'co_dm' })
  const { id: scribeRunId } = await world.as('dm', 'run_scribe', { campaignId, sessionId, force: true })
  const { id: turnId } = await world.as('dm', 'narrate', { campaignId, prompt: 'Who is there?' })
  await fake.until(2)
  // The database as a power cut would leave it.
  const dataDir = mkdtempSync(path.join(tmpdir(), 'killed-'))
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }))
  world.server.app.store().connection.exec(`VACUUM INTO '${path.join(dataDir, 'talekeeper.db')}'`)
  const open = "SELECT count(*) AS n FROM model_calls WHERE state = 'open'"
  expect(world.server.app.store().get(open)).toEqual({ n: 2 })

  const after = await startServer({ dataDir, env: { AI_PROVIDER_ENDPOINT_IS_LOCAL: '1' } })
  onTestFinished(() => after.stop())
  const store = after.app.store()
  const row = (table: string, id: number) => store.get(`SELECT state, message FROM ${table} WHERE id = @id`, { id })
  const failed = { state: 'failed', message: expect.stringContaining('server was stopped') }
  expect(row('scribe_runs', scribeRunId)).toEqual(failed)
  expect(row('ai_turns', turnId)).toEqual(failed)
  expect(store.get(open)).toEqual({ n: 0 })
  expect(
    store.get(
      'SELECT min(input_tokens) > 0 AS settled FROM model_calls WHERE id > (SELECT max(id) - 2 FROM model_calls)',
    ),
  ).toEqual({ settled: 1 })

  fake.reset()
  fake.always({ text: 'They came to the far bank.' })
  chooseProvider(store, { kind: 'openai_compatible', baseUrl: fake.baseUrl }, '2026-11-20T18:00:00.000Z')
  const as = runnerOn(after, world.userId)
  await as('dm', 'run_scribe', { campaignId, sessionId, force: true })
  const turn = await as('dm', 'narrate', { campaignId, prompt: 'Who is there?' })
  await after.app.ai.idle()
  expect(row('ai_turns', turn.id)).toMatchObject({ state: 'done' })
  expect((await as('dm', 'list_scribe_runs', { campaignId })).items[0].state).toBe('drafted')
})
