import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { inspect } from 'node:util'
import { onTestFinished } from 'vitest'
import { type AiWork, createAiWork } from '../../src/ai/work.ts'
import { operations as catalogued, consequences, entities, serverOperations, toolsetsOf } from '../../src/catalogue.ts'
import { filed, filedOutput } from '../../src/domain/proposal/operations.ts'
import type { Services } from '../../src/kernel/context.ts'
import type { Entity } from '../../src/kernel/entity.ts'
import { type ErrorCode, Failure } from '../../src/kernel/errors.ts'
import { execute } from '../../src/kernel/execute.ts'
import type { ModelPort } from '../../src/kernel/model-port.ts'
import type { AnyOperation } from '../../src/kernel/operation.ts'
import { projectionOf } from '../../src/kernel/projection.ts'
import type { System } from '../../src/kernel/system.ts'
import type { Actor, Door, Role } from '../../src/kernel/viewer.ts'
import type { RowChange } from '../../src/storage/change-set.ts'
import { migrationSources } from '../../src/storage/migrations/all.ts'
import { createRegistry } from '../../src/storage/registry.ts'
import { migrationsOf } from '../../src/storage/schema.ts'
import { openStore, type Store } from '../../src/storage/store.ts'
import { createSystem } from '../../src/storage/system.ts'
import { readPack } from '../../src/transfer/rule-pack-read.ts'
import { createRulePacks } from '../../src/transfer/rule-packs.ts'
import { noModel } from '../support/no-model.ts'
import { noPasswords } from '../support/passwords.ts'
import { seededRandom } from '../support/random.ts'
import { travelOn } from '../support/travel.ts'

/** The migrations as if none had been released yet: all of them follow from the declarations. */
export const unfrozen = migrationSources.map((source) => ({ ...source, frozen: null }))

/** An answer, looked into freely. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
export type Answer = any

export const people = { ellen: 'dm', pell: 'player', wren: 'player', gast: 'viewer' } as const satisfies Record<
  string,
  Role
>
export type Person = keyof typeof people

export interface CallOptions {
  readonly door?: Door
  /** Instead of the catalogue's operation of that name. */
  readonly operation?: AnyOperation
  /** Aborts when the caller goes away. */
  readonly signal?: AbortSignal
  /** Of a call that may be sent more than once. */
  readonly idempotencyKey?: string
  /** Another credential or right than that of a session. */
  readonly who?: (actor: Actor) => Actor
}

export interface Table {
  readonly campaignId: number
  readonly store: Store
  readonly system: System
  /** What runs beside the requests. */
  readonly ai: AiWork
  readonly keptImages: Uint8Array[]
  /** What was changed so far, as live streams are told. */
  readonly announced: RowChange[]
  /** Aborted, the server stops. */
  readonly stopping: AbortController
  userId(person: Person): number
  /** Calls an operation as a member through the whole pipeline; `campaignId` is filled in where the input takes one. */
  call(person: Person, name: string, input?: Readonly<Record<string, unknown>>, options?: CallOptions): Promise<Answer>
  /** As `ellen` with another credential or right. */
  callAs(who: (actor: Actor) => Actor, name: string, input?: Readonly<Record<string, unknown>>): Promise<Answer>
  /** The same, for the failure: its code and message. */
  refusal(
    person: Person,
    name: string,
    input?: Readonly<Record<string, unknown>>,
    options?: CallOptions,
  ): Promise<{ code: ErrorCode; message: string }>
  /** The row as it lies in the database. */
  row(tableName: string, id: number): Answer
  pass(minutes: number): void
  now(): string
}

/**
 * A campaign with a Dungeon Master, two players and a viewer, on a real store in a temporary folder. What `more` declares is
 * there from the first migration on; `added` are operations besides those of the catalogue.
 */
