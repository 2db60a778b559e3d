import { expect, test } from 'vitest'
import { allOperations, entities } from '../../src/catalogue.ts'
import { execute } from '../../src/kernel/execute.ts'
import type { AnyOperation } from '../../src/kernel/operation.ts'
import { createRegistry } from '../../src/storage/registry.ts'
import { actorOf } from '../support/credentials.ts'
import { rolledBack } from '../support/matrix.ts'
import { expectPinned } from '../support/pin.ts'
import { recorded, type Touched, untouched } from '../support/recording.ts'
import { shareWorld } from '../support/shared-world.ts'
import type { Person, TestWorld } from '../support/world.ts'

// What each operation reads and writes, heard while its example runs. The build gives it to the web client, which fetches
// anew what a change makes old: a line that is missing here is a page that shows what is no longer true.

const registry = createRegistry(entities)
const callers: readonly Person[] = ['player', 'dm', 'viewer', 'outsider', 'admin']

const shared = shareWorld()

type Input = Readonly<Record<string, unknown>>

/** Inputs for what an operation reads only sometimes. */
const further: Readonly<Record<string, (world: TestWorld) => Promise<Input>>> = {
  async get_proposal(world) {
    const input = { npcId: world.id('npc'), voice: 'Loud.' }
    const proposal = { campaignId: world.id('campaign'), changes: [{ operation: 'update_npc', input }] }
    return { proposalId: (await world.as('player', 'create_proposal', proposal)).id }
  },
  get_rule_entry: async (world) => ({ ruleEntryId: world.id('rule_entry'), campaignId: world.id('campaign') }),
  search_rules: async (world) => ({ query: 'salt', campaignId: world.id('campaign') }),
}

/** Runs an operation as everybody who may call it, since a handler may read more for some; all of it is rolled back. */
async function touchedBy(world: TestWorld, operation: AnyOperation): Promise<Touched> {
  const touched = untouched()
  const refusals: string[] = []
  let answers = 0
  for (const person of callers) {
    for (const inputOf of [operation.example, further[operation.name]]) {
      if (inputOf === undefined) continue
      await rolledBack(world, async () => {
        try {
          const own = await heard(world, person, operation, (await inputOf(world)) as Input)
          answers++
          for (const group of ['reads', 'writes', 'asked'] as const) {
            for (const name of own[group]) touched[group].add(name)
          }
        } catch (error) {
          refusals.push(`${person}: ${String(error)}`)
        }
      })
    }
  }
  expect(answers, `${operation.name}: ${refusals.join('; ')}`).toBeGreaterThan(0)
  return touched
}

/** What one call touches; nothing where it becomes a proposal. */
async function heard(world: TestWorld, person: Person, operation: AnyOperation, input: Input): Promise<Touched> {
  const own = untouched()
  const actor = actorOf(world.server, person, world.userId)
  const call = { actor, door: 'rest', idempotencyKey: null, reason: null, requestId: 'pin' } as const
  const { status } = await execute(world.server.app.system(), recorded(operation, registry, own), input, call)
  return status === 'proposed' ? untouched() : own
}

function lineOf({ name, effect }: AnyOperation, { reads, writes, asked }: Touched): string {
  if (effect === 'read') return [name, named(reads), '-'].join('\t')
  // Nobody shows what a change reads on its way. An example that puts things in the order they have writes nothing: with
  // another one it would write what it looks at.
  return [name, '-', named(writes.size === 0 ? asked : writes)].join('\t')
}

function named(names: ReadonlySet<string>): string {
  if (names.has('*')) return '*'
  return names.size === 0 ? '-' : [...names].sort().join(',')
}

test(
  'what every operation reads and writes',
  shared.owned(async (world) => {
    const lines: string[] = []
    for (const operation of allOperations.values()) lines.push(lineOf(operation, await touchedBy(world, operation)))
    expectPinned('operation-reads.tsv', lines)
  }),
)
