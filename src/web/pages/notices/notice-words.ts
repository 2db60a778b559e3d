import type { Item } from '../../api/contract.ts'
import { entityLabel } from '../../kinds.ts'
import { withDay } from '../../kit/format.ts'
import type { IconName } from '../../kit/icon.tsx'
import { proposalTitle } from '../../kit/labels.ts'
import { excerpt } from '../../kit/prose.tsx'
import { entityPath } from '../../shell/links.ts'

export type NoticeItem = Item<'list_notifications'>
type NoticeKind = NoticeItem['kind']

interface Words {
  readonly icon: IconName
  /** Who did what. */
  text(who: string, notice: NoticeItem): string
  /** The title of its thing says more. */
  readonly more?: 'words' | 'title'
  /** It waits for something that the reader does: the word on its button. */
  readonly act?: string
}

const night = (text: string, act?: string): Words => ({
  icon: 'night',
  text: () => text,
  more: 'title',
  ...(act === undefined ? {} : { act }),
})

const words: Readonly<Record<NoticeKind, Words>> = {
  proposal_filed: { icon: 'inbox', text: (who) => `${who} proposed a change`, more: 'title', act: 'Read it' },
  proposal_approved: { icon: 'check', text: (who) => `${who} took your proposal`, more: 'title' },
  proposal_rejected: { icon: 'x', text: (who) => `${who} did not take your proposal`, more: 'title' },
  whisper: { icon: 'whisper', text: (who) => `${who} whispered to you`, more: 'words' },
  inbox_item: { icon: 'pen', text: (who) => `${who} wrote to you`, more: 'words', act: 'Read it' },
  inbox_resolved: { icon: 'check', text: (who) => `${who} answered your note`, more: 'words' },
  night_planned: night('A night is planned', 'Answer'),
  night_asked: night('You are asked about a day', 'Answer'),
  night_moved: night('A night has moved', 'Answer again'),
  night_cancelled: night('A night is called off'),
  night_reinstated: night('A night is on again', 'Answer'),
  mention: {
    icon: 'at',
    text: (who, { about, entityType }) =>
      `${who} named ${about?.title || 'something of yours'} in a ${entityLabel(entityType ?? 'note')}`,
    more: 'words',
  },
  charter_changed: { icon: 'pact', text: () => 'The charter has changed', act: 'Read it' },
  safety: { icon: 'pause', text: () => 'Somebody asked to stop' },
}

export interface NoticeWords {
  readonly icon: IconName
  readonly text: string
  readonly more: string | null
  readonly act: string | null
  readonly to: string | null
}

/** What a notice says to a reader, and where its thing is read. What somebody is told that they did themself, an app did. */
export function wordsOfNotice(notice: NoticeItem, me: number | undefined): NoticeWords {
  const { icon, text, more, act } = words[notice.kind]
  const named = withDay(excerpt(notice.entity?.title))
  const title = notice.entityType === 'proposal' ? proposalTitle(named) : named
  const { campaignId, entityType, entityId } = notice
  return {
    icon,
    text: text(notice.byUserId === me ? 'An app of yours' : notice.byUser?.title || 'Somebody', notice),
    more: more === undefined || title === '' ? null : more === 'words' ? `“${title}”` : title,
    act: act ?? null,
    to: entityType === null || entityId === null ? null : entityPath(campaignId, entityType, entityId),
  }
}

/** It waits for something that the reader does. */
export function wantsSomething({ kind }: NoticeItem): boolean {
  return words[kind].act !== undefined
}

export interface NoticeGroup {
  readonly title: string
  readonly items: readonly NoticeItem[]
}

const dayMs = 24 * 3600 * 1000

/** Not read yet first, whenever they came; then by how long ago. */
export function grouped(items: readonly NoticeItem[], now: Date): readonly NoticeGroup[] {
  const today = new Date(now.getFullYear(), now.getMonth(), now.getDate()).getTime()
  const titleOf = ({ readAt, createdAt }: NoticeItem): string => {
    if (readAt === null) return 'Since you last looked'
    const at = Date.parse(createdAt)
    return at >= today ? 'Today' : at >= today - 6 * dayMs ? 'This week' : 'Earlier'
  }
  const groups = Map.groupBy(items, titleOf)
  return ['Since you last looked', 'Today', 'This week', 'Earlier'].flatMap((title) => {
    const found = groups.get(title)
    return found === undefined ? [] : [{ title, items: found }]
  })
}
