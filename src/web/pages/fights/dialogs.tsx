import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { systemOf } from '../../../rules/systems.ts'
import { Button } from '../../kit/button.tsx'
import { Dialog } from '../../kit/dialog.tsx'
import { SelectField, Switch, TextField } from '../../kit/field.tsx'
import { Form, FormError, useSubmit } from '../../kit/form.tsx'
import { NumberField } from '../../kit/number-field.tsx'
import { useWrite } from '../../shell/actions.ts'
import { useCampaign, useQuery } from '../../shell/context.ts'
import type { FightActs } from './acts.ts'
import type { Fight, Fighter } from './words.ts'

/** How much somebody loses or gets back: a number and Enter. */
export function AmountDialog({
  one,
  heals,
  acts,
  onClose,
}: {
  one: Fighter
  heals: boolean
  acts: FightActs
  onClose: () => void
}): JSX.Element {
  const { campaign } = useCampaign()
  const { damageTypes } = systemOf(campaign.ruleSystem)
  const [amount, setAmount] = useState<number | null>(null)
  const [type, setType] = useState('')
  const [temporary, setTemporary] = useState(false)
  const run = () => {
    if (amount === null) return
    onClose()
    void (heals ? acts.heal(one, amount, temporary) : acts.hurt(one, amount, type))
  }
  return (
    <Dialog title={`${heals ? 'Heal' : 'Hurt'} ${one.name}`} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          run()
        }}
      >
        <NumberField label="How much" value={amount} onValue={setAmount} min={0} max={100_000} />
        {!heals && damageTypes.length > 0 && (
          <SelectField
            label="Of what kind"
            value={type}
            onValue={setType}
            options={[{ value: '', word: 'Any' }, ...damageTypes.map((each) => ({ value: each, word: each }))]}
          />
        )}
        {heals && (
          <Switch
            label="Temporary"
            hint="They stand in front of the others, and go first."
            checked={temporary}
            onValue={setTemporary}
          />
        )}
        <div class="actions">
          <Button onClick={onClose}>Not now</Button>
          <Button type="submit" variant="primary" disabled={amount === null}>
            {heals ? 'Heal' : 'Hurt'}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

export function ConditionDialog({ one, onClose }: { one: Fighter; onClose: () => void }): JSX.Element {
  const { campaign } = useCampaign()
  const { conditions } = systemOf(campaign.ruleSystem)
  const write = useWrite()
  const submitting = useSubmit()
  const [key, setKey] = useState(conditions[0]?.key ?? '')
  const [level, setLevel] = useState<number | null>(null)
  const [rounds, setRounds] = useState<number | null>(null)
  const [source, setSource] = useState('')
  const rule = conditions.find((each) => each.key === key)
  const run = async () => {
    const condition = {
      key,
      ...(level === null || !rule?.valued ? {} : { level }),
      ...(rounds === null ? {} : { rounds }),
      ...(source.trim() === '' ? {} : { source: source.trim() }),
    }
    if (await submitting.run(() => write('set_combatant_conditions', { combatantId: one.id, add: [condition] })))
      onClose()
  }
  return (
    <Dialog title={`What befell ${one.name}`} onClose={onClose}>
      <Form operation="set_combatant_conditions" submitting={submitting} onSubmit={() => void run()}>
        {conditions.length > 0 ? (
          <SelectField
            label="Condition"
            value={key}
            onValue={setKey}
            options={conditions.map((each) => ({ value: each.key, word: each.name }))}
          />
        ) : (
          <TextField label="Condition" maxLength={60} required value={key} onValue={setKey} />
        )}
        {rule && <p class="soft small">{rule.says}</p>}
        {rule?.valued && (
          <NumberField label="How much" value={level} onValue={setLevel} min={1} max={rule.most ?? 100} />
        )}
        <NumberField label="Rounds, if it ends" value={rounds} onValue={setRounds} min={1} max={10_000} />
        <TextField label="From whom or what" value={source} onValue={setSource} maxLength={120} />
        <FormError error={submitting.error} />
        <div class="actions">
          <Button onClick={onClose}>Not now</Button>
          <Button type="submit" variant="primary" disabled={key.trim() === ''} busy={submitting.busy}>
            Add it
          </Button>
        </div>
      </Form>
    </Dialog>
  )
}

