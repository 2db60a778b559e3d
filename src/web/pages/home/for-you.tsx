import type { JSX } from 'preact'
import { Link } from 'wouter-preact'
import { MoreLink } from '../../kit/button.tsx'
import { when } from '../../kit/format.ts'
import { Icon } from '../../kit/icon.tsx'
import { Section } from '../../kit/page.tsx'
import { useAction } from '../../shell/actions.ts'
import { useCampaign, useMe, useQuery } from '../../shell/context.ts'
import { sectionPath } from '../../shell/links.ts'
import { type NoticeItem, wordsOfNotice } from '../notices/notice-words.ts'

/** What has its own place on this page: the next night, and what waits for a Dungeon Master. */
const toldElsewhere: ReadonlySet<NoticeItem['kind']> = new Set([
  'night_planned',
  'night_asked',
  'night_moved',
  'night_cancelled',
  'night_reinstated',
  'proposal_filed',
  'inbox_item',
])

const SHOWN = 5

/** What somebody said to the reader and they have not seen yet: whispers, answers, what became of a proposal. */
export function ForYou(): JSX.Element | null {
  const { campaignId } = useCampaign()
  const me = useMe()?.id
  const act = useAction()
  const unread = useQuery('list_notifications', { campaignId, unread: true, limit: 50 }).data
  const told = (unread?.items ?? []).filter(({ kind }) => !toldElsewhere.has(kind))
  if (told.length === 0) return null
  return (
    <Section title="For you" end={<MoreLink to={sectionPath(campaignId, 'notices')}>All notices</MoreLink>}>
      <div class="rows">
        {told.slice(0, SHOWN).map((notice) => {
          const { icon, text, more, to } = wordsOfNotice(notice, me)
          return (
            <Link
              key={notice.id}
              href={to ?? sectionPath(campaignId, 'notices')}
              class="row"
              onClick={() => void act('mark_notifications_read', { notificationIds: [notice.id] })}
            >
              <Icon name={icon} />
              <span class="grow">
                <strong>{text}</strong>
                {more && <span class="secondary">{more}</span>}
                <span class="secondary">{when(notice.createdAt)}</span>
              </span>
            </Link>
          )
        })}
      </div>
    </Section>
  )
}
