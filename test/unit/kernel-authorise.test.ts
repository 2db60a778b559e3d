import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { operations } from '../../src/catalogue.ts'
import { authorise, authoriseTransfer } from '../../src/kernel/authorise.ts'
import type { Entity } from '../../src/kernel/entity.ts'
import { Failure } from '../../src/kernel/errors.ts'
import { idOf } from '../../src/kernel/fields.ts'
import type { Access, AnyOperation } from '../../src/kernel/operation.ts'
import {
  type Actor,
  atLeast,
  type Credential,
  capRole,
  type Door,
  type Effect,
  type Role,
  rank,
  roles,
  type WriteMode,
  writeModes,
} from '../../src/kernel/viewer.ts'

// Rules that hold for every combination, and not only for those that a test thought of.

const accesses: readonly Access[] = [
  'public',
  'user',
  'viewer',
  'player',
  'dm',
  'owner',
  'author',
  'author+dm',
  'controller',
  'turn',
  'dm+propose',
  'admin',
  'session',
]
const effects: readonly Effect[] = ['read', 'write', 'destroy']
const memberships: readonly (Role | null)[] = [null, ...roles]

// What can be proposed is never a read.
const exists = ({ access, effect }: Case): boolean => access !== 'dm+propose' || effect !== 'read'

interface Case {
  readonly access: Access
  readonly effect: Effect
  readonly membership: Role | null
  readonly owns: boolean
  readonly playersPropose: boolean
}
const cases: readonly Case[] = accesses
  .flatMap((access) =>
    effects.flatMap((effect) =>
      memberships.flatMap((membership) =>
        [true, false].flatMap((owns) =>
          [true, false].map((playersPropose) => ({ access, effect, membership, owns, playersPropose })),
        ),
      ),
    ),
  )
  .filter(exists)

const entity = { owner: 'authorUserId', controller: 'authorUserId', acting: null, fields: {} } as unknown as Entity
const credential = (scope: Role, writeMode: WriteMode, kind: Credential['kind'] = 'token'): Credential => ({
  kind,
  id: 1,
  scope,
  campaignId: null,
  writeMode,
  clientId: null,
  toolsets: null,
})
const actor = (its: Credential, admin = false): Actor => ({ userId: 7, username: 'marta', admin, credential: its })

/** `direct`, `propose`, or the code of the refusal. */
function outcome({ access, effect, membership, owns, playersPropose }: Case, its: Credential, admin = false): string {
  const operation = {
    name: 'try_it',
    access,
    effect,
    route: 'POST /campaigns/{campaignId}/try',
    input: z.strictObject({ campaignId: idOf('campaign') }),
  } as unknown as AnyOperation
  const claim = {
    operation,
    actor: actor(its, admin),
    door: 'rest' as Door,
    role: membership === null ? null : capRole(membership, its.scope),
    subjects: [{ entity, row: { authorUserId: owns ? 7 : 8 } }],
    rowOf: () => null,
    playersPropose,
  }
  try {
    return authorise(claim, {} as never).verdict
  } catch (error) {
    if (error instanceof Failure) return error.code
    throw error
  }
}

const strength = { propose: 1, direct: 2 } as Readonly<Record<string, number>>
const strengthOf = (verdict: string): number => strength[verdict] ?? 0

describe('a narrower credential', () => {
  test('never does what a wider one of the same person may not (SPEC 5.4)', () => {
    let pairs = 0
    for (const each of cases) {
      for (const scope of roles) {
        for (const mode of writeModes) {
          const narrow = strengthOf(outcome(each, credential(scope, mode)))
          for (const wider of roles.slice(rank(scope))) {
            for (const more of writeModes.slice(writeModes.indexOf(mode))) {
              const wide = outcome(each, credential(wider, more))
              expect(strengthOf(wide), JSON.stringify({ each, scope, mode, wider, more })).toBeGreaterThanOrEqual(
                narrow,
              )
              pairs += 1
            }
          }
        }
      }
    }
    expect(pairs).toBeGreaterThan(20_000)
  })

  test('of scope viewer or write mode read writes nothing at all', () => {
    for (const each of cases.filter(({ effect }) => effect !== 'read')) {
      for (const mode of writeModes) expect(strengthOf(outcome(each, credential('viewer', mode)))).toBe(0)
      for (const scope of roles) expect(strengthOf(outcome(each, credential(scope, 'read')))).toBe(0)
    }
  })

  test('of write mode propose changes nothing itself', () => {
    for (const each of cases.filter(({ effect }) => effect !== 'read')) {
      for (const scope of roles) expect(outcome(each, credential(scope, 'propose'))).not.toBe('direct')
    }
  })
})

