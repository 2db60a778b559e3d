import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { shareWorld } from '../support/shared-world.ts'

const shared = shareWorld({ env: { BACKUP_KEEP_DAYS: '9' } })

describe('the settings of the server', () => {
  test(
    'are an administrator’s: read, changed at once, and in the history by name',
    shared.alone(async (world) => {
      const admin = world.callers.admin
      const folder = path.join(world.server.dataDir, 'elsewhere', 'backups')
      const change = { scheduledBackups: true, backupIntervalHours: 12, backupDir: folder }
      const { status, body } = await admin.request('PATCH', '/api/v1/settings', change)
      expect(status, JSON.stringify(body)).toBe(200)
      expect(body.settings).toMatchObject({
        scheduledBackups: { value: true, source: 'chosen', variable: 'BACKUP_SCHEDULE_ENABLED' },
        backupDir: { value: folder, source: 'chosen' },
        backupKeepDays: { value: 9, source: 'environment' },
      })
      expect((await admin.get('/api/v1/settings')).body).toEqual(body)
      const { backup } = (await admin.get('/api/v1/backup/status')).body
      expect(backup.cadence).toMatchObject({ enabled: true, intervalHours: 12, directory: folder })
      const { items } = (await admin.get('/api/v1/audit?operation=update_server_settings')).body
      expect(items[0]).toMatchObject({ actorName: admin.name, facts: change })
      expect(JSON.parse(readFileSync(path.join(world.server.dataDir, 'settings.json'), 'utf8'))).toEqual(change)
      await admin.request('PATCH', '/api/v1/settings', {
        scheduledBackups: null,
        backupIntervalHours: null,
        backupDir: null,
      })
    }),
  )

  test(
    'what the environment says is refused with its name, and nothing of the call is kept',
    shared.alone(async (world) => {
      const admin = world.callers.admin
      const answer = await admin.request('PATCH', '/api/v1/settings', { backupKeepCount: 4, backupKeepDays: 4 })
      expect([answer.status, answer.text]).toEqual([409, expect.stringContaining('BACKUP_KEEP_DAYS')])
      expect((await admin.get('/api/v1/settings')).body.settings.backupKeepCount.source).toBe('standard')
    }),
  )

  test(
    'a folder that cannot hold backups is refused with a sentence at the field',
    shared.alone(async (world) => {
      const admin = world.callers.admin
      const inTheWay = path.join(world.server.dataDir, 'a-file')
      mkdirSync(path.dirname(inTheWay), { recursive: true })
      writeFileSync(inTheWay, '')
      for (const backupDir of [path.join(inTheWay, 'backups'), 'relative']) {
        const { status, body } = await admin.request('PATCH', '/api/v1/settings', { backupDir })
        expect([status, body.error.details[0].path]).toEqual([400, 'backupDir'])
      }
    }),
  )

  test(
    'are nobody else’s',
    shared.alone(async (world) => {
      for (const name of ['dm', 'player'] as const) {
        expect((await world.callers[name].get('/api/v1/settings')).status).toBe(403)
        expect((await world.callers[name].request('PATCH', '/api/v1/settings', { lan: true })).status).toBe(403)
      }
    }),
  )
})
