import { expect, test } from 'vitest'
import * as z from 'zod'
import { npc } from '../../src/domain/npc/entity.ts'
import type { Context } from '../../src/kernel/context.ts'
import { defineOperation } from '../../src/kernel/operation.ts'

// What the compiler refuses. The type check fails where one of these is accepted: each expectation has to be needed.

const about = {
  name: 'try_it',
  title: 'Try',
  description: 'For tests.',
  toolset: 'world',
  access: 'dm',
  effect: 'read',
} as const
const example = () => ({ npcId: 1 })

const astray = {
  ...about,
  route: 'GET /npcs/{questId}',
  input: z.strictObject({ npcId: npc.id }),
  output: z.object({}),
  example,
  handle: () => ({}),
} as const

test('a declaration that cannot be right is a compile error', () => {
  const declare = [
    // @ts-expect-error the path names a member that the input lacks
    () => defineOperation(astray),
    () =>
      defineOperation({
        ...about,
        route: 'GET /npcs/{npcId}',
        input: z.strictObject({ npcId: npc.id }),
        output: npc.output,
        example,
        // @ts-expect-error whole rows are for guards and writes: an answer is read through the viewer's eyes
        handle: (context, { npcId }) => context.unfiltered(npc).get(npcId),
      }),
    () =>
      defineOperation({
        ...about,
        route: 'GET /npcs/{npcId}',
        input: z.strictObject({ npcId: npc.id }),
        output: npc.output,
        example,
        // @ts-expect-error a handler is synchronous: it runs inside one transaction
        handle: async (context, { npcId }) => context.read(npc).get(npcId),
      }),
    () =>
      defineOperation({
        ...about,
        // @ts-expect-error a route has one of five methods
        route: 'LIST /npcs/{npcId}',
        input: z.strictObject({ npcId: npc.id }),
        output: npc.output,
        example,
        handle: (context, { npcId }) => context.read(npc).get(npcId),
      }),
  ]
  // They are never called with a context; that they are there is enough for the compiler.
  expect(declare).toHaveLength(4)
})

test('what a reader gives and a writer takes is known member by member', () => {
  const use = (context: Context): readonly unknown[] => [
    context.read(npc).get(1).name,
    // @ts-expect-error there is no such member
    context.read(npc).get(1).colour,
    // @ts-expect-error a secret may be absent
    context.read(npc).get(1).dmSecret.length,
    // @ts-expect-error a name is required
    context.write(npc).insert({ role: 'Clerk' }),
    // @ts-expect-error not one of the choices
    context.write(npc).update(1, { disposition: 'grumpy' }),
    // @ts-expect-error not a field to look for
    context.read(npc).count({ colour: 'red' }),
  ]
  expect(use).toBeTypeOf('function')
})
