import type { JSX } from 'preact'
import { Link, useLocation } from 'wouter-preact'
import { useCampaign } from '../../shell/context.ts'
import { type CampaignSection, sectionPath } from '../../shell/links.ts'

const words = {
  settings: 'Campaign',
  history: 'History',
  trash: 'Trash',
  export: 'Take it with you',
  drafts: 'Drafts',
} as const satisfies Partial<Record<CampaignSection, string>>

/** The pages with which a DM keeps the campaign in order. */
export function SettingsTabs(): JSX.Element {
  const { campaignId } = useCampaign()
  const [path] = useLocation()
  return (
    <nav class="tabs" aria-label="Settings">
      {(Object.keys(words) as (keyof typeof words)[]).map((name) => {
        const to = sectionPath(campaignId, name)
        return (
          <Link key={name} href={to} aria-current={path === to ? 'page' : undefined}>
            {words[name]}
          </Link>
        )
      })}
    </nav>
  )
}
