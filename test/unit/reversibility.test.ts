import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { defineEntity, type Entity, type EntitySpec, type Scope } from '../../src/kernel/entity.ts'
import { type Fields, line, nullable, required, withDefault } from '../../src/kernel/fields.ts'
import { everyone } from '../../src/kernel/visibility.ts'
import { decisionIn, whyFinal } from '../../src/storage/reversibility.ts'

const fields = {
  name: required(line()),
  strokes: nullable(line(), { journal: 'name' }),
  openToAi: withDefault(z.boolean(), false, { decision: true }),
} as const
const thing = (more: Partial<EntitySpec<'thing', typeof fields, Scope>> = {}): Entity =>
  defineEntity({
    name: 'thing',
    table: 'things',
    label: 'thing',
    listedBy: 'list_things',
    visible: everyone,
    trash: true,
    fields,
    ...more,
  }) as unknown as Entity<string, Fields>

describe('what was done to a thing', () => {
  test('can be taken back where it has a trash and values are kept', () => {
    for (const kind of ['create', 'trash', 'restore'] as const)
      expect(whyFinal(thing(), { kind, fields: [] })).toBeNull()
    expect(whyFinal(thing(), { kind: 'update', fields: ['name'] })).toBeNull()
    // What is journalled by its name stays as it is; the rest comes back.
    expect(whyFinal(thing(), { kind: 'update', fields: ['name', 'strokes'] })).toBeNull()
  })

  test.each([
    ['purged', thing(), { kind: 'purge', fields: [] }, 'what was deleted for good cannot come back'],
    [
      'without trash',
      thing({ trash: false }),
      { kind: 'create', fields: ['name'] },
      'what is done to a thing is done for good',
    ],
    [
      'without values',
      thing({ journal: 'fields' }),
      { kind: 'update', fields: ['name'] },
      'no values are kept of a thing',
    ],
    ['by its name', thing(), { kind: 'update', fields: ['strokes'] }, 'no values are kept of strokes'],
    ['decided', thing(), { kind: 'update', fields: ['name', 'openToAi'] }, "openToAi is a person's decision"],
    [
      'root',
      thing({ scope: 'root' }),
      { kind: 'trash', fields: [] },
      'a thing itself is made, deleted and restored by hand alone',
    ],
  ] as const)('is final: %s', (_, entity, change, why) => {
    expect(whyFinal(entity, { ...change, fields: [...change.fields] })).toBe(why)
  })
})

test('an earlier version is refused for a decision that differs, and for no other', () => {
  const now = { name: 'A', strokes: null, openToAi: true }
  expect(decisionIn(thing(), now, { ...now, name: 'B', openToAi: false })).toBe('openToAi')
  expect(decisionIn(thing(), now, { ...now, name: 'B' })).toBeNull()
  expect(decisionIn(thing(), now, { name: 'B' })).toBeNull()
})
