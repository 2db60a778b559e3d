import type { JSX } from 'preact'
import { useSearch } from 'wouter-preact'
import type { Location } from '../../api/contract.ts'
import { EditPage, filled, useDraft } from '../../kit/edit.tsx'
import { optionsOf, SelectField, Switch, TagField, TextField } from '../../kit/field.tsx'
import { Failed, Waiting } from '../../kit/page.tsx'
import { PictureField } from '../../kit/picture.tsx'
import { placeOptions, RefField, usePlaces } from '../../kit/refs.tsx'
import { discoveries } from '../../kit/words.ts'
import { WriteField } from '../../kit/write.tsx'
import { useCampaign, useQuery, useTitle } from '../../shell/context.ts'
import { place } from '../../shell/links.ts'

function valuesOf(one: Location | null) {
  return {
    name: one?.name ?? '',
    kind: one?.kind ?? '',
    parentLocationId: one?.parentLocationId ?? null,
    body: one?.body ?? '',
    discovery: one?.discovery ?? ('discovered' as const),
    imageAttachmentId: one?.imageAttachmentId ?? null,
    dmSecret: one?.dmSecret ?? '',
    hidden: one?.hidden ?? false,
    tags: one?.tags ?? [],
  }
}

export function PlaceEdit({ id }: { id: number | null }): JSX.Element {
  const { data: found, error } = useQuery('get_location', id === null ? null : { locationId: id })
  if (id !== null && !found) return error ? <Failed error={error} /> : <Waiting />
  return <PlaceForm one={found ?? null} />
}

function PlaceForm({ one }: { one: Location | null }): JSX.Element {
  const { campaignId, isDm } = useCampaign()
  const within = Number(new URLSearchParams(useSearch()).get('in')) || null
  const places = usePlaces()
  const draft = useDraft(valuesOf(one), one ? {} : { parentLocationId: within })
  const { values, set } = draft
  const all = place(campaignId, 'places')
  useTitle(one ? `Edit ${one.name}` : 'New place')
  return (
    <EditPage
      title={one ? one.name : 'A new place'}
      back={one ? place(campaignId, 'places', one.id) : all}
      backWord={one ? `Back to ${one.name}` : 'Places'}
      draft={draft}
      current={one ? { values: valuesOf(one), revision: one.revision } : null}
      proposes={!isDm}
      call={(changes, expectedRevision) => {
        if (!one) {
          return {
            operation: 'create_location',
            input: { campaignId, discovery: values.discovery, ...filled(changes) },
          }
        }
        if (Object.keys(changes).length === 0) return undefined
        return { operation: 'update_location', input: { locationId: one.id, expectedRevision, ...changes } }
      }}
      after={(written) => {
        if (written.kind === 'done') return place(campaignId, 'places', written.value.id)
        return one ? place(campaignId, 'places', one.id) : all
      }}
    >
      <div class="two-up">
        <TextField
          label="Name"
          name="name"
          required
          autofocus={!one}
          value={values.name}
          onValue={(value) => set('name', value)}
        />
        <TextField
          label="Kind"
          name="kind"
          placeholder="Village, inn, ruin under the ice"
          value={values.kind}
          onValue={(value) => set('kind', value)}
        />
      </div>
      <PictureField
        label="Picture"
        kind="image"
        caption={values.name}
        value={values.imageAttachmentId}
        onValue={(value) => set('imageAttachmentId', value)}
      />
      <WriteField
        label="What one sees, hears and smells"
        name="body"
        rows={9}
        value={values.body}
        onValue={(value) => set('body', value)}
        hint="The party reads this once they know the place."
      />
      <div class="two-up">
        <RefField
          label="Lies within"
          name="parentLocationId"
          none="Nothing larger"
          value={values.parentLocationId}
          onValue={(value) => set('parentLocationId', value)}
          options={placeOptions(places, one?.id)}
        />
        <SelectField
          label="Known to the party"
          name="discovery"
          value={values.discovery}
          onValue={(value) => set('discovery', value)}
          options={optionsOf(discoveries)}
          hint="An unknown place is seen by the DM alone."
        />
        <TagField value={values.tags} onValue={(value) => set('tags', value)} />
      </div>
      {isDm && (
        <>
          <WriteField
            label="Only for you"
            name="dmSecret"
            secret
            rows={5}
            value={values.dmSecret}
            onValue={(value) => set('dmSecret', value)}
            hint="Players never see these words."
          />
          <Switch
            label="Hidden from players"
            hint="They do not know that this place is there, whatever they have heard."
            checked={values.hidden}
            onValue={(value) => set('hidden', value)}
          />
        </>
      )}
    </EditPage>
  )
}
