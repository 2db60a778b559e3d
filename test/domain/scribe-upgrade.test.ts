import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { sourceHash } from '../../src/ai/recap-source.ts'
import { execute } from '../../src/kernel/execute.ts'
import type { AnyOperation } from '../../src/kernel/operation.ts'
import { fixtureOf } from '../support/frozen.ts'
import { scriptedModel } from '../support/models.ts'
import { startServer } from '../support/server.ts'
import type { Answer } from './support.ts'

// The first run behind the release that brought consent (SPEC 3, 9), on a database from before it.

test('the first run after the upgrade drafts the same material again, once, and asks nobody who has not agreed (SPEC 3)', async () => {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'scribe-upgrade-'))
  copyFileSync(path.join(import.meta.dirname, '../..', fixtureOf(1)), path.join(dataDir, 'talekeeper.db'))
  const model = scriptedModel()
  model.say('They remember all of it.')
  const { app, stop } = await startServer({ dataDir, model: { port: model } })
  onTestFinished(async () => {
    await stop()
    rmSync(dataDir, { recursive: true, force: true })
  })
  const noted = app.store().get(
    `SELECT s.id AS session, s.campaign_id AS campaign, m.user_id AS dm FROM game_sessions s
     JOIN notes n ON n.campaign_id = s.campaign_id AND n.visibility = 'party' AND n.deleted_at IS NULL
     JOIN memberships m ON m.campaign_id = s.campaign_id AND m.role = 'dm' AND m.deleted_at IS NULL
     WHERE s.deleted_at IS NULL AND s.status = 'played' LIMIT 1`,
  ) as { session: number; campaign: number; dm: number }
  const credential = { kind: 'system', id: 0, scope: 'dm', campaignId: null, writeMode: 'direct' } as const
  const call = async (name: string, input: object): Promise<Answer> => {
    const operation = app.system().operations.get(name) as AnyOperation
    const actor = {
      userId: noted.dm,
      username: '',
      admin: false,
      credential: { ...credential, clientId: null, toolsets: null },
    }
    const by = { actor, door: 'rest', idempotencyKey: null, reason: null, requestId: 'r' } as const
    return (await execute(app.system(), operation, input, by)).output
  }
  const run = async (): Promise<Answer> => {
    const { id } = await call('run_scribe', { campaignId: noted.campaign, sessionId: noted.session })
    await app.ai.idle()
    return call('get_scribe_run', { scribeRunId: id })
  }
  // Nobody has agreed: the upgrade leaves every consent off.
  const asked = await run()
  expect(asked).toMatchObject({ state: 'no_material', included: 0 })
  expect(asked.withheldNoConsent).toBeGreaterThan(0)
  expect(model.asked).toEqual([])

  model.is({ external: false })
  const first = await run()
  expect(first.state).toBe('drafted')
  const [, user] = model.asked[0]?.messages ?? []
  const source = JSON.parse(/<<<\w+\n(.*)\n\w+>>>/s.exec(user?.text ?? '')?.[1] as string)
  // As the release before it left its last draft: of the same material, when nobody was asked.
  app
    .store()
    .run('UPDATE scribe_runs SET source_hash = @hash WHERE id = @id', { id: first.id, hash: sourceHash(source, 0) })
  expect((await run()).state).toBe('drafted')
  expect(await run()).toMatchObject({ state: 'skipped', message: expect.stringContaining('identical source') })
  expect(model.asked).toHaveLength(2)
})
