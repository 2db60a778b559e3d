import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { useLocation } from 'wouter-preact'
import { Button, LinkButton } from '../../kit/button.tsx'
import { Dialog } from '../../kit/dialog.tsx'
import { SelectField } from '../../kit/field.tsx'
import { Form, FormError, useSubmit } from '../../kit/form.tsx'
import { Loading } from '../../kit/page.tsx'
import { useWrite } from '../../shell/actions.ts'
import { useCampaign, usePages } from '../../shell/context.ts'
import { sectionPath } from '../../shell/links.ts'
import type { Character } from './signs.tsx'

/** Puts a character on a map: a token of their name in the middle of it, which whoever plays them may move. */
export function OnMap({
  one,
  onClose,
}: {
  one: Pick<Character, 'name' | 'ownerUserId'>
  onClose: () => void
}): JSX.Element {
  const { campaignId } = useCampaign()
  const [, navigate] = useLocation()
  const write = useWrite()
  const submitting = useSubmit()
  const maps = usePages('list_maps', { campaignId, limit: 200 }, { all: true })
  const [chosen, setChosen] = useState('')
  const mapId = Number(chosen || maps.items[0]?.id)
  const put = () =>
    submitting.run(async () => {
      await write('set_map_token', {
        ...{ mapId, x: 0.5, y: 0.5, label: one.name },
        ...(one.ownerUserId === null ? {} : { playerUserId: one.ownerUserId }),
      })
      navigate(sectionPath(campaignId, 'maps', mapId))
    })
  return (
    <Dialog title={`${one.name} on a map`} onClose={onClose}>
      {maps.waiting ? (
        <Loading />
      ) : maps.items.length === 0 ? (
        <>
          <p class="soft">There is no map yet.</p>
          <LinkButton icon="map" to={sectionPath(campaignId, 'maps')}>
            Lay one on the table
          </LinkButton>
        </>
      ) : (
        <Form operation="set_map_token" submitting={submitting} onSubmit={() => void put()}>
          <SelectField
            label="Which map"
            name="mapId"
            value={String(mapId)}
            onValue={setChosen}
            options={maps.items.map(({ id, name }) => ({ value: String(id), word: name }))}
          />
          <p class="small soft">
            They stand in its middle,{' '}
            {one.ownerUserId === null ? 'for you to move.' : 'for their player and you to move.'}
          </p>
          <FormError error={submitting.error} />
          <p class="line">
            <Button onClick={onClose}>Cancel</Button>
            <Button type="submit" variant="primary" class="end" busy={submitting.busy}>
              Put them there
            </Button>
          </p>
        </Form>
      )}
    </Dialog>
  )
}
