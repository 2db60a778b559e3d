import { randomInt } from 'node:crypto'
import type { Database as Connection } from 'better-sqlite3'
import { fail } from '../kernel/errors.ts'
import { type Role, rank } from '../kernel/viewer.ts'
import type { LiveDatabase } from './live-database.ts'
import { signInTables } from './prepare.ts'
import { columnsOf, hasTable } from './tables.ts'

// What was taken away since the backup stays taken away (SPEC 5: a restore is no way to get rights back):
//
// 1. people are matched by `users.key`, which nobody can change, never by id or name
// 2. accounts: disabled ones stay disabled, former administrators stay without that right, newer passwords stay
// 3. memberships: who was removed or lowered stays so, unless a campaign would be left without a Dungeon Master;
//    consent that was withdrawn stays withdrawn
// 4. secrets that were revoked stay revoked, matched by their hash; addresses of calendars that were ended stay so
// 5. somebody who can sign in must be left to administer the server
//
// Campaigns are the same ones by id and time of creation.

/** A member of a campaign, by the names that they have in the restored database. */
export interface MemberName {
  readonly campaign: string
  readonly username: string
}

/** What a restore left as it was before and not as the backup has it: whoever restores may decide otherwise now. */
export interface RightsKept {
  readonly disabled: readonly string[]
  readonly administratorsLost: readonly string[]
  /** Accounts that keep the password they had, not the one of the backup. */
  readonly passwords: readonly string[]
  readonly membersRemoved: readonly MemberName[]
  readonly rolesLowered: readonly (MemberName & { readonly role: Role })[]
  readonly consentsWithdrawn: readonly MemberName[]
  /** Campaigns that stay closed to external AI. */
  readonly aiDisabled: readonly string[]
  /** Who runs a campaign as in the backup, since nobody else would. */
  readonly dungeonMastersRestored: readonly MemberName[]
  /** Revoked secrets, by table. */
  readonly revoked: Readonly<Record<string, number>>
}

/** Who has to administer the server after a restore that would leave nobody: by id now, or by name in the backup. */
export type Administrator = { readonly userId: number } | { readonly username: string }

interface Person {
  readonly key: string
  readonly live: Readonly<Record<string, unknown>>
  readonly id: number
  readonly username: string
}

/** Carries over 1 to 4 into the staged database, inside the caller's transaction. */
export function keepRights(live: LiveDatabase, staged: Connection, now: string): RightsKept {
  const people = matchPeople(live, staged)
  endCalendarAddresses(live, staged, people)
  return {
    ...keepAccounts(people, staged),
    ...keepMemberships(live, staged, people, now),
    revoked: keepRevocations(live, staged),
  }
}

const accountColumns = ['id', 'key', 'username', 'password_hash', 'admin', 'disabled_at', 'updated_at']

/** 1. */
function matchPeople(live: LiveDatabase, staged: Connection): readonly Person[] {
  const find = staged.prepare('SELECT id, username FROM users WHERE key = ?')
  return live.rows('users', accountColumns).flatMap((row): Person[] => {
    const found = find.get(row.key) as { id: number; username: string } | undefined
    return found === undefined ? [] : [{ key: String(row.key), live: row, ...found }]
  })
}

/** 2. */
function keepAccounts(
  people: readonly Person[],
  staged: Connection,
): Pick<RightsKept, 'disabled' | 'administratorsLost' | 'passwords'> {
  const changed = (sql: string, given: (person: Person) => Readonly<Record<string, unknown>> | null): string[] => {
    const update = staged.prepare(sql)
    return people
      .filter((person) => {
        const values = given(person)
        return values !== null && update.run({ id: person.id, ...values }).changes > 0
      })
      .map(({ username }) => username)
  }
  return {
    disabled: changed(
      'UPDATE users SET disabled_at = @disabledAt WHERE id = @id AND disabled_at IS NULL',
      ({ live }) => (live.disabled_at === null ? null : { disabledAt: live.disabled_at }),
    ),
    administratorsLost: changed('UPDATE users SET admin = 0 WHERE id = @id AND admin = 1', ({ live }) =>
      live.admin === 0 ? {} : null,
    ),
    // A backup from after the present state, of another machine for one, may hold the newer one.
    passwords: changed(
      'UPDATE users SET password_hash = @hash, updated_at = @at WHERE id = @id AND password_hash <> @hash AND updated_at < @at',
      ({ live }) => ({ hash: live.password_hash, at: live.updated_at }),
    ),
  }
}

