import type { JSX } from 'preact'
import { CallError } from '../../api/call.ts'
import type { Trashed } from '../../api/contract.ts'
import { Button } from '../../kit/button.tsx'
import { Find } from '../../kit/field.tsx'
import { count, sentence, when } from '../../kit/format.ts'
import { ListEnd, useNarrowed } from '../../kit/list.tsx'
import { Menu } from '../../kit/menu.tsx'
import { Empty, Failed, Head } from '../../kit/page.tsx'
import { opening } from '../../kit/prose.tsx'
import { kindOf } from '../../kit/words.ts'
import { useAct, useApp, useCampaign, useTitle } from '../../shell/context.ts'
import { KeepTabs } from './tabs.tsx'

const textOf = (item: Trashed) => [item.title, kindOf(item.entityType), item.deletedByName].join(' ')

export function Trash(): JSX.Element {
  const { campaignId, campaign, isDm, mayWrite } = useCampaign()
  const { asks } = useApp()
  const act = useAct()
  const list = useNarrowed('list_trash', isDm ? { campaignId, limit: 50 } : null, textOf)
  useTitle('Trash', campaign.name)
  if (!isDm) return <Failed error={new CallError(403, 'forbidden', 'This is for the DM of the campaign.')} />

  const purge = async (item: Trashed, label: string) => {
    const yes = await asks.ask({
      title: `Delete ${label} for good?`,
      text: 'Its earlier versions go with it. Nobody can bring it back after that.',
      yes: 'Delete it for good',
      harm: true,
    })
    const { entityType, entityId } = item
    if (yes) await act('purge_from_trash', { campaignId, entityType, entityId }, { said: 'Gone for good.' })
  }
  return (
    <>
      <Head title="Trash" />
      <KeepTabs />
      {!list.waiting && !list.error && list.items.length === 0 ? (
        <Empty title="Nothing has been thrown away">
          What you move to the trash waits here until you want it back.
        </Empty>
      ) : (
        <div class="narrow">
          <Find value={list.typed} onValue={list.onType} placeholder="A name, a kind" />
        </div>
      )}
      <div class="rows">
        {list.shown.map((item) => {
          const { entityType, entityId } = item
          const label = item.title ? opening(item.title, 60) : `the ${kindOf(entityType)}`
          const said = [
            sentence(kindOf(entityType)),
            item.owned > 0 ? `with ${count(item.owned, 'thing')} of its own` : null,
            item.deletedByName && `thrown away by ${item.deletedByName}`,
            when(item.deletedAt),
          ]
          return (
            <div key={`${entityType} ${entityId}`} class="row">
              <span class="grow">
                <strong>{sentence(label)}</strong>
                <span class="line2">{said.filter(Boolean).join(', ')}</span>
              </span>
              {mayWrite && (
                <>
                  <Button
                    icon="undo"
                    onClick={() =>
                      void act(
                        'restore_from_trash',
                        { campaignId, entityType, entityId },
                        { said: `${sentence(label)} is back.` },
                      )
                    }
                  >
                    Bring back
                  </Button>
                  <Menu
                    label={`More about ${label}`}
                    items={[{ icon: 'trash', word: 'Delete for good', harm: true, run: () => purge(item, label) }]}
                  />
                </>
              )}
            </div>
          )
        })}
      </div>
      <ListEnd list={list} typed={list.typed} shown={list.shown.length} />
    </>
  )
}
