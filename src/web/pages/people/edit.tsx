import type { JSX } from 'preact'
import { useSearch } from 'wouter-preact'
import type { Npc } from '../../api/contract.ts'
import { EditPage, filled, useDraft } from '../../kit/edit.tsx'
import { optionsOf, SelectField, Switch, TagField, TextField } from '../../kit/field.tsx'
import { Failed, Waiting } from '../../kit/page.tsx'
import { PictureField } from '../../kit/picture.tsx'
import { placeOptions, RefField, usePlaces } from '../../kit/refs.tsx'
import { dispositions, npcStatuses } from '../../kit/words.ts'
import { WriteField } from '../../kit/write.tsx'
import { useCampaign, useQuery, useTitle } from '../../shell/context.ts'
import { place } from '../../shell/links.ts'

function valuesOf(npc: Npc | null) {
  return {
    name: npc?.name ?? '',
    role: npc?.role ?? '',
    species: npc?.species ?? '',
    disposition: npc?.disposition ?? ('neutral' as const),
    status: npc?.status ?? ('alive' as const),
    locationId: npc?.locationId ?? null,
    voice: npc?.voice ?? '',
    body: npc?.body ?? '',
    portraitAttachmentId: npc?.portraitAttachmentId ?? null,
    dmSecret: npc?.dmSecret ?? '',
    hidden: npc?.hidden ?? false,
    tags: npc?.tags ?? [],
  }
}

export function PersonEdit({ id }: { id: number | null }): JSX.Element {
  const { data: npc, error } = useQuery('get_npc', id === null ? null : { npcId: id })
  if (id !== null && !npc) return error ? <Failed error={error} /> : <Waiting />
  return <PersonForm npc={npc ?? null} />
}

function PersonForm({ npc }: { npc: Npc | null }): JSX.Element {
  const { campaignId, isDm } = useCampaign()
  const at = Number(new URLSearchParams(useSearch()).get('at')) || null
  const places = usePlaces()
  const draft = useDraft(valuesOf(npc), npc ? {} : { locationId: at })
  const { values, set } = draft
  const people = place(campaignId, 'people')
  useTitle(npc ? `Edit ${npc.name}` : 'New person')
  return (
    <EditPage
      title={npc ? npc.name : 'A new person'}
      back={npc ? place(campaignId, 'people', npc.id) : people}
      backWord={npc ? `Back to ${npc.name}` : 'People'}
      draft={draft}
      current={npc ? { values: valuesOf(npc), revision: npc.revision } : null}
      proposes={!isDm}
      call={(changes, expectedRevision) => {
        if (!npc) return { operation: 'create_npc', input: { campaignId, ...filled(changes) } }
        if (Object.keys(changes).length === 0) return undefined
        return { operation: 'update_npc', input: { npcId: npc.id, expectedRevision, ...changes } }
      }}
      after={(written) => {
        if (written.kind === 'done') return place(campaignId, 'people', written.value.id)
        return npc ? place(campaignId, 'people', npc.id) : people
      }}
    >
      <div class="two-up">
        <TextField
          label="Name"
          name="name"
          required
          autofocus={!npc}
          value={values.name}
          onValue={(value) => set('name', value)}
        />
        <TextField
          label="Who they are"
          name="role"
          placeholder="Keeper of the ledger"
          value={values.role}
          onValue={(value) => set('role', value)}
        />
      </div>
      <PictureField
        label="Portrait"
        kind="portrait"
        arched
        caption={values.name}
        value={values.portraitAttachmentId}
        onValue={(value) => set('portraitAttachmentId', value)}
      />
      <TextField
        label="Voice"
        name="voice"
        hint="One line to become this person in five seconds: how they speak, or a thing they say."
        value={values.voice}
        onValue={(value) => set('voice', value)}
      />
      <WriteField
        label="What is known of them"
        name="body"
        rows={9}
        value={values.body}
        onValue={(value) => set('body', value)}
        hint="The party reads this."
      />
      <div class="two-up">
        <SelectField
          label="Towards the party"
          name="disposition"
          value={values.disposition}
          onValue={(value) => set('disposition', value)}
          options={optionsOf(dispositions)}
        />
        <RefField
          label="Found at"
          name="locationId"
          none="Nowhere in particular"
          value={values.locationId}
          onValue={(value) => set('locationId', value)}
          options={placeOptions(places)}
        />
        <TextField label="Species" name="species" value={values.species} onValue={(value) => set('species', value)} />
        <SelectField
          label="State"
          name="status"
          value={values.status}
          onValue={(value) => set('status', value)}
          options={optionsOf(npcStatuses)}
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
            hint="They do not know that this person is there."
            checked={values.hidden}
            onValue={(value) => set('hidden', value)}
          />
        </>
      )}
    </EditPage>
  )
}
