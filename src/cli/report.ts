import path from 'node:path'
import type { InspectReport } from '../archive/inspect.ts'
import type { RestoreOutcome } from '../archive/restore.ts'
import type { MemberName, RightsKept } from '../archive/rights.ts'
import type { AccessGiven, ListedAccount } from './admin.ts'

// What commands say to a person; with --json they print the answer itself.

export interface BackupAnswer {
  readonly file: string
  readonly bytes: number
  readonly uploads: number
  readonly schemaVersion: number
}

export function tellBackup({ file, bytes, uploads }: BackupAnswer): string {
  return `The backup is ${file} (${size(bytes)}, ${count(uploads, 'image')}).`
}

export function tellInspection(report: InspectReport): string {
  const { tokens, tokenCount, administrators, missingFiles, warnings } = report
  const admins = tokens.filter(({ admin }) => admin)
  return [
    `made            ${report.createdAt} by Talekeeper ${report.appVersion}`,
    `holds           ${count(report.campaigns ?? 0, 'campaign')}, ${count(report.users ?? 0, 'account')}, ${count(report.uploadCount, 'image')} (${size(report.archiveBytes)})`,
    `administrators  ${administrators.length === 0 ? 'none' : administrators.join(', ')}`,
    `tokens          ${tokenCount} that work${admins.length === 0 ? '' : `, of these with all rights: ${admins.map(({ username, name }) => `${username}: ${name}`).join('; ')}`}`,
    `schema          ${report.schemaVersion}${report.schemaVersion === report.restoresToSchema ? '' : `, a restore brings it to ${report.restoresToSchema}`}`,
    ...(report.holdsKeyfile ? ['AI key file     in it, for the passphrase in BACKUP_KEY_PASSPHRASE'] : []),
    ...(missingFiles.length > 0 ? [`missing         ${count(missingFiles.length, 'image')} had no file`] : []),
    ...warnings.map((warning) => `warning         ${warning}`),
    'It can be restored.',
  ].join('\n')
}

export function tellRestore({ archive, rightsKept, administrator, safetyCopy }: RestoreOutcome): string {
  return [
    `The backup of ${archive.createdAt} is restored, with ${count(archive.uploadCount, 'image')}.`,
    `What was there before is kept in ${path.dirname(safetyCopy)} until the next good backup.`,
    ...(administrator === null ? [] : [`${administrator} administers the server.`]),
    ...(rightsKept === null
      ? ['The database before could not be read: everybody has the rights that they have in the backup.']
      : tellRights(rightsKept)),
    'Everybody has to sign in again.',
  ].join('\n')
}

function tellRights(kept: RightsKept): readonly string[] {
  const member = ({ username, campaign }: MemberName): string => `${username} (${campaign})`
  const revoked = Object.values(kept.revoked).reduce((sum, each) => sum + each, 0)
  const lines: readonly (readonly [string, readonly string[]])[] = [
    ['stay disabled', kept.disabled],
    ['no longer administer the server, as before', kept.administratorsLost],
    ['keep the password they had', kept.passwords],
    ['stay removed', kept.membersRemoved.map(member)],
    ['keep the lower role', kept.rolesLowered.map((each) => `${member(each)}: ${each.role}`)],
    ['still do not consent to AI', kept.consentsWithdrawn.map(member)],
    ['stay closed to external AI', kept.aiDisabled],
    ['run their campaign again, since nobody else would', kept.dungeonMastersRestored.map(member)],
    ['stay revoked', revoked === 0 ? [] : [count(revoked, 'token, invite or link', 'tokens, invites or links')]],
  ]
  const told = lines.filter(([, names]) => names.length > 0)
  if (told.length === 0) return []
  return [
    'Taken away since the backup, and not given back by it:',
    ...told.map(([what, names]) => `  ${what}: ${names.join(', ')}`),
  ]
}

export function tellAccounts(accounts: readonly ListedAccount[]): string {
  if (accounts.length === 0) return 'There is no account yet. Start Talekeeper to set it up.'
  return accounts
    .map(({ username, admin, disabled }) =>
      [username, ...(admin ? ['administrator'] : []), ...(disabled ? ['disabled'] : [])].join('  '),
    )
    .join('\n')
}

export function tellAccess({ username, passwordChanged }: AccessGiven, generated: string | null): string {
  return [
    `${username} may sign in and administers the server.`,
    ...(generated === null ? [] : [`The new password, shown this once: ${generated}`]),
    ...(passwordChanged ? ['What the account was signed in with before has ended.'] : []),
  ].join('\n')
}

function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`
}

function size(bytes: number): string {
  return bytes < 1024 * 1024 ? `${Math.ceil(bytes / 1024)} kB` : `${(bytes / 1024 / 1024).toFixed(1)} MB`
}
