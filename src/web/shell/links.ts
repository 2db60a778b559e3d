import type { SearchHit } from '../api/contract.ts'
import { plain } from '../api/subjects.ts'

/** The address of each place in the application: the only file that spells them. */

export const paths = {
  campaigns: '/campaigns',
  newCampaign: '/campaigns/new',
  trashedCampaigns: '/campaigns/trash',
  account: '/account',
  connect: '/account/connect',
  backups: '/admin/backups',
  users: '/admin/users',
  apps: '/admin/apps',
  login: '/login',
  setup: '/setup',
  join: '/join',
} as const

const segments = {
  quest: 'quests',
  npc: 'people',
  location: 'places',
  note: 'notes',
  session: 'sessions',
  inboxitem: 'inbox',
  proposal: 'proposals',
} as const

export type Place =
  | 'quests'
  | 'people'
  | 'places'
  | 'notes'
  | 'inbox'
  | 'proposals'
  | 'sessions'
  | 'members'
  | 'settings'
  | 'history'
  | 'trash'
  | 'search'
  | 'more'

export const home = (campaignId: number): string => `/campaigns/${campaignId}`

export const place = (campaignId: number, name: Place, ...rest: readonly (string | number)[]): string =>
  [home(campaignId), name, ...rest].join('/')

/** The page of a thing, or null when it has none of its own. */
export function pageOf(campaignId: number, entityType: string, id: number): string | null {
  const type = plain(entityType)
  if (type === 'campaign') return home(campaignId)
  if (type === 'member') return place(campaignId, 'members')
  if (type === 'campaignsettings') return place(campaignId, 'settings')
  const segment = segments[type as keyof typeof segments]
  return segment ? place(campaignId, segment, id) : null
}

/** Where a found thing is read: its own page, or that of what it is a part of. */
export function pageOfHit(campaignId: number, { entityType, entityId, partOf }: SearchHit): string | null {
  const own = pageOf(campaignId, entityType, entityId)
  return own ?? (partOf && pageOf(campaignId, partOf.entityType, partOf.entityId))
}

/** The drawing that stands in where a campaign has no picture of its own. */
export const scene = '/art/orchard.svg'

/** Where the bytes of a picture are. */
export const picture = (attachmentId: number, size: 'thumb' | 'medium' | 'original'): string =>
  `/api/v1/attachments/${attachmentId}/file?size=${size}`
