import { describe, expect, it, test } from 'vitest'
import { type Minter, rightsFor, type TokenRequest, type TokenRights } from '../../src/domain/token/rules.ts'
import { type Role, rank, roles, type WriteMode, writeModes } from '../../src/kernel/viewer.ts'
import { failure, outcome, startTime } from './identity-support.ts'

const whole: Minter = { userId: 1, scope: 'dm', campaignId: null, writeMode: 'direct', admin: true, expiresAt: null }
const person: Minter = { ...whole, admin: false }
const admin = { admin: true, username: 'marta' }
const nobody = { admin: false, username: 'hob' }
const request = (rest: Partial<TokenRequest>): TokenRequest => ({ tokenName: 'laptop', scope: 'dm', ...rest })
const grant = (minter: Minter, owner: typeof admin, rest: Partial<TokenRequest>): TokenRights =>
  rightsFor(minter, owner, request(rest), startTime)

describe('narrowing', () => {
  const minters = roles.flatMap((scope) =>
    [null, 7].flatMap((campaignId) =>
      writeModes.flatMap((writeMode) =>
        [true, false].map((isAdmin): Minter => ({ ...whole, scope, campaignId, writeMode, admin: isAdmin })),
      ),
    ),
  )
  const requests = roles.flatMap((scope) =>
    [undefined, 7, 8].flatMap((campaignId) =>
      [undefined, ...writeModes].flatMap((writeMode) =>
        [undefined, true, false].map((wanted) => request({ scope, campaignId, writeMode, admin: wanted })),
      ),
    ),
  )

  it('holds for every minter and every request: granted as asked, or refused because it is more', async () => {
    let granted = 0
    for (const minter of minters) {
      for (const asked of requests) {
        const mode: WriteMode = asked.writeMode ?? 'direct'
        const exceeds =
          rank(asked.scope) > rank(minter.scope) ||
          writeModes.indexOf(mode) > writeModes.indexOf(minter.writeMode) ||
          (minter.campaignId !== null && asked.campaignId !== minter.campaignId)
        const whole = asked.scope === 'dm' && asked.campaignId === undefined && mode === 'direct'
        const expected = exceeds
          ? 'forbidden'
          : asked.admin !== true
            ? 'done'
            : whole
              ? minter.admin
                ? 'done'
                : 'forbidden'
              : 'validation_failed'
        expect(await outcome(() => rightsFor(minter, admin, asked, startTime)), JSON.stringify({ minter, asked })).toBe(
          expected,
        )
        if (expected !== 'done') continue
        granted += 1
        expect(rightsFor(minter, admin, asked, startTime)).toEqual({
          scope: asked.scope,
          campaignId: asked.campaignId ?? null,
          writeMode: mode,
          admin: whole && minter.admin && asked.admin !== false,
          expiresAt: null,
        })
      }
    }
    expect(granted).toBeGreaterThan(500)
  })

  test.each<[string, Minter, Partial<TokenRequest>, boolean]>([
    ['scope dm, unbound, direct', whole, {}, true],
    ['the same, asked for', whole, { admin: true }, true],
    ['the same, refused', whole, { admin: false }, false],
    ['scope player', whole, { scope: 'player' }, false],
    ['scope viewer', whole, { scope: 'viewer' }, false],
    ['bound to a campaign', whole, { campaignId: 7 }, false],
    ['writeMode propose', whole, { writeMode: 'propose' }, false],
    ['writeMode read', whole, { writeMode: 'read' }, false],
    ['made by somebody who is no administrator', person, {}, false],
  ])('server-admin rights by default: %s', (_, minter, rest, expected) => {
    expect(grant(minter, admin, rest).admin).toBe(expected)
  })

  it('gives a user who is no administrator no server-admin rights, whoever makes the token', async () => {
    expect(grant(whole, nobody, {}).admin).toBe(false)
    expect((await failure(() => grant(whole, nobody, { admin: true })))?.message).toBe(
      'hob is no server administrator.',
    )
  })

  it('says what the most would be', async () => {
    const narrow: Minter = { ...person, scope: 'player', campaignId: 7, writeMode: 'propose' }
    const message = async (rest: Partial<TokenRequest>): Promise<string | undefined> =>
      (await failure(() => grant(narrow, nobody, rest)))?.message
    expect(await message({ scope: 'dm' as Role })).toContain('scope is at most player')
    expect(await message({ scope: 'player' })).toContain('campaignId is 7')
    expect(await message({ scope: 'player', campaignId: 7 })).toContain('writeMode is at most propose')
    expect(await message({ scope: 'player', campaignId: 7, writeMode: 'propose' })).toBeUndefined()
  })

  test.each([
    ['never, as asked', null, undefined, null],
    ['after days', null, 30, '2026-12-21T09:30:00.000Z'],
    ['with its maker at the latest', '2026-11-25T00:00:00.000Z', undefined, '2026-11-25T00:00:00.000Z'],
    ['with its maker although later was asked', '2026-11-25T00:00:00.000Z', 30, '2026-11-25T00:00:00.000Z'],
    ['before its maker', '2027-11-25T00:00:00.000Z', 1, '2026-11-22T09:30:00.000Z'],
  ])('ends %s', (_, makerEnds, expiresInDays, expected) => {
    expect(grant({ ...person, expiresAt: makerEnds }, nobody, { expiresInDays }).expiresAt).toBe(expected)
  })
})
