import type { ComponentChildren, JSX } from 'preact'
import { CallError } from '../../api/call.ts'
import type { Input, Item } from '../../api/contract.ts'
import { useSearchedList } from '../../kit/list.tsx'
import { type EmptyList, ListPage } from '../../kit/list-page.tsx'
import { LoadError } from '../../kit/page.tsx'
import { WindowedList } from '../../kit/windowed-list.tsx'
import { useCampaign, usePageTitle } from '../../shell/context.ts'
import { SettingsTabs } from './settings-tabs.tsx'

type OfCampaign = 'list_audit_records' | 'list_trash'

interface SettingsListProps<K extends OfCampaign> {
  title: string
  list: K
  one: string
  many: string
  placeholder: string
  empty: EmptyList
  /** What else it is narrowed by, and the choices for it. */
  by: Partial<Input<K>>
  views: ComponentChildren
  /** The items are `<li>` along a line of time; else rows. */
  timeline?: boolean
  children: (item: Item<K>) => JSX.Element
}

/** A list beside the settings of a campaign, for its Dungeon Masters. */
export function SettingsList<K extends OfCampaign>(props: SettingsListProps<K>): JSX.Element {
  const { campaign, isDm } = useCampaign()
  usePageTitle(props.title, campaign.name)
  if (!isDm) return <LoadError error={new CallError(403, 'forbidden', 'This is for the DM of the campaign.')} />
  return <Listing {...props} />
}

function Listing<K extends OfCampaign>({
  title,
  list: name,
  one,
  many,
  placeholder,
  empty,
  by,
  views,
  timeline,
  children,
}: SettingsListProps<K>): JSX.Element {
  const { campaignId } = useCampaign()
  const list = useSearchedList(name, { campaignId, limit: 50 } as Input<K>, { by })
  const items = (
    <WindowedList items={list.shown} narrowed={`${list.typed} ${JSON.stringify(by)}`} inList={timeline === true}>
      {children}
    </WindowedList>
  )
  return (
    <ListPage
      title={title}
      tabs={<SettingsTabs />}
      list={list}
      shown={list.shown}
      one={one}
      many={many}
      placeholder={placeholder}
      views={views}
      noneInView="Nothing here. Choose something else above."
      empty={empty}
    >
      {timeline ? <ol class="timeline">{items}</ol> : <div class="rows">{items}</div>}
    </ListPage>
  )
}
