import { describe, expect, it, test } from 'vitest'
import { oauthClient, oauthGrant } from '../../src/domain/app/entity.ts'
import { signIn } from '../../src/domain/sign-in/entity.ts'
import { personalToken } from '../../src/domain/token/entity.ts'
import { user } from '../../src/domain/user/entity.ts'
import { type Ending, endingsOf } from '../../src/identity/endings.ts'
import type { Entity } from '../../src/kernel/entity.ts'
import type { RowChange } from '../../src/storage/change-set.ts'

// Which streams close, from what was changed and from nothing else: no operation says it.

type Row = Readonly<Record<string, unknown>>
const account = { userId: 7, admin: true, disabledAt: null, passwordHash: 'one', username: 'hob' }
const token = { userId: 7, revokedAt: null }
const grant = { userId: 7, endedAt: null }
const session = { userId: 7 }

function change(entity: unknown, before: Row | null, after: Row | null): RowChange {
  const kind = before === null ? 'create' : after === null ? 'purge' : 'update'
  return { entity: entity as Entity, id: 7, campaignId: null, kind, before, after, isPublic: true }
}
const updated = (entity: unknown, before: Row, patch: Row): RowChange => change(entity, before, { ...before, ...patch })

const all: Ending = { userId: 7 }
const one = (kind: 'session' | 'token' | 'oauth'): Ending => ({ userId: 7, only: { kind, id: 7 } })

test.each<[string, RowChange, Ending | null]>([
  ['a user who is disabled', updated(user, account, { disabledAt: 'now' }), all],
  ['one who loses their rights', updated(user, account, { admin: false }), all],
  ['one who gets another password', updated(user, account, { passwordHash: 'two' }), all],
  ['one who is gone', change(user, account, null), all],
  ['one who is new', change(user, null, account), null],
  ['one who gets another name', updated(user, account, { username: 'Hobson' }), null],
  ['one who gets rights', updated(user, { ...account, admin: false }, { admin: true }), null],
  ['one who is enabled', updated(user, { ...account, disabledAt: 'then' }, { disabledAt: null }), null],
  ['a session that begins', change(signIn, null, session), null],
  ['a session that ends', change(signIn, session, null), one('session')],
  ['a token that is made', change(personalToken, null, token), null],
  ['a token that is revoked', updated(personalToken, token, { revokedAt: 'now' }), one('token')],
  ['an app that is let in', change(oauthGrant, null, grant), null],
  ['an app that is disconnected', updated(oauthGrant, grant, { endedAt: 'now' }), one('oauth')],
  ['an app whose registration goes', change(oauthGrant, grant, null), one('oauth')],
  ['the registration itself', change(oauthClient, { clientId: 'x' }, null), null],
])('%s', (_, changed, expected) => {
  expect(endingsOf([changed])).toEqual(expected === null ? [] : [expected])
})

describe('together', () => {
  it('are one ending of all, where all of a user ends, and each by itself otherwise', () => {
    const others = [
      change(signIn, session, null),
      updated(personalToken, { ...token, userId: 8 }, { revokedAt: 'now' }),
      updated(oauthGrant, grant, { endedAt: 'now' }),
    ]
    expect(endingsOf([...others, updated(user, account, { disabledAt: 'now' })])).toEqual([
      all,
      { userId: 8, only: { kind: 'token', id: 7 } },
    ])
    expect(endingsOf(others)).toEqual([one('session'), { userId: 8, only: { kind: 'token', id: 7 } }, one('oauth')])
  })
})
