import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { entities, operations } from '../../src/catalogue.ts'
import { note } from '../../src/domain/note/entity.ts'
import { npc } from '../../src/domain/npc/entity.ts'
import { defineEntity } from '../../src/kernel/entity.ts'
import { nullable, required } from '../../src/kernel/fields.ts'
import { project, projectionOf } from '../../src/kernel/projection.ts'
import { roles, type Viewer } from '../../src/kernel/viewer.ts'
import { everyone } from '../../src/kernel/visibility.ts'

const viewer = (role: Viewer['role'], userId = 1): Viewer => ({
  userId,
  campaignId: 1,
  role,
  ai: null,
  toolsets: null,
  admin: false,
  door: 'rest',
})
const now = '2026-11-20T18:00:00.000Z'
const row = {
  id: 5,
  campaignId: 1,
  revision: 1,
  createdAt: now,
  updatedAt: now,
  name: 'Marta',
  dmSecret: 'She sold it.',
}

describe('an answer', () => {
  test('holds the Dungeon Master’s secrets for Dungeon Masters alone, however deep they lie', () => {
    const schema = z.object({
      page: z.array(npc.output),
      one: npc.output.nullable(),
      nested: z.object({ maybe: npc.output.optional() }),
      either: z.union([npc.output, z.object({ none: z.literal(true) })]),
    })
    const whole = {
      ...row,
      disposition: 'neutral',
      status: 'alive',
      role: null,
      species: null,
      locationId: null,
      factionId: null,
    }
    const unnamed = { location: null, faction: null, portraitAttachment: null }
    const complete = {
      ...whole,
      ...unnamed,
      body: null,
      voice: null,
      portraitAttachmentId: null,
      hidden: false,
      tags: [],
    }
    const value = { page: [complete], one: complete, nested: { maybe: complete }, either: complete }
    for (const role of [null, 'viewer', 'player'] as const) {
      const seen = JSON.stringify(project(schema, value, viewer(role)))
      expect(seen).toContain('Marta')
      expect(seen).not.toContain('sold')
    }
    expect(JSON.stringify(project(schema, value, viewer('dm'))).match(/sold/g)).toHaveLength(4)
  })

  test('holds the owner’s members for the owner and Dungeon Masters', () => {
    const diary = defineEntity({
      name: 'diary',
      table: 'diaries',
      label: 'diary',
      listedBy: 'list_diaries',
      owner: 'userId',
      visible: everyone,
      fields: { userId: required(z.int()), thought: nullable(z.string(), { readableBy: 'owner' }) },
    })
    const value = { ...row, userId: 1, thought: 'mine' }
    expect(project(diary.output, value, viewer('player', 1))).toHaveProperty('thought', 'mine')
    expect(project(diary.output, value, viewer('dm', 2))).toHaveProperty('thought', 'mine')
    expect(project(diary.output, value, viewer('player', 2))).not.toHaveProperty('thought')
  })

  test('has no member that its schema does not name', () => {
    expect(project(z.object({ id: z.int() }), { id: 1, passwordHash: 'x' }, viewer('dm'))).toEqual({ id: 1 })
    expect(project(note.output.pick({ id: true }), { ...row, body: 'x' }, viewer('dm'))).toEqual({ id: 5 })
  })

  test('of no known option is a failure, not a leak', () => {
    const schema = z.union([z.object({ a: z.string() }), z.object({ b: z.string() })])
    expect(() => project(schema, { c: 'secret' }, viewer('dm'))).toThrow('none of its options')
  })

  test.each([
    ['a map', z.map(z.string(), z.string())],
    ['a tuple', z.tuple([z.string()])],
    ['a transform', z.string().transform((text) => text.length)],
    ['a lazy schema', z.lazy(() => z.string())],
  ])('cannot be declared as %s, which the walk could only pass through unseen', (_, schema) => {
    expect(() => projectionOf(z.object({ member: schema }))).toThrow('projection does not know')
  })
})

test('every answer of the catalogue compiles', () => {
  for (const { name, output } of operations.values()) expect(() => projectionOf(output), name).not.toThrow()
})

test('an output of an entity never names what is internal or tells places among hidden rows, and marks what is secret', () => {
  for (const entity of entities) {
    const { shape } = entity.output
    for (const [key, { marks }] of Object.entries(entity.fields)) {
      expect(key in shape, `${entity.name}.${key}`).toBe(!marks.internal && !marks.place)
      if (marks.readableBy !== 'dm') continue
      for (const role of roles) {
        const seen = project(z.object({ [key]: shape[key] as never }), { [key]: 'secret' }, viewer(role))
        expect(key in (seen as object), `${entity.name}.${key} ${role}`).toBe(role === 'dm')
      }
    }
  }
})

test('what is projected twice is what is projected once', () => {
  const values = fc.record({
    id: fc.nat(),
    name: fc.string(),
    dmSecret: fc.option(fc.string(), { nil: undefined }),
    more: fc.anything(),
  })
  const property = fc.property(values, fc.constantFrom(...roles), (value, role) => {
    const once = project(npc.output, value, viewer(role))
    expect(project(npc.output, once, viewer(role))).toEqual(once)
  })
  fc.assert(property, { seed: 20261120 })
})
