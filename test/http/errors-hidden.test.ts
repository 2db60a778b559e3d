import { describe, expect, test } from 'vitest'
import { operations } from '../../src/catalogue.ts'
import { schemaMarks } from '../../src/kernel/fields.ts'
import { type AnyOperation, routeOf } from '../../src/kernel/operation.ts'
import type { Answer, Caller } from '../support/callers.ts'
import { restCall } from '../support/matrix.ts'
import { shareWorld } from '../support/shared-world.ts'
import type { TestWorld } from '../support/world.ts'

// What is hidden, foreign, in the trash or not there at all is one answer, byte for byte, by both doors.

const { alone } = shareWorld()

/** Of each entity: what a player does not see. */
const unseen: Readonly<Record<string, readonly string[]>> = {
  quest: ['hidden'],
  objective: ['hidden', 'under hidden'],
  npc: ['hidden', 'trashed'],
  location: ['hidden', 'unknown'],
  attachment: ['hidden'],
  campaign: ['foreign', 'bound', 'trashed'],
  inbox_item: ['other'],
}
const absentId = 999_999

/** Operations whose address begins with the id of an entity that has unseen rows. */
const addressed = [...operations.values()].flatMap((operation) => {
  const member = routeOf(operation.route).placeholders[0]
  const schema = member === undefined ? undefined : operation.input.shape[member]
  const entity = schema === undefined ? undefined : schemaMarks.get(schema as never)?.entity
  return member !== undefined && entity !== undefined && unseen[entity] ? [{ operation, member, entity }] : []
})

const bodyOf = ({ status, text }: Answer): string => `${status} ${text}`

async function answers(world: TestWorld, caller: Caller, operation: AnyOperation, member: string, id: number) {
  const input = { ...(operation.example(world) as object), [member]: id }
  const rest = await restCall(caller, operation, input)
  const { content } = await caller.tool(operation.name, input)
  return [bodyOf(rest), JSON.stringify(content)]
}

test.each(addressed.map(({ operation, member, entity }) => [operation.name, { operation, member, entity }] as const))(
  '%s',
  (name, { operation, member, entity }) =>
    alone(async (world) => {
      const { player } = world.callers
      const absent = await answers(world, player, operation, member, absentId)
      expect(absent[0]).toMatch(/^404 .*"not_found"/)
      for (const variant of unseen[entity] as readonly string[]) {
        // Whoever was a member of a trashed campaign may know of it where it can come back.
        if (variant === 'trashed' && operation.allowedWhen?.includes('trashed')) continue
        expect(
          await answers(world, player, operation, member, world.id(entity, variant)),
          `${name} ${variant}`,
        ).toEqual(absent)
      }
    })(),
)

describe('ids inside an input', () => {
  test.each([
    ['create_npc', 'locationId', 'location', {}],
    ['create_quest', 'giverNpcId', 'npc', {}],
    ['create_quest', 'parentQuestId', 'quest', {}],
    ['create_npc', 'portraitAttachmentId', 'attachment', {}],
    ['submit_inbox_item', 'entityId', 'npc', { entityType: 'npc' }],
    ['create_note', 'entityId', 'quest', { entityType: 'quest' }],
    ['list_mentions', 'entityId', 'npc', { entityType: 'npc' }],
  ] as const)('%s %s', async (name, member, entity, more) =>
    alone(async (world) => {
      const { player } = world.callers
      const operation = operations.get(name) as AnyOperation
      const ask = async (id: number): Promise<readonly string[]> => {
        const input = { ...(operation.example(world) as object), ...more, [member]: id }
        return [
          bodyOf(await restCall(player, operation, input)),
          JSON.stringify((await player.tool(name, input)).content),
        ]
      }
      const absent = await ask(absentId)
      expect(absent[0]).toMatch(/^(400|404) /)
      for (const variant of unseen[entity] as readonly string[]) {
        expect(await ask(world.id(entity, variant)), variant).toEqual(absent)
      }
    })(),
  )
})

test(
  'lists filtered by something unseen are empty, like those filtered by something absent',
  alone(async (world) => {
    const { player } = world.callers
    const campaign = `/api/v1/campaigns/${world.id('campaign')}`
    for (const [path, entity] of [
      [`${campaign}/npcs?locationId=`, 'location'],
      [`${campaign}/quests?parentQuestId=`, 'quest'],
      [`${campaign}/locations?parentLocationId=`, 'location'],
      [`${campaign}/notes?entityType=npc&entityId=`, 'npc'],
    ] as const) {
      const absent = bodyOf(await player.get(`${path}${absentId}`))
      expect(absent).toMatch(/^200 \{"items":\[\]/)
      for (const variant of unseen[entity] as readonly string[]) {
        expect(bodyOf(await player.get(`${path}${world.id(entity, variant)}`)), `${path} ${variant}`).toBe(absent)
      }
    }
  }),
)

test(
  'records and versions of another campaign are absent for its DM’s neighbour',
  alone(async (world) => {
    const { outsider } = world.callers
    for (const [path, id] of [
      ['/api/v1/audit-records/', world.id('audit_record')],
      ['/api/v1/revisions/', world.id('revision')],
    ] as const) {
      expect(bodyOf(await outsider.get(`${path}${id}`))).toBe(bodyOf(await outsider.get(`${path}${absentId}`)))
    }
  }),
)
