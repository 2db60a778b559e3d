import type { JSX } from 'preact'
import { Link } from 'wouter-preact'
import { Icon, type IconName } from '../../kit/icon.tsx'
import { PageHeader } from '../../kit/page.tsx'
import { useApp, useCampaign, usePageTitle, useQuery } from '../../shell/context.ts'
import { ConnectionStatus } from '../../shell/layout.tsx'
import { paths, sectionPath } from '../../shell/links.ts'

/** Everything that has no place of its own at the foot of a phone. */
export function More(): JSX.Element {
  const { session } = useApp()
  const { campaignId, campaign, isDm, role } = useCampaign()
  const summary = useQuery('get_campaign_summary', { campaignId }).data
  const waiting = isDm && summary ? summary.openInboxItems + summary.pendingProposals : 0
  usePageTitle('More', campaign.name)
  const rows: [string, IconName, string, number?][] = [
    [sectionPath(campaignId, 'places'), 'map', 'Places'],
    [sectionPath(campaignId, 'sessions'), 'book', 'Sessions and recaps'],
  ]
  if (role !== 'viewer') rows.push([sectionPath(campaignId, 'inbox'), 'inbox', isDm ? 'Inbox' : 'With the DM', waiting])
  rows.push(
    [sectionPath(campaignId, 'search'), 'find', 'Search'],
    [sectionPath(campaignId, 'members'), 'me', 'Members'],
  )
  if (isDm) {
    rows.push(
      [sectionPath(campaignId, 'settings'), 'gear', 'Settings'],
      [sectionPath(campaignId, 'history'), 'clock', 'History'],
      [sectionPath(campaignId, 'trash'), 'trash', 'Trash'],
    )
  }
  const own: [string, IconName, string][] = [
    [paths.campaigns, 'book', 'All campaigns'],
    [paths.connect, 'plug', 'Connect an AI'],
    [paths.account, 'key', 'My account and theme'],
  ]
  if (session.status.value?.user?.admin) own.push([paths.backups, 'disk', 'Backups'], [paths.users, 'people', 'Users'])
  return (
    <>
      <PageHeader title="More" sub={<ConnectionStatus />} />
      {[rows, own].map((group) => (
        <nav
          key={group[0]?.[0]}
          class="rows more-list section"
          aria-label={group === own ? 'This server' : 'This campaign'}
        >
          {group.map(([to, icon, word, count]) => (
            <Link key={to} href={to} class="row">
              <Icon name={icon} />
              <span class="grow">{word}</span>
              {count ? <span class="chip brass">{count} waiting</span> : null}
              <Icon name="right" size="s" />
            </Link>
          ))}
        </nav>
      ))}
    </>
  )
}
