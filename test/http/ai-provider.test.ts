import diagnostics from 'node:diagnostics_channel'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type FakeProvider, type Step, startFakeProvider } from '../support/fake-provider.ts'
import { startServer } from '../support/server.ts'
import { shareWorld } from '../support/shared-world.ts'
import type { TestWorld } from '../support/world.ts'
import { startWorld } from '../support/world-file.ts'

let fake: FakeProvider
const shared = shareWorld({ env: { LOG_LEVEL: 'debug' } })
beforeAll(async () => {
  fake = await startFakeProvider()
})
afterAll(() => fake.close())

const key = 'sk-zzkey-0123456789-abcdefghij-WXYZ'
const at = '/api/v1/ai-provider'

/** As an administrator puts it in. */
function choose({ callers }: TestWorld, more: object = {}) {
  fake.reset()
  return callers.admin.request('PUT', at, {
    ...{ kind: 'openai_compatible', baseUrl: `${fake.baseUrl}/`, reach: 'local', model: 'table-model', apiKey: key },
    ...more,
  })
}

describe('the provider of the server', () => {
  test(
    'is chosen by an administrator; the key goes in and never comes out',
    shared.alone(async (world) => {
      const { admin, dm } = world.callers
      expect((await admin.request('PUT', at, { kind: 'none' })).body).toMatchObject({
        kind: 'none',
        ready: false,
        hasKey: false,
      })
      const { status, body, text } = await choose(world)
      expect(status, text).toBe(200)
      expect(body).toMatchObject({
        ...{ kind: 'openai_compatible', baseUrl: fake.baseUrl, model: 'table-model', ready: true, missing: null },
        ...{ external: true, hasKey: true, keyHint: 'WXYZ' },
      })
      const listed = await admin.post(`${at}/models`, {
        kind: 'openai_compatible',
        baseUrl: fake.baseUrl,
        reach: 'local',
      })
      expect(listed.body).toEqual({
        models: ['other-model', 'table-model'].map((id) => ({ id, name: id, contextTokens: 16384 })),
        problem: null,
      })
      const tried = await admin.post(`${at}/test`, {})
      expect(tried.body).toMatchObject({
        said: 'Good evening. The kettle is on.',
        leavesTheHouse: false,
        problem: null,
      })
      expect(fake.requests.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${key}`, `Bearer ${key}`])
      const history = await admin.get('/api/v1/audit?operation=update_ai_provider')
      expect(history.body.items[0]).toMatchObject({
        actorName: admin.name,
        facts: { kind: 'openai_compatible', baseUrl: fake.baseUrl },
      })
      const kept = JSON.stringify(world.server.app.store().all('SELECT * FROM ai_providers'))
      const told = [text, listed.text, tried.text, history.text, (await admin.get(at)).text, kept, world.server.logs()]
      const journal = JSON.stringify([
        ...world.server.app.store().all('SELECT * FROM changes'),
        ...world.server.app.store().all('SELECT * FROM change_sets'),
      ])
      for (const each of [...told, journal]) expect(each).not.toContain('zzkey')
      expect((await dm.get(at)).status).toBe(403)
      expect((await dm.request('PUT', at, { kind: 'none' })).status).toBe(403)
    }),
  )

  test(
    'keeps its key for its own address: another kind or address has none, and gets none',
    shared.alone(async (world) => {
      const { admin } = world.callers
      await choose(world)
      const other = await startFakeProvider()
      try {
        await admin.post(`${at}/models`, { kind: 'openai_compatible', baseUrl: other.baseUrl, reach: 'local' })
        expect(other.requests.map(({ headers }) => headers.authorization)).toEqual([undefined])
        expect(
          (await admin.request('PUT', at, { kind: 'openai_compatible', model: 'other-model' })).body,
        ).toMatchObject({ hasKey: true, baseUrl: fake.baseUrl })
        const moved = await admin.request('PUT', at, { kind: 'openai_compatible', baseUrl: other.baseUrl, model: 'm' })
        expect(moved.body).toMatchObject({ hasKey: false, keyHint: null })
      } finally {
        await other.close()
      }
      await choose(world)
      expect((await admin.request('PUT', at, { kind: 'anthropic', baseUrl: fake.baseUrl })).body.hasKey).toBe(false)
      await choose(world)
      // Nor by a changed row: the key does not open for another address.
      world.server.app.store().run("UPDATE ai_providers SET base_url = 'http://127.0.0.1:9/v1'")
      expect((await admin.get(at)).body).toMatchObject({
        ready: false,
        missing: expect.stringContaining('puts it in again'),
      })
      await choose(world)
      expect((await admin.request('PUT', at, { kind: 'openai_compatible', apiKey: null })).body).toMatchObject({
        hasKey: false,
        model: 'table-model',
      })
    }),
  )

  test(
    'says in words what keeps it from answering',
    shared.alone(async (world) => {
      const { admin } = world.callers
      const problem = async (more: object, ...script: readonly Step[]) => {
        await choose(world, more)
        fake.script(...script)
        return (await admin.post(`${at}/test`, {})).body.problem
      }
      expect(await problem({}, { fault: 'status', status: 401, body: '{"error":{"message":"zzleak"}}' })).toMatchObject(
        {
          ...{ failureClass: 'auth', message: expect.stringContaining('puts in another') },
        },
      )
      expect(await problem({}, { fault: 'html' })).toMatchObject({
        message: expect.stringContaining('Is the address right?'),
      })
      expect(await problem({ baseUrl: 'http://127.0.0.1:9/v1' })).toMatchObject({ failureClass: 'unreachable' })
      expect(await problem({ reach: 'internet' })).toMatchObject({
        failureClass: 'blocked',
        message: expect.stringContaining('On this computer'),
      })
      expect(await problem({ baseUrl: 'http://169.254.169.254/v1' })).toMatchObject({ failureClass: 'blocked' })
      expect(await problem({ baseUrl: 'http://93.184.216.34/v1' })).toMatchObject({
        failureClass: 'blocked',
        message: expect.stringContaining('https'),
      })
      expect(world.server.logs()).not.toContain('zzleak')
      for (const baseUrl of ['ollama', 'ftp://127.0.0.1/v1', 'http://me:pw@127.0.0.1/v1', 'http://127.0.0.1/v1?x=1']) {
        const { status, body } = await choose(world, { baseUrl })
        expect([status, body.error.details?.[0].path], baseUrl).toEqual([400, 'baseUrl'])
      }
    }),
  )

  test('counts as local only where the environment says so (SPEC 8.2, appendix 5)', async () => {
    const world = await startWorld({ env: { AI_PROVIDER_ENDPOINT_IS_LOCAL: '1' } })
    try {
      expect((await choose(world)).body).toMatchObject({ external: false, ready: true })
    } finally {
      await world.server.stop()
    }
  })
})

test('no provider: nothing ever opens a socket (SPEC appendix 2)', async () => {
  const opened: unknown[] = []
  const note = (message: unknown): void => void opened.push(message)
  diagnostics.subscribe('net.client.socket', note)
  const world = await startWorld()
  try {
    const { admin, dm } = world.callers
    await admin.request('PUT', at, { kind: 'none' })
    const campaign = `/api/v1/campaigns/${world.id('campaign')}`
    const drafted = await dm.request('POST', `${campaign}/drafts`, { entityType: 'npc', prompt: 'Somebody' })
    expect([drafted.status, drafted.body.error.code]).toEqual([409, 'invalid_state'])
    expect((await admin.post(`${at}/test`, {})).status).toBe(409)
    expect((await dm.get(`${campaign}/ai-usage`)).status).toBe(200)
    expect((await admin.get(at)).body).toMatchObject({ kind: 'none', external: false })
    expect(opened).toEqual([])
  } finally {
    await world.server.stop()
    diagnostics.unsubscribe('net.client.socket', note)
  }
})

test('a call that a dying process left open is settled at the next start', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'talekeeper-ai-'))
  try {
    const world = await startWorld({ dataDir: folder })
    const { app } = world.server
    app.store().run('DELETE FROM model_calls')
    app.store().run(
      `INSERT INTO model_calls (campaign_id, created_at, updated_at, feature, run_id, attempt, model, state, reserved, expected_input, counted, day)
       VALUES (@id, '2026-11-20T18:00:00.000Z', '2026-11-20T18:00:00.000Z', 'seat', 'r', 1, 'm', 'open', 900, 120, 900, '2026-11-20')`,
      { id: world.id('campaign') },
    )
    await world.server.stop()
    const again = await startServer({ dataDir: folder })
    expect(again.app.store().all('SELECT state, counted, source, failure FROM model_calls')).toEqual([
      { state: 'settled', counted: 120, source: 'estimated', failure: 'cut' },
    ])
    await again.stop()
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

test('a backup brings the key back with the key file’s envelope, and without it says that it does not', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'talekeeper-ai-'))
  const passphrase = 'a passphrase of many words'
  const world = await startWorld({ dataDir: path.join(folder, 'one') })
  try {
    await choose(world)
    const { archive } = world.server.app
    await archive.create({ destination: path.join(folder, 'with.zip'), passphrase })
    await archive.create({ destination: path.join(folder, 'without.zip') })
    for (const file of ['with.zip', 'without.zip']) {
      const text = readFileSync(path.join(folder, file)).toString('latin1')
      expect(text).not.toContain('zzkey')
      const second = await startServer({ dataDir: path.join(folder, `two-${file}`) })
      try {
        const isWith = file === 'with.zip'
        await second.app.archive.restore(path.join(folder, file), { actor: null, ...(isWith ? { passphrase } : {}) })
        const { model } = second.app.system().services
        const campaignId = world.id('campaign')
        fake.reset()
        const asked = model.generate({
          ...{ campaignId, feature: 'scribe', runId: 'r', userId: null, maxOutputTokens: 100 },
          ...{ messages: [{ role: 'user', text: 'Good evening' }], signal: new AbortController().signal },
        })
        if (isWith) {
          expect((await asked).text).toContain('kettle')
          expect(fake.requests[0]?.headers.authorization).toBe(`Bearer ${key}`)
        } else {
          await expect(asked).rejects.toMatchObject({
            failureClass: 'auth',
            message: expect.stringContaining('no key file'),
          })
          expect(model.status()).toMatchObject({ ready: false, missing: expect.stringContaining('puts it in again') })
          expect(fake.requests).toEqual([])
        }
      } finally {
        await second.stop()
      }
    }
  } finally {
    await world.server.stop()
    rmSync(folder, { recursive: true, force: true })
  }
})