export async function makeTable(
  more: readonly Entity[] = [],
  added: Readonly<Record<string, AnyOperation>> = {},
  model: ModelPort = noModel,
): Promise<Table> {
  const folder = mkdtempSync(path.join(tmpdir(), 'domain-test-'))
  const registry = createRegistry([...entities, ...more], toolsetsOf(entities, catalogued), consequences)
  const operations = new Map([...catalogued, ...serverOperations, ...Object.entries(added)])
  let millis = Date.parse('2026-11-20T18:00:00.000Z')
  const now = (): string => new Date(millis).toISOString()
  const store = openStore({
    path: path.join(folder, 'talekeeper.db'),
    registry,
    migrations: more.length === 0 ? migrationsOf(registry) : migrationsOf(registry, unfrozen),
    now: now(),
    copyBeforeMigration: null,
  })
  onTestFinished(() => {
    store.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const keptImages: Uint8Array[] = []
  const announced: RowChange[] = []
  const stopping = new AbortController()
  const images: Services['images'] = {
    async keep(image) {
      const pieces: Uint8Array[] = []
      if (image instanceof Uint8Array) pieces.push(image)
      else for await (const piece of image.pieces) pieces.push(piece)
      const bytes = Buffer.concat(pieces)
      keptImages.push(bytes)
      const sha256 = createHash('sha256').update(bytes).digest('hex')
      return { fileKey: sha256, sha256, byteSize: bytes.byteLength, mimeType: 'image/png', width: 1, height: 1 }
    },
  }
  const system = createSystem({
    operations,
    services: {
      images,
      passwords: noPasswords,
      calendarFeeds: { pathOf: ({ id, version }) => `/ics/${id}-${version}.ics` },
      rulePacks: createRulePacks({
        store: () => store,
        clock: () => new Date(millis),
        tempDir: folder,
        workers: { runTask: (_, payload, options) => readPack(payload, options?.signal ?? stopping.signal) as never },
      }),
      travel: travelOn({ store: () => store, images, clock: () => new Date(millis), tempDir: folder }).travel,
      model,
    },
    store: () => store,
    recheck: (_, known) => (known.credential.model ? ai.recheck(store, known) : known),
    clock: () => new Date(millis),
    acquireShared: async () => () => {},
    random: seededRandom(),
    stopping: stopping.signal,
    announce(changes) {
      announced.push(...changes)
      ai.onChanges(changes)
    },
    onUnannounced: (error) => {
      throw error
    },
    fileProposal: (context, rehearsed, reason) => ({ output: filed(context, rehearsed, reason), schema: filedOutput }),
  })
  const failures: unknown[] = []
  const ai = createAiWork({
    ...{ system: () => system, store: () => store, model, clock: () => new Date(millis) },
    log: { error: (facts) => void failures.push(facts) },
  })
  onTestFinished(async () => {
    await ai.close()
    if (failures.length > 0) throw new Error(`unexpected: ${inspect(failures)}`)
  })
  const ids = new Map<string, number>()
  for (const username of Object.keys(people)) {
    const { id } = store.run(
      "INSERT INTO users (username, password_hash, created_at, updated_at) VALUES (@username, '', @now, @now)",
      {
        username,
        now: now(),
      },
    )
    ids.set(username, id)
  }
  const userId = (person: string): number => ids.get(person) as number
  const actor = (person: string): Actor => ({
    userId: userId(person),
    username: person,
    admin: false,
    credential: {
      kind: 'session',
      id: userId(person),
      scope: 'dm',
      campaignId: null,
      writeMode: 'direct',
      clientId: null,
      toolsets: null,
    },
  })
  let campaignId = 0
  const call: Table['call'] = async (
    person,
    name,
    input = {},
    { door = 'rest', operation = operations.get(name), signal, idempotencyKey = null, who = (one: Actor) => one } = {},
  ) => {
    if (operation === undefined) throw new Error(`there is no operation ${name}`)
    projectionOf(operation.output)
    const inCampaign = campaignId !== 0 && 'campaignId' in operation.input.shape ? { campaignId } : {}
    const { status, output } = await execute(
      system,
      operation,
      { ...inCampaign, ...input },
      { actor: who(actor(person)), door, idempotencyKey, reason: null, requestId: 'r', signal },
    )
    // What is answered is what was declared. A text that is withheld from an AI is shorter than any that may be written.
    if (status === 'done' && door === 'rest') operation.output.parse(output)
    return output
  }
  campaignId = (await call('ellen', 'create_campaign', { name: 'The Orchard in Winter', hidesNewThings: false })).id
  for (const [person, role] of Object.entries(people)) {
    if (role === 'dm') continue
    await call('ellen', 'add_member', { username: person, role })
    await call(person as Person, 'accept_invitation')
  }
  return {
    campaignId,
    store,
    ai,
    system,
    keptImages,
    announced,
    stopping,
    userId,
    call,
    callAs: (who, name, input) => call('ellen', name, input, { who }),
    async refusal(...args) {
      try {
        await call(...args)
      } catch (error) {
        if (error instanceof Failure) return { code: error.code, message: error.message }
        throw error
      }
      throw new Error(`${args[1]} was not refused`)
    },
    row: (tableName, id) => store.get(`SELECT * FROM ${tableName} WHERE id = @id`, { id }),
    pass(minutes) {
      millis += minutes * 60_000
    },
    now,
  }
}

export function named(items: readonly { readonly name: string }[]): string[] {
  return items.map(({ name }) => name)
}

export function bodies(items: readonly { readonly body: string }[]): string[] {
  return items.map(({ body }) => body)
}
