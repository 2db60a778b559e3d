import type { JSX } from 'preact'
import type { EntityName, Trashed } from '../../api/contract.ts'
import { entityLabel } from '../../kinds.ts'
import { Button } from '../../kit/button.tsx'
import { capitalize, count, when } from '../../kit/format.ts'
import { useKept } from '../../kit/hooks.ts'
import { Menu } from '../../kit/menu.tsx'
import { excerpt } from '../../kit/prose.tsx'
import { useAction } from '../../shell/actions.ts'
import { useApp, useCampaign } from '../../shell/context.ts'
import { KindChoice } from './kind-choice.tsx'
import { SettingsList } from './settings-list.tsx'

export function Trash(): JSX.Element {
  const [kind, setKind] = useKept('kind', '')
  return (
    <SettingsList
      title="Trash"
      list="list_trash"
      one="thing"
      many="things"
      placeholder="A name, or who threw it away"
      empty={{
        title: 'Nothing has been thrown away',
        text: 'What you move to the trash waits here until you want it back.',
      }}
      by={kind === '' ? {} : { entityType: kind as EntityName }}
      views={<KindChoice value={kind} onValue={setKind} />}
    >
      {(item) => <TrashRow key={`${item.entityType} ${item.entityId}`} item={item} />}
    </SettingsList>
  )
}

function TrashRow({ item }: { item: Trashed }): JSX.Element {
  const { campaignId, mayWrite } = useCampaign()
  const { confirmations } = useApp()
  const act = useAction()
  const { entityType, entityId } = item
  const label = item.title ? excerpt(item.title, 60) : `the ${entityLabel(entityType)}`
  const said = [
    capitalize(entityLabel(entityType)),
    item.owned > 0 ? `with ${count(item.owned, 'thing')} of its own` : null,
    item.deletedByUser && `thrown away by ${item.deletedByUser.title}`,
    when(item.deletedAt),
  ]
  const restore = () =>
    act('restore_from_trash', { campaignId, entityType, entityId }, { message: `${capitalize(label)} is back.` })
  const purge = async () => {
    const yes = await confirmations.ask({
      title: `Delete ${label} for good?`,
      text: 'Its earlier versions go with it. Nobody can bring it back after that.',
      yes: 'Delete it for good',
      danger: true,
    })
    if (yes) await act('purge_from_trash', { campaignId, entityType, entityId }, { message: 'Gone for good.' })
  }
  return (
    <div class="row">
      <span class="grow">
        <strong>{capitalize(label)}</strong>
        <span class="secondary">{said.filter(Boolean).join(', ')}</span>
      </span>
      {mayWrite && (
        <>
          <Button icon="undo" onClick={() => void restore()}>
            Bring back
          </Button>
          <Menu
            label={`More about ${label}`}
            items={[{ icon: 'trash', word: 'Delete for good', danger: true, run: purge }]}
          />
        </>
      )}
    </div>
  )
}
