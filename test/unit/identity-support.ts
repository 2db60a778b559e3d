import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { onTestFinished } from 'vitest'
import { allOperations, entities, operations, serverOperations } from '../../src/catalogue.ts'
import { type Ending, endingsOf } from '../../src/identity/endings.ts'
import { createIdentity, type Identity, type IdentityParts } from '../../src/identity/identity.ts'
import type { Argon2id } from '../../src/identity/passwords.ts'
import { authoriseTransfer } from '../../src/kernel/authorise.ts'
import { Failure } from '../../src/kernel/errors.ts'
import { execute, executeWithin } from '../../src/kernel/execute.ts'
import { parseInput } from '../../src/kernel/input.ts'
import type { AnyOperation } from '../../src/kernel/operation.ts'
import type { System } from '../../src/kernel/system.ts'
import type { TransferContext } from '../../src/kernel/transfer.ts'
import type { Actor, Role } from '../../src/kernel/viewer.ts'
import { recheckGrant } from '../../src/oauth/access.ts'
import { createRegistry } from '../../src/storage/registry.ts'
import { migrationsOf } from '../../src/storage/schema.ts'
import { hashSecret } from '../../src/storage/secrets.ts'
import { openStore, type Store } from '../../src/storage/store.ts'
import { createSystem } from '../../src/storage/system.ts'
import { noModel } from '../support/no-model.ts'
import { noTravel } from '../support/no-travel.ts'
import { seededRandom } from '../support/random.ts'
import { insertSession } from '../support/sessions.ts'

export const startTime = '2026-11-21T09:30:00.000Z'
export const password = 'correct horse'
const address = '192.0.2.7'

/** What a call brought: answer, cookie, and everything it wrote. */
export interface Called {
  readonly answer: Readonly<Record<string, unknown>>
  /** The cookie's value after the call; undefined where it was not touched. */
  readonly cookie: string | null | undefined
  /** The cookie by which the browser is known from now on; undefined where it was not set. */
  readonly device: string | undefined
}

export interface CallOptions {
  readonly bearer?: string
  readonly cookie?: string | null
  readonly device?: string | undefined
  readonly address?: string
  readonly loopback?: boolean
  readonly idempotencyKey?: string
}

export interface World {
  readonly identity: Identity
  readonly store: Store
  /** Whose streams were told to close. */
  readonly ended: Ending[]
  readonly warnings: string[]
  /** Moves the clock, in milliseconds. */
  pass(ms: number): void
  now(): string
  /** Calls an operation or a transfer as http does: credential, access, strict input. */
  call(name: string, input?: Readonly<Record<string, unknown>>, options?: CallOptions): Promise<Called>
  /** A user, with the password of all, signed in. */
  user(
    username: string,
    options?: { readonly admin?: boolean },
  ): Promise<{ readonly id: number; readonly cookie: string }>
  campaign(...members: readonly (readonly [userId: number, role: Role])[]): number
  /** An open invite; its code. */
  invite(campaignId: number, options?: { readonly maxUses?: number; readonly expiresAt?: string }): string
  /** An app that a user has let in; the grant's id. */
  grant(userId: number): number
  /** Why a grant has ended; null while it has not. */
  grantEnd(id: number): unknown
  /** The same installation after the program was started anew. */
  restarted(): Pick<World, 'call'>
  resolve(options: CallOptions): Actor | null
}

const minute = 60_000
export const time = { minute, hour: 60 * minute, day: 24 * 60 * minute } as const