test('a stronger membership never does less', () => {
  for (const each of cases) {
    for (const membership of roles.slice(0, -1)) {
      const weaker = strengthOf(outcome({ ...each, membership }, credential('dm', 'direct')))
      const stronger = strengthOf(
        outcome({ ...each, membership: roles[rank(membership) + 1] as Role }, credential('dm', 'direct')),
      )
      expect(stronger, JSON.stringify({ each, membership })).toBeGreaterThanOrEqual(weaker)
    }
  }
})

test('who is no member is let in by no word of a campaign, administrator or not', () => {
  const inCampaign = cases.filter(
    ({ access, membership }) => membership === null && !['public', 'user', 'admin', 'session'].includes(access),
  )
  for (const each of inCampaign) {
    for (const admin of [true, false]) expect(outcome(each, credential('dm', 'direct'), admin)).toBe('forbidden')
  }
})

test('the author’s own is the author’s: the Dungeon Master of the campaign is refused', () => {
  for (const each of cases.filter(({ access, membership }) => access === 'author' && membership === 'dm')) {
    expect(outcome(each, credential('dm', 'direct'))).toBe(each.owns ? 'direct' : 'forbidden')
  }
})

test('server administration takes the right, and tokens and passwords take a person or an administrator’s own token', () => {
  for (const effect of effects) {
    const plain = { effect, membership: 'dm', owns: true, playersPropose: true } as const
    expect(outcome({ ...plain, access: 'admin' }, credential('dm', 'direct'))).toBe('forbidden')
    expect(outcome({ ...plain, access: 'admin' }, credential('dm', 'direct'), true)).toBe('direct')
    for (const [kind, admin, verdict] of [
      ['session', false, 'direct'],
      ['token', false, 'forbidden'],
      ['token', true, 'direct'],
      ['oauth', false, 'forbidden'],
      ['oauth', true, 'forbidden'],
      ['system', true, 'forbidden'],
    ] as const) {
      expect(outcome({ ...plain, access: 'session' }, credential('dm', 'direct', kind), admin), kind).toBe(verdict)
    }
  }
})

test('roles are a ladder, and a cap is the lower of two', () => {
  for (const one of roles) {
    for (const other of roles) {
      expect(capRole(one, other)).toBe(rank(one) <= rank(other) ? one : other)
      expect(atLeast(one, other)).toBe(rank(one) >= rank(other))
    }
    expect(atLeast(null, one)).toBe(false)
  }
})

test('a transfer is entered by who may, and writes only with a credential that writes', () => {
  const codeOf = (work: () => void): string => {
    try {
      work()
      return 'enters'
    } catch (error) {
      return (error as Failure).code
    }
  }
  const whole = actor(credential('dm', 'direct', 'session'))
  for (const access of accesses.filter((each) => each !== 'public')) {
    expect(
      codeOf(() => authoriseTransfer(access, null, 'read')),
      access,
    ).toBe('unauthenticated')
  }
  expect(codeOf(() => authoriseTransfer('public', null, 'write'))).toBe('enters')
  expect(codeOf(() => authoriseTransfer('admin', whole, 'read'))).toBe('forbidden')
  expect(codeOf(() => authoriseTransfer('admin', { ...whole, admin: true }, 'destroy'))).toBe('enters')
  for (const narrow of [credential('viewer', 'direct'), credential('dm', 'read'), credential('dm', 'propose')]) {
    expect(codeOf(() => authoriseTransfer('player', actor(narrow), 'write'))).toBe('write_mode')
    expect(codeOf(() => authoriseTransfer('player', actor(narrow), 'read'))).toBe('enters')
  }
})

test('every operation of the catalogue that only a person decides says so for one of its inputs alone', () => {
  const human = [...operations.values()].filter(({ humanOnly }) => humanOnly !== undefined)
  expect(human.map(({ name }) => name)).toEqual([
    'update_campaign_settings',
    'set_my_ai_consent',
    'set_my_support_preference',
    'update_ai_seat',
    'resume_ai_seat',
  ])
  for (const operation of human) {
    // Whether an AI that somebody stopped goes on is for a person alone.
    if (operation.name === 'resume_ai_seat') continue
    const example = operation.example({ id: () => 3, text: () => 'x' })
    // The example turns something off: that is open to everybody.
    expect(operation.humanOnly?.(example as never)).toBeNull()
  }
})
