import type { JSX } from 'preact'
import type { MapDetail } from '../../api/contract.ts'
import { useDraft } from '../../kit/edit-page.tsx'
import { DmFields, EntityEdit, EntityFormPage, useBegun, VisibilityField } from '../../kit/entity-edit.tsx'
import { Switch, TextField } from '../../kit/field.tsx'
import { MarkdownField } from '../../kit/markdown-field.tsx'
import { NumberField } from '../../kit/number-field.tsx'
import { PictureField } from '../../kit/picture.tsx'
import { locationOptions, ReferenceField, useLocations } from '../../kit/references.tsx'

type Grid = NonNullable<MapDetail['grid']>

function valuesOf(one: MapDetail | null) {
  return {
    name: one?.name ?? '',
    kind: one?.kind ?? '',
    attachmentId: (one?.attachmentId ?? null) as number | null,
    locationId: (one?.locationId ?? null) as number | null,
    grid: (one?.grid ?? null) as Grid | null,
    body: one?.body ?? '',
    dmSecret: one?.dmSecret ?? '',
    hidden: one?.hidden ?? false,
  }
}

export function MapEdit({ id }: { id: number | null }): JSX.Element {
  return (
    <EntityFormPage kind="map" id={id}>
      {(one) => <MapForm one={one} />}
    </EntityFormPage>
  )
}

function MapForm({ one }: { one: MapDetail | null }): JSX.Element {
  const places = useLocations()
  // How a map begins is asked once; its fog is then done on the map itself.
  const begun = useBegun(one, { fogEnabled: true })
  const draft = useDraft<ReturnType<typeof valuesOf> & { fogEnabled?: boolean }>(valuesOf(one), begun)
  const { values, field, set } = draft
  const { grid } = values
  const setGrid = (part: Partial<Grid>) => {
    const { columns, shown, distance, unit } = { columns: 24, ...grid, ...part }
    set('grid', {
      columns,
      ...(shown === undefined ? {} : { shown }),
      ...(distance ? { distance } : {}),
      ...(unit ? { unit } : {}),
    })
  }
  return (
    <EntityEdit
      kind="map"
      thing={one && { id: one.id, revision: one.revision, label: one.name, values: valuesOf(one) }}
      draft={draft}
    >
      <VisibilityField draft={draft} hint="They do not know that there is such a map." />
      <PictureField label="The picture" kind="map" unlisted caption={values.name} {...field('attachmentId')} />
      <div class="field-pair">
        <TextField label="Name" required {...field('name')} />
        <TextField label="What kind" placeholder="A valley, a town, one floor" {...field('kind')} />
      </div>
      <ReferenceField
        label="The place it shows"
        none="None"
        {...field('locationId')}
        options={locationOptions(places)}
      />
      {one === null && (
        <Switch
          label="Begin under fog"
          hint="Players see nothing of it until you uncover it."
          checked={values.fogEnabled ?? false}
          onValue={(on) => set('fogEnabled', on)}
        />
      )}
      <MarkdownField label="About it" rows={4} {...field('body')} hint="The party reads this." />
      <Switch
        label="Squares"
        hint="To measure with, and for tokens to fill."
        checked={grid !== null}
        onValue={(on) => (on ? setGrid({}) : set('grid', null))}
      />
      {grid && (
        <>
          <NumberField
            label="Squares from left to right"
            name="grid.columns"
            value={grid.columns}
            onValue={(columns) => columns !== null && setGrid({ columns })}
            min={2}
            max={300}
            required
          />
          <div class="field-pair">
            <NumberField
              label="One square is"
              name="grid.distance"
              value={grid.distance ?? null}
              onValue={(distance) => setGrid({ distance: distance ?? undefined })}
              min={0.01}
              max={100_000}
              decimals={2}
            />
            <TextField
              label="of"
              name="grid.unit"
              placeholder="feet"
              maxLength={20}
              value={grid.unit ?? ''}
              onValue={(unit) => setGrid({ unit })}
            />
          </div>
          <Switch label="Draw them on the map" checked={grid.shown ?? false} onValue={(shown) => setGrid({ shown })} />
        </>
      )}
      <DmFields draft={draft} />
    </EntityEdit>
  )
}
