import type { JSX } from 'preact'
import { Link } from 'wouter-preact'
import type { Quest } from '../../api/contract.ts'
import { Section } from '../../kit/page.tsx'
import { useCampaign } from '../../shell/context.ts'
import { sectionPath } from '../../shell/links.ts'
import { QuestChip } from './status.tsx'

/** The quests that point at a thing; nothing where none does. */
export function QuestsOf({
  title,
  quests,
  count,
}: {
  title: string
  quests: readonly Pick<Quest, 'id' | 'title' | 'status'>[]
  /** How many there are, of which these are the first. */
  count: number
}): JSX.Element | null {
  const { campaignId } = useCampaign()
  if (quests.length === 0) return null
  return (
    <Section title={title}>
      <div class="rows">
        {quests.map((quest) => (
          <Link key={quest.id} href={sectionPath(campaignId, 'quests', quest.id)} class="row">
            <span class="grow">
              <strong>{quest.title}</strong>
            </span>
            <QuestChip status={quest.status} />
          </Link>
        ))}
      </div>
      {count > quests.length && <p class="soft small">{`And ${count - quests.length} more.`}</p>}
    </Section>
  )
}
