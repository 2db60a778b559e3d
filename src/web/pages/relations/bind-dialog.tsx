import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { Input } from '../../api/contract.ts'
import { Button } from '../../kit/button.tsx'
import { Dialog } from '../../kit/dialog.tsx'
import { SelectField, Switch, TextField } from '../../kit/field.tsx'
import { Form, FormError, useSubmit } from '../../kit/form.tsx'
import { ReferenceField, useAllOf } from '../../kit/references.tsx'
import { useWrite } from '../../shell/actions.ts'
import { useApp, useCampaign } from '../../shell/context.ts'

type Ends = Pick<Input<'create_relation'>, 'fromType' | 'toType'>
export type Relatable = Ends['fromType']

const words: Readonly<Record<Relatable, string>> = {
  npc: 'Somebody',
  character: 'One of the party',
  faction: 'A faction',
  location: 'A place',
  quest: 'A quest',
}

export const isRelatable = (entityType: string): entityType is Relatable => entityType in words

interface End {
  readonly type: Relatable
  readonly id: number | null
}

/** Binds two things: `from` is chosen already where there is one in the middle. */
export function BindDialog({
  from,
  onClose,
}: {
  from: { readonly entityType: Relatable; readonly entityId: number; readonly title: string } | null
  onClose: () => void
}): JSX.Element {
  const { campaignId, isDm } = useCampaign()
  const { toasts } = useApp()
  const write = useWrite()
  const submitting = useSubmit()
  const [one, setOne] = useState<End>({ type: from?.entityType ?? 'npc', id: from?.entityId ?? null })
  const [other, setOther] = useState<End>({ type: 'npc', id: null })
  const [values, setValues] = useState({ label: '', inverseLabel: '', labelHidden: false, inverseLabelHidden: false })
  const put = (part: Partial<typeof values>) => setValues((now) => ({ ...now, ...part }))
  const [fromId, toId] = [one.id, other.id]
  const bind = () =>
    submitting.run(async () => {
      if (fromId === null || toId === null) return
      const { label, inverseLabel, labelHidden, inverseLabelHidden } = values
      const written = await write('create_relation', {
        campaignId,
        fromType: one.type,
        fromId,
        toType: other.type,
        toId,
        label,
        ...(inverseLabel.trim() === '' ? {} : { inverseLabel }),
        ...(isDm ? { labelHidden, inverseLabelHidden } : {}),
      })
      toasts.say(written.kind === 'done' ? 'They are bound.' : 'Sent to the DM as a proposal.')
      onClose()
    })
  const whom = from?.title ?? 'the first'
  return (
    <Dialog title={from ? `Bind ${from.title} to somebody` : 'Bind two together'} onClose={onClose}>
      <Form operation="create_relation" submitting={submitting} onSubmit={() => void bind()}>
        {from === null && <EndField label="The one" name="fromId" end={one} onEnd={setOne} />}
        <EndField label={from === null ? 'The other' : 'To'} name="toId" end={other} onEnd={setOther} />
        <TextField
          label={`What ${whom} is, or does, to the other`}
          name="label"
          required
          maxLength={200}
          placeholder="wrote him in"
          value={values.label}
          onValue={(label) => put({ label })}
        />
        {isDm && (
          <Switch
            label="Players may see these words"
            checked={!values.labelHidden}
            onValue={(seen) => put({ labelHidden: !seen })}
          />
        )}
        <TextField
          label={`What the other is, or does, to ${whom}`}
          name="inverseLabel"
          maxLength={200}
          placeholder="knows that hand"
          hint="You may leave it empty."
          value={values.inverseLabel}
          onValue={(inverseLabel) => put({ inverseLabel })}
        />
        {isDm && values.inverseLabel.trim() !== '' && (
          <Switch
            label="Players may see these words too"
            checked={!values.inverseLabelHidden}
            onValue={(seen) => put({ inverseLabelHidden: !seen })}
          />
        )}
        <FormError error={submitting.error} />
        <p class="line">
          <Button onClick={onClose}>Cancel</Button>
          <Button
            type="submit"
            variant="primary"
            class="end"
            busy={submitting.busy}
            disabled={fromId === null || toId === null}
          >
            {isDm ? 'Bind them' : 'Propose it'}
          </Button>
        </p>
      </Form>
    </Dialog>
  )
}

function EndField({
  label,
  name,
  end,
  onEnd,
}: {
  label: string
  name: string
  end: End
  onEnd: (end: End) => void
}): JSX.Element {
  const rows = useAllOf(end.type)
  const options = rows.map((row) => ({ id: row.id as number, word: 'name' in row ? row.name : row.title }))
  return (
    <div class="field-pair">
      <SelectField
        label={label}
        value={end.type}
        onValue={(type) => onEnd({ type, id: null })}
        options={(Object.keys(words) as Relatable[]).map((value) => ({ value, word: words[value] }))}
      />
      <ReferenceField
        label="Who or what"
        name={name}
        none="Choose"
        value={end.id}
        onValue={(id) => onEnd({ ...end, id })}
        options={options}
      />
    </div>
  )
}
