import type { JSX } from 'preact'
import { Link } from 'wouter-preact'
import type { Npc } from '../../api/contract.ts'
import { Portrait } from '../../kit/avatar.tsx'
import { LinkButton } from '../../kit/button.tsx'
import { HiddenBadge } from '../../kit/dm-only.tsx'
import { useKept } from '../../kit/hooks.ts'
import { type FilteredList, useSearchedList } from '../../kit/list.tsx'
import { allOf, ListPage } from '../../kit/list-page.tsx'
import { ToggleGroup } from '../../kit/toggle-group.tsx'
import { WindowedList } from '../../kit/windowed-list.tsx'
import { useCampaign, usePageTitle } from '../../shell/context.ts'
import { sectionPath } from '../../shell/links.ts'
import { DispositionLabel } from './disposition.tsx'

/** The place, unless the words before it name it already. */
function placeBeside({ role, location }: Npc): string | null {
  const name = location?.title ?? ''
  return role?.includes(name.replace(/^The /, '')) ? null : name
}

export function NpcsPage(): JSX.Element {
  const { campaignId, campaign, isDm, mayEdit } = useCampaign()
  const list = useSearchedList('list_npcs', { campaignId, limit: 200 })
  const [chosen, setChosen] = useKept<string>('view', 'all')
  usePageTitle('People', campaign.name)
  const action = mayEdit && (
    <LinkButton variant="primary" icon="plus" to={sectionPath(campaignId, 'people', 'new')}>
      New person
    </LinkButton>
  )
  const chips = chipsOf(list, isDm)
  const now = chips.find((chip) => chip.key === chosen) ?? chips[0]
  const shown = now ? list.shown.filter(now.fits) : list.shown
  return (
    <ListPage
      title="People"
      actions={action}
      list={list}
      shown={shown}
      one="person"
      many="people"
      placeholder="Name, trade, place, anything said of them"
      views={
        chips.length > 1 && (
          <ToggleGroup
            label="Which people"
            variant="chips"
            options={chips.map(({ key, word }) => ({ value: key, word }))}
            value={now?.key ?? 'all'}
            onValue={setChosen}
          />
        )
      }
      empty={{
        drawing: 'window',
        title: 'Nobody looks out of this window yet',
        text: 'Write down whoever the party meets. A name, a trade and one line of voice are enough to play them.',
        action,
      }}
    >
      <div class="npc-grid">
        <WindowedList items={shown} narrowed={`${list.typed} ${now?.key}`}>
          {(npc) => (
            <Link key={npc.id} href={sectionPath(campaignId, 'people', npc.id)}>
              <Portrait name={npc.name} attachmentId={npc.portraitAttachmentId} />
              <span>
                <strong>{npc.name}</strong>
                <br />
                {npc.hidden ? (
                  <HiddenBadge>Players have not met them</HiddenBadge>
                ) : (
                  <span class="small soft">
                    {[npc.role, placeBeside(npc)].filter(Boolean).join(', ') || npc.species}
                  </span>
                )}
              </span>
              <DispositionLabel value={npc.disposition} />
            </Link>
          )}
        </WindowedList>
      </div>
    </ListPage>
  )
}

interface Chip {
  readonly key: string
  readonly word: string
  readonly fits: (npc: Npc) => boolean
}

/** Everybody, the two busiest places, the two busiest tags, and what is hidden. */
function chipsOf(list: FilteredList<Npc>, isDm: boolean): Chip[] {
  const all = list.items
  const busiest = <T,>(values: readonly T[]): T[] => {
    const counts = new Map<T, number>()
    for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
    return [...counts]
      .filter(([, times]) => times > 1)
      .sort((a, b) => b[1] - a[1])
      .slice(0, 2)
      .map(([value]) => value)
  }
  const chips: Chip[] = [{ key: 'all', word: allOf(list), fits: () => true }]
  const placeOf = new Map(all.flatMap(({ location }) => (location ? [[location.id, location.title] as const] : [])))
  for (const id of busiest(all.flatMap(({ location }) => location?.id ?? []))) {
    const name = placeOf.get(id)
    if (name) chips.push({ key: `place ${id}`, word: name, fits: (npc) => npc.location?.id === id })
  }
  for (const tag of busiest(all.flatMap((npc) => npc.tags))) {
    if (chips.some((chip) => chip.word.toLowerCase() === tag.toLowerCase())) continue
    chips.push({ key: `tag ${tag}`, word: tag, fits: (npc) => npc.tags.includes(tag) })
  }
  if (isDm && all.some((npc) => npc.hidden)) {
    chips.push({ key: 'hidden', word: 'Hidden from players', fits: (npc) => npc.hidden })
  }
  return chips
}
