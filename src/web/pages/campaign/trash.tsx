import type { JSX } from 'preact'
import { CallError } from '../../api/call.ts'
import type { Trashed } from '../../api/contract.ts'
import { entityLabel } from '../../kinds.ts'
import { Button } from '../../kit/button.tsx'
import { capitalize, count, when } from '../../kit/format.ts'
import { useFilteredList } from '../../kit/list.tsx'
import { ListPage } from '../../kit/list-page.tsx'
import { Menu } from '../../kit/menu.tsx'
import { LoadError } from '../../kit/page.tsx'
import { excerpt } from '../../kit/prose.tsx'
import { WindowedList } from '../../kit/windowed-list.tsx'
import { useAction } from '../../shell/actions.ts'
import { useApp, useCampaign, usePageTitle } from '../../shell/context.ts'
import { SettingsTabs } from './settings-tabs.tsx'

const textOf = (item: Trashed) => [item.title, entityLabel(item.entityType), item.deletedByUser?.title].join(' ')

export function Trash(): JSX.Element {
  const { campaignId, campaign, isDm, mayWrite } = useCampaign()
  const { confirmations } = useApp()
  const act = useAction()
  const list = useFilteredList('list_trash', isDm ? { campaignId, limit: 50 } : null, textOf)
  usePageTitle('Trash', campaign.name)
  if (!isDm) return <LoadError error={new CallError(403, 'forbidden', 'This is for the DM of the campaign.')} />

  const purge = async (item: Trashed, label: string) => {
    const yes = await confirmations.ask({
      title: `Delete ${label} for good?`,
      text: 'Its earlier versions go with it. Nobody can bring it back after that.',
      yes: 'Delete it for good',
      danger: true,
    })
    const { entityType, entityId } = item
    if (yes) await act('purge_from_trash', { campaignId, entityType, entityId }, { message: 'Gone for good.' })
  }
  return (
    <ListPage
      title="Trash"
      tabs={<SettingsTabs />}
      list={list}
      shown={list.shown}
      one="thing"
      many="things"
      placeholder="A name, a kind"
      empty={{
        title: 'Nothing has been thrown away',
        text: 'What you move to the trash waits here until you want it back.',
      }}
    >
      <div class="rows">
        <WindowedList items={list.shown} narrowed={list.typed}>
          {(item) => {
            const { entityType, entityId } = item
            const label = item.title ? excerpt(item.title, 60) : `the ${entityLabel(entityType)}`
            const said = [
              capitalize(entityLabel(entityType)),
              item.owned > 0 ? `with ${count(item.owned, 'thing')} of its own` : null,
              item.deletedByUser && `thrown away by ${item.deletedByUser.title}`,
              when(item.deletedAt),
            ]
            return (
              <div key={`${entityType} ${entityId}`} class="row">
                <span class="grow">
                  <strong>{capitalize(label)}</strong>
                  <span class="secondary">{said.filter(Boolean).join(', ')}</span>
                </span>
                {mayWrite && (
                  <>
                    <Button
                      icon="undo"
                      onClick={() =>
                        void act(
                          'restore_from_trash',
                          { campaignId, entityType, entityId },
                          { message: `${capitalize(label)} is back.` },
                        )
                      }
                    >
                      Bring back
                    </Button>
                    <Menu
                      label={`More about ${label}`}
                      items={[{ icon: 'trash', word: 'Delete for good', danger: true, run: () => purge(item, label) }]}
                    />
                  </>
                )}
              </div>
            )
          }}
        </WindowedList>
      </div>
    </ListPage>
  )
}
