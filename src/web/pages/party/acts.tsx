import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { diceFault } from '../../../kernel/dice.ts'
import { systemOf } from '../../../rules/systems.ts'
import { Button } from '../../kit/button.tsx'
import { Dialog } from '../../kit/dialog.tsx'
import { AreaField, SelectField, TextField } from '../../kit/field.tsx'
import { Form } from '../../kit/form.tsx'
import { NumberField } from '../../kit/number-field.tsx'
import { Section } from '../../kit/page.tsx'
import { useAction } from '../../shell/actions.ts'
import { useCampaign } from '../../shell/context.ts'
import { type Fallen, useThrow, type Wanted } from './echo.tsx'
import type { Character } from './signs.tsx'

type Act = Character['actions'][number]
const signed = (value: number): string => (value < 0 ? `−${-value}` : `+${value}`)

/** Everything somebody can do, under its price, each with its numbers to touch. */
export function Acts({
  one,
  mayPlay,
  onThrown,
}: {
  one: Character
  mayPlay: boolean
  onThrown: (fallen: Fallen) => void
}): JSX.Element {
  const { campaign } = useCampaign()
  const [editing, setEditing] = useState<Act | 'new' | null>(null)
  const system = systemOf(campaign.ruleSystem)
  const groups = [...system.face.costs, { key: '', name: 'What they can do' }]
    .map((cost) => ({
      ...cost,
      acts: one.actions.filter(
        (act) => (system.face.costs.some(({ key }) => key === act.cost) ? act.cost : '') === cost.key,
      ),
    }))
    .filter(({ acts }) => acts.length > 0)
  return (
    <Section title="What they can do">
      {groups.length === 0 && <p class="soft">Nothing is written down yet: a weapon, a spell, a trick.</p>}
      {groups.map(({ key, name, acts }) => (
        <div key={key}>
          {key !== '' && (
            <div class="cost">
              <h3>{name}</h3>
            </div>
          )}
          <div class="cans">
            {acts.map((act) => (
              <Can
                key={act.key}
                one={one}
                act={act}
                mayPlay={mayPlay}
                onThrown={onThrown}
                onEdit={() => setEditing(act)}
              />
            ))}
          </div>
        </div>
      ))}
      {mayPlay && (
        <Button variant="quiet" icon="plus" onClick={() => setEditing('new')}>
          Something they can do
        </Button>
      )}
      {editing !== null && (
        <ActDialog one={one} act={editing === 'new' ? null : editing} onClose={() => setEditing(null)} />
      )}
    </Section>
  )
}

function Can({
  one,
  act,
  mayPlay,
  onThrown,
  onEdit,
}: {
  one: Character
  act: Act
  mayPlay: boolean
  onThrown: (fallen: Fallen) => void
  onEdit: () => void
}): JSX.Element {
  const { campaign } = useCampaign()
  const throwIt = useThrow(onThrown)
  const system = systemOf(campaign.ruleSystem)
  const effect = system.rollEffect(one.conditions, 'attack', null)
  const characterId = one.id
  const damage: Wanted | undefined = act.damage?.[0] && {
    kind: 'dice',
    characterId,
    expression: act.damage.map(({ expression, type }) => (type ? `${expression} [${type}]` : expression)).join(' + '),
    name: `${act.name}, damage`,
  }
  const attacks = Array.from({ length: act.attack === undefined ? 0 : system.face.attacksOfTurn }, (_, made) =>
    system.attackThrow(act, one.conditions, effect.mode, made),
  )
  const spent = act.uses && one.resources.find(({ key }) => key === act.uses?.resource)
  const none = act.uses !== undefined && spent !== undefined && spent.left < act.uses.count
  return (
    <div class={none ? 'can no' : 'can'}>
      <div>
        <strong>{act.name}</strong>
        {act.says && <p>{act.says}</p>}
        {effect.mode === 'disadvantage' && act.attack !== undefined && (
          <span class="why bad">{`${effect.reasons.join(', ')}: the worse of two`}</span>
        )}
        {none && <span class="why">{`${spent.name}: none left`}</span>}
        {mayPlay && (
          <Button variant="quiet" onClick={onEdit} aria-label={`Change it: ${act.name}`}>
            Change it
          </Button>
        )}
      </div>
      <div class="rolls">
        {attacks.map(
          (thrown, made) =>
            thrown && (
              <button
                key={thrown.expression}
                type="button"
                class="rb"
                disabled={!mayPlay}
                onClick={() =>
                  void throwIt({
                    kind: 'dice',
                    characterId,
                    expression: thrown.expression,
                    name: `${act.name}, to hit`,
                    ...(damage ? { next: damage } : {}),
                  })
                }
              >
                {/^\d*d\d+(?:k[hl]\d+)?(.*)$/.exec(thrown.expression)?.[1] || signed(act.attack ?? 0)}
                <small>{attacks.length === 1 ? 'to hit' : ['first', 'second', 'third'][made]}</small>
              </button>
            ),
        )}
        {damage?.kind === 'dice' && (
          <button type="button" class="rb" disabled={!mayPlay} onClick={() => void throwIt(damage)}>
            {act.damage?.map(({ expression }) => expression).join(' + ')}
            <small>
              {act.save
                ? `${act.save.checkId.split('.').at(-1)} ${act.save.difficulty}`
                : (act.damage?.[0]?.type ?? 'damage')}
            </small>
          </button>
        )}
        {act.heals && (
          <button
            type="button"
            class="rb"
            disabled={!mayPlay}
            onClick={() => {
              if (act.heals)
                void throwIt({ kind: 'dice', characterId, expression: act.heals, name: `${act.name}, heals` })
            }}
          >
            {act.heals}
            <small>heals</small>
          </button>
        )}
      </div>
    </div>
  )
}