/** An installation in a temporary folder with a clock that stands still, and the real pipeline behind the invites. */
export function makeWorld(overrides: Partial<IdentityParts> = {}): World {
  const folder = mkdtempSync(path.join(tmpdir(), 'identity-test-'))
  const registry = createRegistry(entities)
  const store = openStore({
    path: path.join(folder, 'talekeeper.db'),
    registry,
    migrations: migrationsOf(registry),
    now: startTime,
    copyBeforeMigration: null,
  })
  let millis = Date.parse(startTime)
  const clock = (): Date => new Date(millis)
  const ended: Ending[] = []
  const warnings: string[] = []
  /** The program as it starts: all that it keeps in memory is new. */
  const start = () => {
    const system: System = createSystem({
      operations: allOperations,
      services: {
        images: {
          keep: () => {
            throw new Error('no image is kept here')
          },
        },
        calendarFeeds: { pathOf: () => '/ics/none.ics' },
        rulePacks: {
          stage: () => {
            throw new Error('no rule pack is installed here')
          },
        },
        travel: noTravel,
        model: noModel,
        passwords: {
          hash: (given) => identity.passwords.hash(given),
          prove: (...given) => identity.passwords.prove(...given),
        },
      },
      store: () => store,
      clock,
      random: seededRandom(),
      stopping: new AbortController().signal,
      acquireShared: async () => () => {},
      recheck: (...given) => identity.recheck(...given),
      announce: (changes) => void ended.push(...endingsOf(changes)),
      onUnannounced: (error) => {
        throw error
      },
      fileProposal: () => {
        throw new Error('no proposal is filed here')
      },
    })
    const identity: Identity = createIdentity({
      store: () => store,
      system: () => system,
      clock,
      log: { warn: (facts, message) => warnings.push(`${message} ${JSON.stringify(facts)}`) },
      version: '1.2.3',
      key: () => Buffer.from('the key of this server'),
      mayBeBehindProxy: false,
      loadArgon2: async () => quickHash,
      acceptInvite(unit, actor, code) {
        const operation = operations.get('accept_invite') as AnyOperation
        const call = { actor, door: 'rest', idempotencyKey: null, reason: null, requestId: 'r' } as const
        const { output } = executeWithin(system, unit, operation, { code }, call)
        return (output as { readonly campaignId: number }).campaignId
      },
      previewInvite(code) {
        const row = store.get(
          'SELECT c.name, i.role, i.expires_at FROM invites i JOIN campaigns c ON c.id = i.campaign_id WHERE i.code_hash = @hash AND i.expires_at > @now',
          { hash: hashSecret(code), now: clock().toISOString() },
        )
        return row
          ? { campaignName: String(row.name), role: row.role as Role, expiresAt: String(row.expires_at) }
          : null
      },
      recheckGrant,
      ...overrides,
    })
    const resolve = ({ bearer, cookie = null }: CallOptions): Actor | null =>
      identity.resolve({
        authorization: bearer === undefined ? undefined : `Bearer ${bearer}`,
        sessionSecret: cookie,
        audience: 'http://localhost',
      })

    const call: World['call'] = async (name, input = {}, options = {}) => {
      const actor = resolve(options)
      const operation = serverOperations.get(name)
      if (operation) {
        const key = options.idempotencyKey ?? null
        const known = { actor, door: 'rest', idempotencyKey: key, reason: null, requestId: 'r' } as const
        const { output } = await execute(system, operation, input, { ...known, address: options.address ?? address })
        operation.output.parse(output)
        return { answer: output as Called['answer'], cookie: undefined, device: undefined }
      }
      const transfer = identity.transfers.find((each) => each.name === name)
      if (transfer === undefined) throw new Error(`there is no operation and no transfer ${name}`)
      authoriseTransfer(transfer.access, actor, transfer.effect)
      let cookie: string | null | undefined
      let device: string | undefined
      const context = fakeTransferContext(
        actor,
        options,
        (value) => {
          cookie = value
        },
        (value) => {
          device = value
        },
      )
      const answer = (await transfer.handle(context, parseInput(transfer.input, input))) as Called['answer']
      // Everything that is answered fits what is declared.
      transfer.output?.parse(answer)
      return { answer, cookie, device }
    }

    return { identity, resolve, call }
  }
  const { identity, resolve, call } = start()
  onTestFinished(() => {
    identity.close()
    store.close()
    rmSync(folder, { recursive: true, force: true })
  })

  return {
    identity,
    store,
    ended,
    warnings,
    resolve,
    call,
    now: () => clock().toISOString(),
    pass(ms) {
      millis += ms
    },
    async user(username, { admin = false } = {}) {
      const passwordHash = await knownHash()
      const { id } = store.run(
        'INSERT INTO users (username, password_hash, admin, created_at, updated_at) VALUES (@username, @passwordHash, @admin, @now, @now)',
        { username, passwordHash, admin: admin ? 1 : 0, now: startTime },
      )
      // Not through sign_in, which takes the time of a password hash, and leaves a record.
      return { id, cookie: insertSession(store, id, clock().toISOString()) }
    },
    grant(userId) {
      const now = clock().toISOString()
      const { id } = store.run(
        `INSERT INTO oauth_grants (user_id, client_id, scope, write_mode, resource, expires_at, created_at, updated_at)
         VALUES (@userId, 'an app', 'dm', 'direct', 'http://localhost', '2027-01-01T00:00:00.000Z', @now, @now)`,
        { userId, now },
      )
      return id
    },
    grantEnd: (id) => store.get('SELECT ended_reason AS why FROM oauth_grants WHERE id = @id', { id })?.why,
    restarted: start,
    campaign(...members) {
      const now = clock().toISOString()
      const { id } = store.run(
        "INSERT INTO campaigns (name, created_at, updated_at) VALUES ('The Orchard', @now, @now)",
        { now },
      )
      for (const [userId, role] of members) {
        store.run(
          'INSERT INTO memberships (campaign_id, user_id, role, created_at, updated_at) VALUES (@id, @userId, @role, @now, @now)',
          { id, userId, role, now },
        )
      }
      return id
    },
    invite(campaignId, { maxUses = 5, expiresAt = '2027-01-01T00:00:00.000Z' } = {}) {
      const code = `tki_${campaignId}_${maxUses}_${expiresAt}`
      store.run(
        `INSERT INTO invites (campaign_id, code_hash, hint, role, expires_at, max_uses, created_at, updated_at)
         VALUES (@campaignId, @hash, 'tki_', 'player', @expiresAt, @maxUses, @now, @now)`,
        { campaignId, hash: hashSecret(code), expiresAt, maxUses, now: clock().toISOString() },
      )
      return code
    },
  }

  function knownHash(): Promise<string> {
    known ??= identity.services.passwords.hash(password)
    return known
  }
}

