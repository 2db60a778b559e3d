import type { Profile } from '../kernel/travel.ts'
import type { Store } from '../storage/store.ts'

/** Other names for the people at a table. */
export interface Names {
  /** What somebody is called in this export. */
  of(name: string): string
  /** A text without their names, addresses and credentials, where the world is to read it. */
  inText(text: string): string
  /** How many people got another name. */
  readonly count: number
}

/** Shorter names are words of every text. */
const shortest = 3

/** Addresses of people, and credentials that somebody pasted into a text. */
const addresses = /[\p{L}\p{N}._%+-]+@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+|\btk[a-z]{1,2}_[A-Za-z0-9_-]{16,}/gu

/** Names for an export: in a backup people keep theirs; elsewhere each gets one, the same throughout. */
export function namesFor(store: Store, campaignId: number, profile: Profile): Names {
  if (profile === 'backup') return { of: (name) => name, inText: (text) => text, count: 0 }
  const rows = store.all(
    `SELECT u.username AS name, m.role AS role FROM memberships m JOIN users u ON u.id = m.user_id
     WHERE m.campaign_id = @campaignId ORDER BY m.role <> 'dm', m.id`,
    { campaignId },
  )
  const given = new Map<string, string>()
  const count = { dm: 0, player: 0 }
  const give = (name: string, role: 'dm' | 'player'): string => {
    const known = given.get(name.toLowerCase())
    if (known !== undefined) return known
    count[role] += 1
    const other = role === 'dm' ? `Dungeon Master${count.dm === 1 ? '' : ` ${count.dm}`}` : `Player ${count.player}`
    given.set(name.toLowerCase(), other)
    return other
  }
  for (const { name, role } of rows) give(String(name), role === 'dm' ? 'dm' : 'player')
  const members = rows.map(({ name }) => String(name)).filter((name) => name.length >= shortest)
  const pattern =
    profile === 'publish' && members.length > 0
      ? new RegExp(`(?<![\\p{L}\\p{N}_])(?:${members.map(escaped).join('|')})(?![\\p{L}\\p{N}_])`, 'giu')
      : null
  return {
    of: (name) => give(name, 'player'),
    inText(text) {
      if (profile !== 'publish') return text
      const known = text.replace(addresses, '…')
      return pattern === null ? known : known.replace(pattern, (name) => give(name, 'player'))
    },
    get count() {
      return given.size
    },
  }
}

/** Longer names first would not matter: they end where no letter follows. */
function escaped(name: string): string {
  return name.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
}
