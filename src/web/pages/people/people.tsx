import type { JSX } from 'preact'
import { Link, useLocation } from 'wouter-preact'
import type { Npc } from '../../api/contract.ts'
import { Portrait } from '../../kit/avatar.tsx'
import { LinkButton } from '../../kit/button.tsx'
import { Choice } from '../../kit/choice.tsx'
import { HiddenBadge } from '../../kit/dm-only.tsx'
import { useKept } from '../../kit/hooks.ts'
import { useSearchedList } from '../../kit/list.tsx'
import { allOf, ListPage } from '../../kit/list-page.tsx'
import { ToggleGroup } from '../../kit/toggle-group.tsx'
import { WindowedList } from '../../kit/windowed-list.tsx'
import { useCampaign, usePages, usePageTitle } from '../../shell/context.ts'
import { sectionPath } from '../../shell/links.ts'
import { DispositionLabel } from './disposition.tsx'

/** The place, unless the words before it name it already. */
function placeBeside({ role, location }: Npc): string | null {
  const name = location?.title ?? ''
  return role?.includes(name.replace(/^The /, '')) ? null : name
}

type Order = 'recent' | 'name'

/** The people of the campaign, as the server orders and narrows them. */
export function NpcsPage(): JSX.Element {
  const { campaignId, campaign, isDm, mayEdit } = useCampaign()
  const [order, setOrder] = useKept<Order>('order', 'recent')
  const [place, setPlace] = useKept('place', '')
  const [seen, setSeen] = useKept<'all' | 'hidden'>('seen', 'all')
  const list = useSearchedList(
    'list_npcs',
    { campaignId, order, limit: 200 },
    {
      by: {
        ...(place === '' ? {} : { locationId: Number(place) as never }),
        ...(seen === 'hidden' ? { hidden: true } : {}),
      },
    },
  )
  usePageTitle('People', campaign.name)
  const action = mayEdit && (
    <LinkButton variant="primary" icon="plus" to={sectionPath(campaignId, 'people', 'new')}>
      New person
    </LinkButton>
  )
  return (
    <ListPage
      title="People"
      actions={action}
      list={list}
      shown={list.shown}
      one="person"
      many="people"
      placeholder="Name, trade, anything said of them"
      noneInView="Nobody here. Choose another place or tag."
      views={
        <>
          {isDm && (
            <ToggleGroup
              label="Which people"
              variant="chips"
              options={[
                { value: 'all', word: allOf(list) },
                { value: 'hidden', word: 'Hidden from players' },
              ]}
              value={seen}
              onValue={setSeen}
            />
          )}
          <div class="choices">
            <Choice<Order>
              label="In which order"
              value={order}
              onValue={setOrder}
              options={[
                { value: 'recent', word: 'Changed last first' },
                { value: 'name', word: 'By name' },
              ]}
            />
            <PlaceChoice value={place} onValue={setPlace} />
            <TagChoice tag={list.tag ?? ''} />
          </div>
        </>
      }
      empty={{
        drawing: 'window',
        title: 'Nobody looks out of this window yet',
        text: 'Write down whoever the party meets. A name, a trade and one line of voice are enough to play them.',
        action,
      }}
    >
      <div class="npc-grid">
        <WindowedList items={list.shown} narrowed={`${list.typed} ${order} ${place} ${seen} ${list.tag}`}>
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

/** The first two hundred places, by name; whoever wants another one goes there. */
function PlaceChoice({ value, onValue }: { value: string; onValue: (value: string) => void }): JSX.Element | null {
  const { campaignId } = useCampaign()
  const places = usePages('list_locations', { campaignId, limit: 200 }).items
  if (places.length === 0) return null
  const options = places.map(({ id, name }) => ({ value: String(id), word: name }))
  return (
    <Choice label="Where" value={value} onValue={onValue} options={[{ value: '', word: 'Anywhere' }, ...options]} />
  )
}

/** A tag is part of the address, so that a tag anywhere is a link to those who have it. */
function TagChoice({ tag }: { tag: string }): JSX.Element | null {
  const { campaignId } = useCampaign()
  const [path, navigate] = useLocation()
  const tags = usePages('list_tags', { campaignId, limit: 200 }).items
  if (tags.length === 0) return null
  const known = new Set([...tags.map((each) => each.tag), ...(tag === '' ? [] : [tag])])
  return (
    <Choice
      label="With which tag"
      value={tag}
      onValue={(chosen) =>
        navigate(chosen === '' ? path : `${path}?tag=${encodeURIComponent(chosen)}`, {
          replace: true,
          state: history.state,
        })
      }
      options={[{ value: '', word: 'Any tag' }, ...Array.from(known, (each) => ({ value: each, word: each }))]}
    />
  )
}
