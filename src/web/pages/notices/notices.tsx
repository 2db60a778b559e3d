import '../charter/styles.ts'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import { Button, LinkButton } from '../../kit/button.tsx'
import { optionsOf } from '../../kit/field.tsx'
import { when } from '../../kit/format.ts'
import { Icon } from '../../kit/icon.tsx'
import { EmptyState, LoadError, Loading, PageHeader } from '../../kit/page.tsx'
import { ToggleGroup } from '../../kit/toggle-group.tsx'
import { useAction } from '../../shell/actions.ts'
import { useCampaign, useMe, usePages, usePageTitle } from '../../shell/context.ts'
import { sectionPath } from '../../shell/links.ts'
import { grouped, type NoticeItem, wantsSomething, wordsOfNotice } from './notice-words.ts'

const shown = { all: 'All', wants: 'Wants something of me', news: 'News' } as const

/** The notices, opened from within a campaign. */
export function NoticesPage(): JSX.Element {
  const { campaignId } = useCampaign()
  return <Notices here={campaignId} />
}

/** The notices outside of all campaigns. */
export function AllNotices(): JSX.Element {
  return <Notices here={null} />
}

/** What wants the reader's attention, over all their campaigns. */
function Notices({ here }: { here: number | null }): JSX.Element {
  const act = useAction()
  const list = usePages('list_notifications', { limit: 50 })
  const [show, setShow] = useState<keyof typeof shown>('all')
  usePageTitle('Notices')
  const unread = list.items.filter(({ readAt }) => readAt === null)
  const items = list.items.filter((notice) => show === 'all' || wantsSomething(notice) === (show === 'wants'))
  return (
    <>
      <PageHeader title="Notices">
        {unread.length > 0 && (
          <Button icon="check" onClick={() => void act('mark_notifications_read', { all: true })}>
            I have seen them all
          </Button>
        )}
      </PageHeader>
      <div class="two-columns">
        <div>
          {list.items.length > 0 && (
            <ToggleGroup label="Show" variant="chips" options={optionsOf(shown)} value={show} onValue={setShow} />
          )}
          {list.waiting && <Loading />}
          {list.error && <LoadError error={list.error} retry={list.retry} within />}
          {!list.waiting && !list.error && items.length === 0 && (
            <EmptyState title="Nobody wants anything" drawing="window">
              The proposals are read, the lamp is lit. What others do comes here by itself.
            </EmptyState>
          )}
          {grouped(items, new Date()).map(({ title, items: group }) => (
            <section key={title}>
              <h2 class="label notice-day">{title}</h2>
              <ul class="notice-list">
                {group.map((notice) => (
                  <Notice key={notice.id} notice={notice} here={here} />
                ))}
              </ul>
            </section>
          ))}
          {list.more && (
            <Button variant="quiet" class="outdent" busy={list.loading} onClick={list.loadMore}>
              Older ones
            </Button>
          )}
        </div>
        <aside class="side-column">
          <section>
            <h2 class="h3">On your phone</h2>
            <p class="small soft">
              They come while Talekeeper is open there. Sleeping phones are not woken: that would need somebody else’s
              cloud. A calendar and its reminders do that instead.
            </p>
            {here !== null && (
              <LinkButton icon="night" to={sectionPath(here, 'nights')}>
                The calendar address
              </LinkButton>
            )}
          </section>
        </aside>
      </div>
    </>
  )
}

function Notice({ notice, here }: { notice: NoticeItem; here: number | null }): JSX.Element {
  const me = useMe()?.id
  const act = useAction()
  const { icon, text, more, act: word, to } = wordsOfNotice(notice, me)
  const isNew = notice.readAt === null
  const seen = () => {
    if (isNew) void act('mark_notifications_read', { notificationIds: [notice.id] })
  }
  const body = (
    <>
      <strong>{text}</strong>
      {isNew && <span class="visually-hidden">, new</span>}
      {more && <span class="secondary">{more}</span>}
      {notice.campaignId !== here && (
        <span class="secondary">
          In {notice.campaignName}
          {here !== null && ', your other table'}
        </span>
      )}
    </>
  )
  return (
    <li class={isNew ? 'new' : undefined}>
      <Icon name={icon} />
      <div>
        {to ? (
          <Link href={to} class="whole" onClick={seen}>
            {body}
          </Link>
        ) : (
          body
        )}
      </div>
      <span class="when">{when(notice.createdAt)}</span>
      {isNew && (
        <p class="line">
          {word && to && (
            <Link href={to} class="btn" onClick={seen}>
              {word}
            </Link>
          )}
          <Button variant="quiet" onClick={seen}>
            Seen
          </Button>
        </p>
      )}
    </li>
  )
}