/** Stands in for argon2id, which is slow on purpose; identity-passwords.test.ts and identity-door.test.ts use the real one. */
export const quickHash: Argon2id = async ({ password: given, salt, bytes }) =>
  createHash('sha512').update(salt).update(given).digest().subarray(0, bytes)

let known: Promise<string> | undefined

function fakeTransferContext(
  actor: Actor | null,
  options: CallOptions,
  onCookie: (value: string | null) => void,
  onDevice: (value: string) => void,
): TransferContext {
  const none = (): never => {
    throw new Error('this context carries JSON only')
  }
  return {
    actor,
    requestId: 'request-1',
    signal: new AbortController().signal,
    address: options.address ?? address,
    origin: 'http://localhost',
    userAgent: 'a browser',
    loopback: options.loopback ?? false,
    idempotencyKey: options.idempotencyKey ?? null,
    reason: null,
    lastEventId: null,
    session: {
      secret: options.cookie ?? null,
      set: (secret) => onCookie(secret),
      clear: () => onCookie(null),
    },
    device: { value: options.device ?? null, set: onDevice },
    receive: none,
    send: none,
    events: none,
  }
}

/** The code with which a call fails, or `done`. */
export async function outcome(work: Promise<unknown> | (() => unknown)): Promise<string> {
  return (await failure(work))?.code ?? 'done'
}

/** The failure of a call; null where it succeeds. Anything else that is thrown fails the test. */
export async function failure(work: Promise<unknown> | (() => unknown)): Promise<Failure | null> {
  try {
    await (typeof work === 'function' ? work() : work)
    return null
  } catch (error) {
    if (error instanceof Failure) return error
    throw error
  }
}

/** Every row of the database as text, to look for what must not be in it. */
export function wholeDatabase(store: Store): string {
  const tables = store.all("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'search_text%'")
  return tables.map(({ name }) => JSON.stringify(store.all(`SELECT * FROM "${name}"`))).join('\n')
}
