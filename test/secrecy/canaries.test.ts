import { expect, test } from 'vitest'
import { entities } from '../../src/catalogue.ts'
import type { Entity } from '../../src/kernel/entity.ts'
import { wordsIn } from './canaries.ts'
import { testCanariesOver } from './canary-walk.ts'

const shared = testCanariesOver('rest')

test('documents and pages hold no word', async () => {
  for (const address of ['/api/openapi.json', '/api/docs', '/', '/healthz', '/readyz']) {
    const { text } = await shared.world.callers.anonymous.get(address)
    expect([...wordsIn(text)]).toEqual([])
  }
})

test('every secret field and every kind of hidden thing holds a word', () => {
  const store = shared.world.server.app.store()
  const held = ({ table }: Entity, test: string): string =>
    store
      .all(`SELECT * FROM ${table} WHERE ${test}`)
      .map((row) => JSON.stringify(row))
      .join('\n')
  const bare = entities.flatMap((entity) => [
    ...Object.entries(entity.fields)
      .filter(([, { marks, schema }]) => marks.readableBy === 'dm' && schema._zod.def.type === 'string')
      .map(([key]) => [`${entity.name}.${key}`, columnText(entity, key)] as const),
    ...(entity.hide ? [[`hidden ${entity.name}`, held(entity, 'hidden = 1')] as const] : []),
  ])
  expect(bare.length).toBeGreaterThan(8)
  expect(bare.filter(([, text]) => wordsIn(text).size === 0).map(([what]) => what)).toEqual([])
})

function columnText({ table }: Entity, key: string): string {
  const column = key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  return shared.world.server.app
    .store()
    .all(`SELECT ${column} AS text FROM ${table}`)
    .map(({ text }) => String(text))
    .join('\n')
}