interface Member {
  readonly id: number
  readonly role: Role
  readonly consents: boolean
  readonly name: MemberName
  /** Their membership now; undefined where they have none any more. */
  readonly now: { readonly role: Role; readonly consents: boolean } | undefined
}

type MembershipsKept = Omit<RightsKept, 'disabled' | 'administratorsLost' | 'passwords' | 'revoked'>

/** 3. */
function keepMemberships(
  live: LiveDatabase,
  staged: Connection,
  people: readonly Person[],
  now: string,
): MembershipsKept {
  const kept = {
    membersRemoved: [] as MemberName[],
    rolesLowered: [] as (MemberName & { role: Role })[],
    consentsWithdrawn: [] as MemberName[],
    aiDisabled: [] as string[],
    dungeonMastersRestored: [] as MemberName[],
  }
  if (!hasTable(staged, 'memberships')) return kept
  const change = {
    remove: staged.prepare('UPDATE memberships SET deleted_at = @now, revision = revision + 1 WHERE id = @id'),
    role: staged.prepare(
      'UPDATE memberships SET deleted_at = NULL, role = @role, revision = revision + 1 WHERE id = @id',
    ),
    consent: staged.prepare('UPDATE memberships SET ai_consent = 0, revision = revision + 1 WHERE id = @id'),
    policy: staged.prepare(
      `UPDATE campaigns SET ai_content_policy = 'disabled', revision = revision + 1 WHERE id = @id AND ai_content_policy <> 'disabled'`,
    ),
  }
  for (const { id, name, aiDisabled } of sameCampaigns(live, staged)) {
    if (aiDisabled && change.policy.run({ id }).changes > 0) kept.aiDisabled.push(name)
    const members = membersOf(live, staged, people, { id, name })
    const removed = members.filter((member) => member.now === undefined)
    const lowered = members.filter((member) => member.now !== undefined && rank(member.now.role) < rank(member.role))
    for (const member of removed) change.remove.run({ id: member.id, now })
    for (const member of lowered) change.role.run({ id: member.id, role: member.now?.role })
    const restored = hasDungeonMaster(staged, id) ? [] : members.filter(({ role }) => role === 'dm')
    for (const { id: memberId, role } of restored) change.role.run({ id: memberId, role })
    kept.dungeonMastersRestored.push(...restored.map((member) => member.name))
    kept.membersRemoved.push(...removed.filter((each) => !restored.includes(each)).map((member) => member.name))
    kept.rolesLowered.push(
      ...lowered
        .filter((each) => !restored.includes(each))
        .map((member) => ({ ...member.name, role: member.now?.role ?? member.role })),
    )
    for (const member of members) {
      if (!member.consents || member.now?.consents !== false) continue
      change.consent.run({ id: member.id })
      kept.consentsWithdrawn.push(member.name)
    }
  }
  return kept
}

/** Campaigns of both databases, by the name in the staged one. */
function sameCampaigns(live: LiveDatabase, staged: Connection) {
  const find = staged.prepare('SELECT name FROM campaigns WHERE id = @id AND created_at = @created_at').pluck()
  return live.rows('campaigns', ['id', 'created_at', 'ai_content_policy']).flatMap((row) => {
    const name = find.get({ id: row.id, created_at: row.created_at })
    return typeof name === 'string'
      ? [{ id: row.id as number, name, aiDisabled: row.ai_content_policy === 'disabled' }]
      : []
  })
}

