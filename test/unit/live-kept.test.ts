import { expect, test } from 'vitest'
import { npc } from '../../src/domain/npc/entity.ts'
import { lightened } from '../../src/live/hub.ts'

test('a change is kept without its long texts, as far as it matters whether they changed', () => {
  const row = {
    id: 1,
    campaignId: 1,
    deletedAt: null,
    hidden: false,
    name: 'Marta',
    body: 'pear '.repeat(9000),
    tags: [],
  }
  const change = { entity: npc, id: 1, campaignId: 1, kind: 'update', isPublic: true } as const
  const light = lightened({ ...change, before: row, after: { ...row, dmSecret: 'wasp '.repeat(9000) } })
  expect(JSON.stringify([light.before, light.after]).length).toBeLessThan(400)
  expect(light.before?.body).toBe(light.after?.body)
  expect([light.before?.name, light.before?.hidden]).toEqual(['Marta', false])
  const other = lightened({ ...change, before: row, after: { ...row, body: 'plum '.repeat(9000) } })
  expect(other.before?.body).not.toBe(other.after?.body)
})
