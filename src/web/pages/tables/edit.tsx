import type { JSX } from 'preact'
import type { Output } from '../../api/contract.ts'
import { useDraft } from '../../kit/edit-page.tsx'
import { EntityEdit, EntityFormPage } from '../../kit/entity-edit.tsx'
import { SelectField, TagField, TextField } from '../../kit/field.tsx'
import { NumberField } from '../../kit/number-field.tsx'
import { RepeatedRows } from '../../kit/repeated-rows.tsx'
import { useCampaign, usePages } from '../../shell/context.ts'
import './styles.ts'

type Table = Output<'get_random_table'>
type Row = Table['rows'][number]

function valuesOf(one: Table | null) {
  return {
    name: one?.name ?? '',
    description: one?.description ?? '',
    expression: one?.expression ?? (null as string | null),
    rows: (one?.rows ?? [{ text: '' }]) as Row[],
    tags: one?.tags ?? [],
  }
}

export function TableEdit({ id }: { id: number | null }): JSX.Element {
  return (
    <EntityFormPage kind="table" id={id}>
      {(one) => <TableForm one={one} />}
    </EntityFormPage>
  )
}

/** A row without what is empty: a member that is not there is not sent. */
function without(row: Row, change: { readonly [K in keyof Row]?: Row[K] | null }): Row {
  const next = { ...row, ...change }
  return Object.fromEntries(Object.entries(next).filter(([, value]) => value != null)) as unknown as Row
}

function TableForm({ one }: { one: Table | null }): JSX.Element {
  const { campaignId } = useCampaign()
  const draft = useDraft(valuesOf(one), {})
  const { values, field } = draft
  const expression = field('expression')
  const { items: tables } = usePages('list_random_tables', { campaignId, limit: 200 }, { all: true })
  const others = tables.filter(({ id }) => id !== one?.id)
  const hasDice = values.expression !== null && values.expression !== ''
  const options = [{ value: '', word: 'Nowhere' }, ...others.map(({ id, name }) => ({ value: String(id), word: name }))]
  return (
    <EntityEdit
      kind="table"
      thing={one && { id: one.id, revision: one.revision, label: one.name, values: valuesOf(one) }}
      draft={draft}
    >
      <div class="field-pair">
        <TextField label="Name" required autofocus={!one} {...field('name')} />
        <TextField
          label="Dice"
          placeholder="1d12"
          hint="Without dice each line has a weight."
          name="expression"
          value={values.expression ?? ''}
          onValue={(value) => expression.onValue(value.trim() === '' ? null : value)}
        />
      </div>
      <TextField
        label="When it is rolled on"
        placeholder="Once a night, whenever they make camp"
        {...field('description')}
      />
      <RepeatedRows
        name="rows"
        one="Line"
        addWord="Add a line"
        rows={values.rows}
        onRows={(rows) => field('rows').onValue([...rows])}
        blank={{ text: '' }}
        max={200}
        ordered
      >
        {(row, change) => {
          const put = (part: { readonly [K in keyof Row]?: Row[K] | null }) => {
            const next = without(row, part)
            const gone = Object.keys(row).filter((key) => !(key in next))
            change({ ...Object.fromEntries(gone.map((key) => [key, undefined])), ...next })
          }
          return (
            <>
              <TextField
                label="What to say aloud"
                name="text"
                required
                hint="[[1d4+1]] is thrown when it is drawn."
                value={row.text}
                onValue={(text) => put({ text })}
              />
              <TextField
                label="What follows"
                name="more"
                value={row.more ?? ''}
                onValue={(more) => put({ more: more || null })}
              />
              <div class="field-pair">
                {hasDice ? (
                  <>
                    <NumberField label="From" name="from" value={row.from ?? null} onValue={(from) => put({ from })} />
                    <NumberField label="To" name="to" value={row.to ?? null} onValue={(to) => put({ to })} />
                  </>
                ) : (
                  <NumberField
                    label="Weight"
                    name="weight"
                    min={1}
                    max={10000}
                    value={row.weight ?? null}
                    onValue={(weight) => put({ weight })}
                  />
                )}
              </div>
              <SelectField
                label="Goes on to"
                name="tableId"
                options={options}
                value={row.tableId === undefined ? '' : String(row.tableId)}
                onValue={(value) => put({ tableId: value === '' ? null : Number(value) })}
              />
            </>
          )
        }}
      </RepeatedRows>
      <TagField {...field('tags')} />
    </EntityEdit>
  )
}