/** The members that a campaign has in the staged database, as far as they are people of both. */
function membersOf(
  live: LiveDatabase,
  staged: Connection,
  people: readonly Person[],
  campaign: { readonly id: number; readonly name: string },
): readonly Member[] {
  const columns = ['user_id', 'role', 'ai_consent']
  const present = live.rows('memberships', columns, `deleted_at IS NULL AND campaign_id = ${campaign.id}`)
  const byUser = new Map(
    present.map((row) => [row.user_id, { role: row.role as Role, consents: row.ai_consent === 1 }]),
  )
  const rows = staged
    .prepare(`SELECT id, ${columns.join(', ')} FROM memberships WHERE deleted_at IS NULL AND campaign_id = ?`)
    .all(campaign.id) as readonly { id: number; user_id: number; role: Role; ai_consent: number }[]
  return rows.flatMap(({ id, user_id, role, ai_consent }) => {
    const person = people.find((each) => each.id === user_id)
    if (person === undefined) return []
    const name = { campaign: campaign.name, username: person.username }
    return [{ id, role, consents: ai_consent === 1, name, now: byUser.get(person.live.id) }]
  })
}

function hasDungeonMaster(staged: Connection, campaignId: number): boolean {
  const sql = `SELECT 1 FROM memberships m JOIN users u ON u.id = m.user_id
    WHERE m.campaign_id = ? AND m.role = 'dm' AND m.deleted_at IS NULL AND u.disabled_at IS NULL`
  return staged.prepare(sql).get(campaignId) !== undefined
}

/**
 * 4. The address of a member's calendar is made of their membership and a version. Whoever made a new one keeps it; whoever
 * left and came back has another membership now, and the one of then gets a version that was never given out.
 */
function endCalendarAddresses(live: LiveDatabase, staged: Connection, people: readonly Person[]): void {
  const columns = ['id', 'campaign_id', 'user_id', 'calendar_feed_version', 'created_at']
  const present = columnsOf(staged, 'memberships')
  if (!columns.every((name) => present.has(name))) return
  const update = staged.prepare('UPDATE memberships SET calendar_feed_version = @version WHERE id = @id')
  const then = staged.prepare(`SELECT ${columns.join(', ')} FROM memberships`).all() as readonly Readonly<
    Record<string, number | string>
  >[]
  const now = live.rows('memberships', columns, 'deleted_at IS NULL')
  const campaigns = new Set(sameCampaigns(live, staged).map(({ id }) => id))
  for (const row of then) {
    const person = people.find(({ id }) => id === row.user_id)
    if (person === undefined || !campaigns.has(row.campaign_id as number)) continue
    const theirs = now.find((each) => each.campaign_id === row.campaign_id && each.user_id === person.live.id)
    const isSame = theirs?.id === row.id && theirs?.created_at === row.created_at
    const version = isSame
      ? Math.max(Number(theirs?.calendar_feed_version), Number(row.calendar_feed_version))
      : randomInt(1, 2 ** 31)
    update.run({ id: row.id, version })
  }
}

/** 4. A secret's hash means the same in both databases; a deleted or used-up invite opens nothing again. */
function keepRevocations(live: LiveDatabase, staged: Connection): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const { table, hash } of revocableTables(staged)) {
    const update = staged.prepare(`UPDATE ${table} SET revoked_at = @at WHERE ${hash} = @hash AND revoked_at IS NULL`)
    const ended = columnsOf(staged, table).has('deleted_at') ? ['revoked_at', 'deleted_at'] : ['revoked_at']
    counts[table] = live
      .rows(table, [`${hash}`, ...ended], ended.map((name) => `${name} IS NOT NULL`).join(' OR '))
      .reduce((sum, row) => sum + update.run({ hash: row[hash], at: row.revoked_at ?? row.deleted_at }).changes, 0)
  }
  if (hasTable(staged, 'invites') && columnsOf(staged, 'invites').has('uses')) {
    const update = staged.prepare('UPDATE invites SET uses = @uses WHERE code_hash = @code_hash AND uses < @uses')
    for (const row of live.rows('invites', ['code_hash', 'uses'])) update.run(row)
  }
  return counts
}