type Adding = 'character' | 'npc' | 'monster'

/** Characters and NPCs by their names, creatures by a few numbers. */
export function AddDialog({ fight, onClose }: { fight: Fight; onClose: () => void }): JSX.Element {
  const { campaignId } = useCampaign()
  const write = useWrite()
  const submitting = useSubmit()
  const [kind, setKind] = useState<Adding>('monster')
  const [chosen, setChosen] = useState('')
  const [name, setName] = useState('')
  const [count, setCount] = useState<number | null>(1)
  const [hpMax, setHpMax] = useState<number | null>(null)
  const [ac, setAc] = useState<number | null>(null)
  const [hidden, setHidden] = useState(false)
  const characters = useQuery('list_characters', { campaignId, status: 'active', limit: 200 }).data?.items ?? []
  const npcs = useQuery('list_npcs', { campaignId, limit: 200 }).data?.items ?? []
  const there = new Set(fight.combatants.map(({ characterId }) => characterId))
  const options = kind === 'character' ? characters.filter(({ id }) => !there.has(id)) : kind === 'npc' ? npcs : []
  const numbers = { ...(hpMax === null ? {} : { hpMax }), ...(ac === null ? {} : { ac }) }
  const inputOf = () => {
    const base = { encounterId: fight.id, kind, hidden }
    if (kind === 'character') return { ...base, characterId: Number(chosen) }
    if (kind === 'npc') return { ...base, ...numbers, npcId: Number(chosen) }
    return { ...base, ...numbers, name, count: count ?? 1 }
  }
  const ready = kind === 'monster' ? name.trim() !== '' : chosen !== ''
  const run = async () => {
    if (await submitting.run(() => write('add_combatant', inputOf()))) onClose()
  }
  return (
    <Dialog title="Add to the fight" onClose={onClose}>
      <Form operation="add_combatant" submitting={submitting} onSubmit={() => void run()}>
        <SelectField
          label="Who"
          value={kind}
          onValue={(next) => {
            setKind(next)
            setChosen('')
          }}
          options={[
            { value: 'monster', word: 'A creature' },
            { value: 'character', word: 'A character' },
            { value: 'npc', word: 'Somebody of the campaign' },
          ]}
        />
        {kind === 'monster' ? (
          <div class="field-pair">
            <TextField label="Name" name="name" required value={name} onValue={setName} maxLength={100} />
            <NumberField label="How many" name="count" value={count} onValue={setCount} min={1} max={50} />
          </div>
        ) : (
          <SelectField
            label="Name"
            value={chosen}
            onValue={setChosen}
            options={[
              { value: '', word: options.length === 0 ? 'Nobody is left' : 'Choose' },
              ...options.map((each) => ({ value: String(each.id), word: each.name })),
            ]}
          />
        )}
        {kind !== 'character' && (
          <div class="field-pair">
            <NumberField label="Hit points" name="hpMax" value={hpMax} onValue={setHpMax} min={0} max={100_000} />
            <NumberField label="Armour" name="ac" value={ac} onValue={setAc} min={0} max={1000} />
          </div>
        )}
        <Switch
          label="Hidden from players"
          hint="They see nothing of it until you show it."
          checked={hidden}
          onValue={setHidden}
        />
        <FormError error={submitting.error} />
        <div class="actions">
          <Button onClick={onClose}>Not now</Button>
          <Button type="submit" variant="primary" disabled={!ready} busy={submitting.busy}>
            Add
          </Button>
        </div>
      </Form>
    </Dialog>
  )
}

export function EndDialog({ acts, onClose }: { acts: FightActs; onClose: () => void }): JSX.Element {
  const [outcome, setOutcome] = useState('')
  const end = async () => {
    const written = await acts.end(outcome.trim())
    if (written) onClose()
    return written !== null
  }
  return (
    <Dialog title="End the fight" onClose={onClose}>
      <Form operation="end_encounter" class="" onSubmit={end}>
        <TextField
          label="How it went"
          name="outcome"
          value={outcome}
          onValue={setOutcome}
          maxLength={300}
          hint="Everybody reads it. You may leave it empty."
        />
        <div class="actions">
          <Button onClick={onClose}>Not now</Button>
          <Button type="submit" variant="primary">
            End it
          </Button>
        </div>
      </Form>
    </Dialog>
  )
}
