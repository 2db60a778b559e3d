import type { Campaign, SearchHit } from '../api/contract.ts'
import { type KindSection, kindOf } from '../kinds.ts'

/** The address of each page of the application: the only file that spells them. */

export const paths = {
  campaigns: '/campaigns',
  newCampaign: '/campaigns/new',
  notices: '/campaigns/notices',
  bringHome: '/campaigns/import',
  trashedCampaigns: '/campaigns/trash',
  account: '/account',
  connect: '/account/connect',
  appliance: '/admin/appliance',
  backups: '/admin/backups',
  ai: '/admin/ai',
  users: '/admin/users',
  apps: '/admin/apps',
  login: '/login',
  setup: '/setup',
  join: '/join',
} as const

/** The parts of a campaign that are no kind of thing, and who reads them. */
export const campaignParts = {
  more: 'everybody',
  search: 'everybody',
  table: 'everybody',
  me: 'everybody',
  statistics: 'everybody',
  export: 'everybody',
  settings: 'dm',
  history: 'dm',
  trash: 'dm',
  drafts: 'dm',
} as const

export type CampaignPart = keyof typeof campaignParts

/** The parts of a campaign that have addresses of their own. */
export type CampaignSection = KindSection | CampaignPart

export const campaignPath = (campaignId: number): string => `/campaigns/${campaignId}`

/** Whether an address is another, or below it. */
export const isWithin = (path: string, above: string): boolean => path === above || path.startsWith(`${above}/`)

export const sectionPath = (
  campaignId: number,
  section: CampaignSection,
  ...rest: readonly (string | number)[]
): string => [campaignPath(campaignId), section, ...rest].join('/')

/** The page of a thing, or null when it has none of its own. */
export function entityPath(campaignId: number, entityType: string, id: number): string | null {
  const kind = kindOf(entityType)
  if (kind?.section === undefined) return null
  if (kind.section === '') return campaignPath(campaignId)
  const section = sectionPath(campaignId, kind.section as KindSection)
  return kind.pages?.one ? `${section}/${id}` : section
}

/** Where a found thing is read: its own page, or that of what it is a part of. */
export function hitPath(campaignId: number, { entityType, entityId, partOf }: SearchHit): string | null {
  const own = entityPath(campaignId, entityType, entityId)
  return own ?? (partOf && entityPath(campaignId, partOf.entityType, partOf.entityId))
}

/** The drawing on pages that are about no campaign. */
export const defaultCover = '/art/orchard.svg'

interface Covered {
  readonly coverAttachmentId: number | null
  readonly scene: Campaign['scene']
}

export const scenePath = (scene: Campaign['scene']): string => `/art/${scene}.svg`

/** What an `<img>` of a campaign's cover shows: the whole width of a window, or a card. */
export function coverImage({ coverAttachmentId: id, scene }: Covered, width: 'window' | 'card') {
  if (id === null) return { src: scenePath(scene) }
  const src = pictureUrl(id, 'medium')
  return width === 'card'
    ? { src }
    : { src, srcset: `${src} 1280w, ${pictureUrl(id, 'original')} 2560w`, sizes: '100vw' }
}

/** Where the bytes of a picture are. */
export const pictureUrl = (attachmentId: number, size: 'thumb' | 'medium' | 'original'): string =>
  `/api/v1/attachments/${attachmentId}/file?size=${size}`