/** Every table whose rows are secrets that can be revoked. Those of sign-ins are emptied by a restore. */
export function revocableTables(db: Connection): readonly { readonly table: string; readonly hash: string }[] {
  const tables = db
    .prepare(`SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name`)
    .pluck()
    .all() as string[]
  return tables.flatMap((table) => {
    const columns = [...columnsOf(db, table)]
    const hash = columns.find((name) => name === 'hash' || name.endsWith('_hash'))
    const isRevocable = columns.includes('revoked_at') && hash !== undefined && !signInTables.includes(table)
    return isRevocable ? [{ table, hash }] : []
  })
}

/**
 * 5. Leaves the staged database with somebody who can administer the server. Returns the account that was given the right
 * and can sign in with what it has there, or null where nothing had to be done.
 * Throws `last_admin` where nobody can be given it, naming the accounts.
 */
export function keepAdministrator(
  live: LiveDatabase | null,
  staged: Connection,
  wanted: Administrator | null,
  now: string,
): string | null {
  const isAsked = wanted !== null && 'username' in wanted
  // A server that nobody has set up yet is set up at its next start.
  if (!isAsked && (administrators(staged).length > 0 || accounts(staged).length === 0)) return null
  if (wanted === null) throw nobodyLeft(staged, '')
  const appoint = (id: number): void => {
    staged.prepare('UPDATE users SET admin = 1, disabled_at = NULL, updated_at = ? WHERE id = ?').run(now, id)
  }
  if ('username' in wanted) {
    const named = staged.prepare('SELECT id, username FROM users WHERE username = ?').get(wanted.username) as
      | { id: number; username: string }
      | undefined
    if (named === undefined) throw nobodyLeft(staged, `It holds no account ${wanted.username}. `)
    appoint(named.id)
    return named.username
  }
  const [person] = live?.rows('users', accountColumns, `id = ${Math.trunc(wanted.userId)}`) ?? []
  if (person === undefined) throw nobodyLeft(staged, '')
  const same = staged.prepare('SELECT id, username FROM users WHERE key = ?').get(person.key) as
    | { id: number; username: string }
    | undefined
  if (same !== undefined) {
    // They know the password that they have now.
    staged.prepare('UPDATE users SET password_hash = ? WHERE id = ?').run(person.password_hash, same.id)
    appoint(same.id)
    return same.username
  }
  if (staged.prepare('SELECT 1 FROM users WHERE username = ?').get(person.username) !== undefined)
    throw nobodyLeft(staged, `It holds another account with the name ${person.username}. `)
  staged
    .prepare(
      'INSERT INTO users (key, username, password_hash, admin, created_at, updated_at) VALUES (@key, @username, @password_hash, 1, @now, @now)',
    )
    .run({ key: person.key, username: person.username, password_hash: person.password_hash, now })
  return String(person.username)
}

/** Accounts that may sign in and administer the server. */
export function administrators(db: Connection): readonly string[] {
  return db
    .prepare('SELECT username FROM users WHERE admin = 1 AND disabled_at IS NULL ORDER BY id')
    .pluck()
    .all() as string[]
}

function accounts(db: Connection): readonly string[] {
  return db.prepare('SELECT username FROM users ORDER BY id').pluck().all() as string[]
}

function nobodyLeft(staged: Connection, reason: string): Error {
  const names = accounts(staged)
  const shown = names.slice(0, 20).join(', ')
  return fail(
    'last_admin',
    `This backup would leave nobody who can administer the server. ${reason}Restore it with the command line and --admin NAME; its accounts are: ${shown}${names.length > 20 ? ', …' : ''}.`,
  )
}