const keyFor = (name: string, taken: readonly string[]): string => {
  const bare =
    name
      .trim()
      .toLowerCase()
      .normalize('NFD')
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^[^a-z]+|-+$/g, '')
      .slice(0, 36) || 'act'
  let key = bare
  for (let count = 2; taken.includes(key); count++) key = `${bare}-${count}`
  return key
}

function ActDialog({ one, act, onClose }: { one: Character; act: Act | null; onClose: () => void }): JSX.Element {
  const { campaign } = useCampaign()
  const send = useAction()
  const { face } = systemOf(campaign.ruleSystem)
  const [name, setName] = useState(act?.name ?? '')
  const [cost, setCost] = useState(act?.cost ?? face.costs[0]?.key ?? '')
  const [says, setSays] = useState(act?.says ?? '')
  const [attack, setAttack] = useState<number | null>(act?.attack ?? null)
  const [dice, setDice] = useState(act?.damage?.[0]?.expression ?? '')
  const [type, setType] = useState(act?.damage?.[0]?.type ?? '')
  const fault = dice.trim() === '' ? null : diceFault(dice)
  const save = async (actions: Act[]) => {
    const written = await send('update_character', { characterId: one.id, actions })
    if (written) onClose()
    return written !== null
  }
  const put = () => {
    const { attack: _, damage: __, says: ___, cost: ____, ...kept } = act ?? { key: '', name: '' }
    const written: Act = {
      ...kept,
      key:
        act?.key ??
        keyFor(
          name,
          one.actions.map(({ key }) => key),
        ),
      name,
      ...(cost === '' ? {} : { cost }),
      ...(says.trim() === '' ? {} : { says: says.trim() }),
      ...(attack === null ? {} : { attack }),
      ...(dice.trim() === ''
        ? {}
        : {
            damage: [
              { expression: dice.trim(), ...(type.trim() === '' ? {} : { type: type.trim() }) },
              ...(act?.damage ?? []).slice(1),
            ],
          }),
    }
    return save(
      act === null ? [...one.actions, written] : one.actions.map((each) => (each.key === act.key ? written : each)),
    )
  }
  return (
    <Dialog title={act?.name ?? 'Something they can do'} onClose={onClose}>
      <Form operation="update_character" class="" about={one.id} onSubmit={put}>
        <TextField label="What it is called" maxLength={120} required value={name} onValue={setName} />
        {face.costs.length > 0 && (
          <SelectField
            label="What it costs"
            value={cost}
            onValue={setCost}
            options={face.costs.map(({ key, name: word }) => ({ value: key, word }))}
          />
        )}
        <AreaField label="What it does, in a sentence" maxLength={1000} value={says} onValue={setSays} />
        <NumberField label="To hit" value={attack} onValue={setAttack} min={-100} max={200} />
        <TextField
          label="Damage"
          maxLength={80}
          placeholder="1d8+3"
          value={dice}
          onValue={setDice}
          hint={fault?.message ?? ''}
        />
        <TextField label="Of what kind" maxLength={40} placeholder="piercing" value={type} onValue={setType} />
        <div class="line">
          <Button type="submit" variant="primary" disabled={name.trim() === '' || fault !== null}>
            Write it down
          </Button>
          {act !== null && (
            <Button variant="danger-quiet" onClick={() => void save(one.actions.filter(({ key }) => key !== act.key))}>
              Strike it out
            </Button>
          )}
        </div>
      </Form>
    </Dialog>
  )
}
