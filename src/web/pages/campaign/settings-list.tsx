import type { JSX } from 'preact'
import { CallError } from '../../api/call.ts'
import type { Input, Item, ListName } from '../../api/contract.ts'
import { useFilteredList } from '../../kit/list.tsx'
import { type EmptyList, ListPage } from '../../kit/list-page.tsx'
import { LoadError } from '../../kit/page.tsx'
import { WindowedList } from '../../kit/windowed-list.tsx'
import { useCampaign, usePageTitle } from '../../shell/context.ts'
import { SettingsTabs } from './settings-tabs.tsx'

type OfCampaign = { [K in ListName]: Input<K> extends { readonly campaignId: number } ? K : never }[ListName]

/** A list beside the settings of a campaign, for its Dungeon Masters. */
export function SettingsList<K extends OfCampaign>({
  title,
  list: name,
  one,
  many,
  placeholder,
  empty,
  textOf,
  timeline,
  children,
}: {
  title: string
  list: K
  one: string
  many: string
  placeholder: string
  empty: EmptyList
  /** What of an item is looked through when somebody types. */
  textOf: (item: Item<K>) => string
  /** The items are `<li>` along a line of time; else rows. */
  timeline?: boolean
  children: (item: Item<K>) => JSX.Element
}): JSX.Element {
  const { campaignId, campaign, isDm } = useCampaign()
  const list = useFilteredList(name, isDm ? ({ campaignId, limit: 50 } as unknown as Input<K>) : null, textOf)
  usePageTitle(title, campaign.name)
  if (!isDm) return <LoadError error={new CallError(403, 'forbidden', 'This is for the DM of the campaign.')} />
  const items = (
    <WindowedList items={list.shown} narrowed={list.typed} inList={timeline === true}>
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
      empty={empty}
    >
      {timeline ? <ol class="timeline">{items}</ol> : <div class="rows">{items}</div>}
    </ListPage>
  )
}
