import type { JSX } from 'preact'
import { Link } from 'wouter-preact'
import { Icon } from '../../kit/icon.tsx'
import { PageHeader } from '../../kit/page.tsx'
import { useCampaign, useMe, usePageTitle } from '../../shell/context.ts'
import { ConnectionStatus, useWaiting } from '../../shell/layout.tsx'
import { paths } from '../../shell/links.ts'
import { type NavItem, navigationOf } from '../../shell/sections.ts'

/** Everything that has no place of its own at the foot of a phone. */
export function More(): JSX.Element {
  const me = useMe()
  const here = useCampaign()
  const { tale, table, settings, search, foot } = navigationOf(here, useWaiting(here))
  usePageTitle('More', here.campaign.name)
  const there = new Set(foot.map(({ to }) => to))
  const rows = [...tale, ...table, search, ...settings].filter(({ to }) => !there.has(to))
  const own: NavItem[] = [
    { to: paths.campaigns, icon: 'book', word: 'All campaigns' },
    { to: paths.connect, icon: 'plug', word: 'Connect an AI' },
    { to: paths.account, icon: 'key', word: 'My account and theme' },
  ]
  if (me?.admin) {
    own.push(
      { to: paths.backups, icon: 'disk', word: 'Backups' },
      { to: paths.users, icon: 'people', word: 'Accounts' },
    )
  }
  return (
    <>
      <PageHeader title="More" sub={<ConnectionStatus />} />
      {[rows, own].map((group) => (
        <nav
          key={group[0]?.to}
          class="rows more-list section"
          aria-label={group === own ? 'This server' : 'This campaign'}
        >
          {group.map(({ to, icon, word, waiting }) => (
            <Link key={to} href={to} class="row">
              <Icon name={icon} />
              <span class="grow">{word}</span>
              {waiting ? <span class="chip brass">{waiting} waiting</span> : null}
              <Icon name="right" size="s" />
            </Link>
          ))}
        </nav>
      ))}
    </>
  )
}
