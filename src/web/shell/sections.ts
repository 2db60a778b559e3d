import { allKinds, type Kind, type KindSection } from '../kinds.ts'
import { capitalize } from '../kit/format.ts'
import type { IconName } from '../kit/icon.tsx'
import type { CurrentCampaign } from './context.ts'
import { campaignPath, sectionPath } from './links.ts'

/** A part of the application that one goes to: in the sidebar, at the foot of a phone, on the page More, in the palette. */
export interface NavItem {
  readonly to: string
  readonly icon: IconName
  readonly word: string
  /** Only this very address is the place, not what lies below it. */
  readonly exact?: boolean
  /** How many wait for the reader there. */
  readonly waiting?: number
  /** It stands at the foot of a phone. */
  readonly phone?: boolean
}

export interface CampaignNavigation {
  readonly home: NavItem
  /** What the campaign is about. */
  readonly tale: readonly NavItem[]
  /** Who plays it, and what passes between them. */
  readonly table: readonly NavItem[]
  /** The DM's own; the first of them leads to the others. */
  readonly settings: readonly NavItem[]
  readonly search: NavItem
  readonly more: NavItem
  /** The places at the foot of a phone, ahead of More. */
  readonly foot: readonly NavItem[]
}

export interface Waiting {
  /** What waits in a DM's inbox. */
  readonly inbox: number
  /** What this person is asked to roll. */
  readonly rolls: number
}

/** The parts of a campaign that somebody can go to, and how much waits for them there. */
export function navigationOf(
  { campaignId, isDm, role }: CurrentCampaign,
  { inbox: waiting, rolls }: Waiting,
): CampaignNavigation {
  const itemOf = ({ section, navigation, many, icon }: Kind): NavItem => ({
    to: sectionPath(campaignId, section as KindSection),
    icon: navigation?.icon ?? icon,
    word: navigation?.word?.[isDm ? 'dm' : 'others'] ?? capitalize(many),
    ...(navigation?.phone ? { phone: true } : {}),
    ...(navigation?.counted ? { waiting } : {}),
  })
  const group = (name: 'tale' | 'table') =>
    allKinds
      .filter(
        ({ navigation }) =>
          navigation?.group === name && !(navigation.playersOnly && role === 'viewer') && !(navigation.dmOnly && !isDm),
      )
      .map(itemOf)
  const home: NavItem = { to: campaignPath(campaignId), icon: 'home', word: 'Home', exact: true, phone: true }
  const tale = group('tale')
  // Whoever plays has the fight and their sheet under the thumb; what the tale is about stands behind More.
  const ofPlayers: readonly NavItem[] = [
    { to: sectionPath(campaignId, 'table'), icon: 'dice', word: 'Table', waiting: rolls },
    { to: sectionPath(campaignId, 'me'), icon: 'me', word: 'Me' },
    ...tale.filter(({ to }) => to === sectionPath(campaignId, 'notes')),
  ]
  return {
    home,
    tale,
    foot: [home, ...(role === 'player' ? ofPlayers : tale.filter(({ phone }) => phone))],
    table: [...group('table'), { to: sectionPath(campaignId, 'statistics'), icon: 'list', word: 'Numbers' }],
    settings: isDm
      ? [
          { to: sectionPath(campaignId, 'settings'), icon: 'gear', word: 'Settings' },
          { to: sectionPath(campaignId, 'history'), icon: 'clock', word: 'History' },
          { to: sectionPath(campaignId, 'trash'), icon: 'trash', word: 'Trash' },
        ]
      : [],
    search: { to: sectionPath(campaignId, 'search'), icon: 'find', word: 'Search' },
    more: { to: sectionPath(campaignId, 'more'), icon: 'more', word: 'More', waiting },
  }
}
