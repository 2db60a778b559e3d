import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import type { Relation } from '../../api/contract.ts'
import { Button } from '../../kit/button.tsx'
import { HiddenBadge } from '../../kit/dm-only.tsx'
import { useTrash } from '../../kit/entity-actions.tsx'
import { Switch, TextField } from '../../kit/field.tsx'
import { Form, FormError, useSubmit } from '../../kit/form.tsx'
import { useSave } from '../../shell/actions.ts'
import { useCampaign } from '../../shell/context.ts'
import { entityPath } from '../../shell/links.ts'
import { type Bond, keyOfThing, type Soul } from './bonds.ts'
import { Face } from './face.tsx'

const firstWord = (title: string): string => (title.startsWith('The ') ? title : (title.split(' ')[0] ?? title))

/** What binds two of them: who says what of whom, who knows it, and for a DM the words to change. */
export function BondPanel({ bond, onGone }: { bond: Bond; onGone: () => void }): JSX.Element {
  const { campaignId, isDm, mayWrite } = useCampaign()
  return (
    <>
      <div class="both">
        {bond.ends.flatMap((end) =>
          bond.halves
            .filter(({ of }) => of === end.key)
            .map((half) => (
              <div key={`${half.relation.id} ${half.half}`}>
                <Face soul={end} />
                <p>
                  <strong class={half.hidden ? 'dm-ink' : undefined}>{half.word}</strong>
                  {isDm &&
                    (half.hidden ? (
                      <HiddenBadge>Only you</HiddenBadge>
                    ) : (
                      <span class="small soft">Players know this</span>
                    ))}
                </p>
              </div>
            )),
        )}
      </div>
      {isDm &&
        mayWrite &&
        bond.relations.map((relation) => (
          <RelationForm key={relation.id} relation={relation} ends={bond.ends} onGone={onGone} />
        ))}
      <p class="line both-links">
        {bond.ends.map((end) => (
          <Link key={end.key} href={entityPath(campaignId, end.entityType, end.entityId) ?? ''}>
            {end.title}
          </Link>
        ))}
      </p>
    </>
  )
}

function RelationForm({
  relation,
  ends,
  onGone,
}: {
  relation: Relation
  ends: readonly Soul[]
  onGone: () => void
}): JSX.Element {
  const keep = useSave()
  const trash = useTrash()
  const submitting = useSubmit()
  const before = {
    label: relation.label ?? '',
    inverseLabel: relation.inverseLabel ?? '',
    labelHidden: relation.labelHidden ?? false,
    inverseLabelHidden: relation.inverseLabelHidden ?? false,
    hidden: relation.hidden,
  }
  const [base, setBase] = useState({ revision: relation.revision, ...before })
  const [values, setValues] = useState(before)
  const put = (part: Partial<typeof values>) => setValues((now) => ({ ...now, ...part }))
  const nameOf = (thing: Relation['from']) => firstWord(ends.find(({ key }) => key === keyOfThing(thing))?.title ?? '')
  const [from, to] = [nameOf(relation.from), nameOf(relation.to)]
  const changed = (Object.keys(values) as (keyof typeof values)[]).some((key) => values[key] !== base[key])
  // Taken back, or changed by somebody else: it is shown as it is now, unless words here wait to be saved.
  useEffect(() => {
    if (relation.revision <= base.revision || changed) return
    setBase({ revision: relation.revision, ...before })
    setValues(before)
  }, [relation.revision, changed])
  const save = () =>
    submitting.run(async () => {
      const { inverseLabel, ...rest } = values
      const written = await keep('update_relation', {
        relationId: relation.id,
        expectedRevision: base.revision,
        ...rest,
        inverseLabel: inverseLabel.trim() === '' ? null : inverseLabel,
      })
      if (written.kind === 'done') setBase({ ...values, revision: written.value.revision })
    })
  const untie = async () => {
    const label = `The bond of ${from} and ${to}`
    if (await trash({ entityType: 'relation', entityId: relation.id, label })) onGone()
  }
  return (
    <Form
      operation="update_relation"
      about={relation.id}
      submitting={submitting}
      onSubmit={() => void save()}
      class="stack bond-form"
    >
      <TextField
        label={`${from}, of ${to}`}
        name="label"
        required
        maxLength={200}
        value={values.label}
        onValue={(label) => put({ label })}
      />
      <Switch
        label={`Players may see what ${from} says`}
        checked={!values.labelHidden}
        onValue={(seen) => put({ labelHidden: !seen })}
      />
      <TextField
        label={`${to}, of ${from}`}
        name="inverseLabel"
        maxLength={200}
        value={values.inverseLabel}
        onValue={(inverseLabel) => put({ inverseLabel })}
      />
      {values.inverseLabel.trim() !== '' && (
        <Switch
          label={`Players may see what ${to} says`}
          checked={!values.inverseLabelHidden}
          onValue={(seen) => put({ inverseLabelHidden: !seen })}
        />
      )}
      <Switch
        label="Players know that they are bound"
        checked={!values.hidden}
        onValue={(known) => put({ hidden: !known })}
      />
      <FormError error={submitting.error} />
      <p class="line">
        <Button type="submit" icon="check" busy={submitting.busy} disabled={!changed}>
          Save
        </Button>
        <Button variant="danger-quiet" class="end" onClick={() => void untie()}>
          Untie them
        </Button>
      </p>
    </Form>
  )
}
