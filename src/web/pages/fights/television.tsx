import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { Button } from '../../kit/button.tsx'
import { Dialog } from '../../kit/dialog.tsx'
import { SelectField } from '../../kit/field.tsx'
import { when } from '../../kit/format.ts'
import { useAction } from '../../shell/actions.ts'
import { useCampaign, useQuery } from '../../shell/context.ts'
import { InviteLink } from '../members/ways-in.tsx'

/** Screens in the room: an address for each, the map that it shows, and the way to take it back. */
export function TelevisionDialog({ onClose }: { onClose: () => void }): JSX.Element {
  const { campaignId } = useCampaign()
  const act = useAction()
  const [path, setPath] = useState<string | null>(null)
  const displays = useQuery('list_displays', { campaignId, limit: 50 }).data?.items ?? []
  const maps = useQuery('list_maps', { campaignId, limit: 200 }).data?.items ?? []
  const make = async () => {
    const written = await act('create_display', { campaignId })
    if (written?.kind === 'done') setPath(written.value.path)
  }
  return (
    <Dialog title="On a television" onClose={onClose}>
      {path === null ? (
        <>
          <p class="soft">
            The fight and a map in large letters, for everybody in the room. It needs no sign-in and shows only what
            every guest may see.
          </p>
          <Button variant="primary" icon="plus" onClick={() => void make()}>
            Make an address
          </Button>
        </>
      ) : (
        <>
          <p>Open this on the screen. It is shown once; take it back when the evening is over.</p>
          <InviteLink path={path} />
        </>
      )}
      {displays.length > 0 && (
        <ul class="roster">
          {displays.map(({ id, hint, label, createdAt, mapId }) => (
            <li key={id}>
              <span class="grow">
                <strong>{label ?? `${hint}…`}</strong>
                <span class="line2">{`Made ${when(createdAt)}`}</span>
              </span>
              <SelectField
                label="Map"
                value={mapId === null ? '' : String(mapId)}
                onValue={(value) =>
                  void act('update_display', { displayId: id, mapId: value === '' ? null : Number(value) })
                }
                options={[
                  { value: '', word: 'Of the place' },
                  ...maps.map((each) => ({ value: String(each.id), word: each.name })),
                ]}
              />
              <Button
                variant="danger-quiet"
                onClick={() => void act('revoke_display', { displayId: id }, { message: 'The screen goes dark.' })}
              >
                Take it back
              </Button>
            </li>
          ))}
        </ul>
      )}
    </Dialog>
  )
}
