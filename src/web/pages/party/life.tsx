import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { systemOf } from '../../../rules/systems.ts'
import { Button, IconButton } from '../../kit/button.tsx'
import { Dialog } from '../../kit/dialog.tsx'
import { SelectField, TextField } from '../../kit/field.tsx'
import { Form } from '../../kit/form.tsx'
import { HpBar } from '../../kit/hp-bar.tsx'
import { NumberField } from '../../kit/number-field.tsx'
import { useAction } from '../../shell/actions.ts'
import { useApp, useCampaign } from '../../shell/context.ts'
import { useShortcuts } from '../../shell/navigation.tsx'
import type { Character } from './signs.tsx'
import { conditionWords, stateWords } from './signs.tsx'

/** Hit points with one touch, as many as are typed, and what lies on somebody. Every press can be taken back. */
export function Life({ one }: { one: Character }): JSX.Element {
  const { campaign } = useCampaign()
  const { toasts } = useApp()
  const act = useAction()
  const [typed, setTyped] = useState('')
  const [adding, setAdding] = useState(false)
  const system = systemOf(campaign.ruleSystem)
  const characterId = one.id
  const before = one.hp
  const change = async (delta: number) => {
    if (delta === 0) return
    const after = Math.max(0, Math.min(one.computed.hpMax, one.hp + delta))
    const isPlain = one.lifeState === 'up' && one.hpTemp === 0 && after > 0
    const written = await act(
      'adjust_character_hp',
      { characterId, delta },
      {
        message: `${one.name}: ${delta < 0 ? `${-delta} lost` : `${delta} back`}.`,
        undo: () => act('adjust_character_hp', { characterId, set: before }),
        ...(isPlain
          ? {
              ahead: {
                what: 'The change',
                show: (cache) => [
                  cache.one('get_character', { characterId }).overlay((now) => ({ ...now, hp: after })),
                ],
              },
            }
          : {}),
      },
    )
    if (written?.kind !== 'done') return
    const { says, concentration } = written.value
    if (says.length > 0) toasts.say(says.join(' '))
    else if (concentration) toasts.say(`A save against ${concentration.difficulty} keeps the concentration.`)
  }
  useShortcuts([{ key: 'c', run: () => setAdding(true) }])
  const { hpMax } = one.computed
  const remove = (key: string) => void act('set_character_conditions', { characterId, remove: [key] })
  return (
    <div class="life">
      {hpMax > 0 && (
        <>
          <div class="now">
            {[-5, -1].map((delta) => (
              <Button key={delta} aria-label={`Lose ${-delta}`} onClick={() => void change(delta)}>
                {`−${-delta}`}
              </Button>
            ))}
            <p>
              <b>{one.hp}</b> / {hpMax}
            </p>
            {[1, 5].map((delta) => (
              <Button key={delta} aria-label={`Heal ${delta}`} onClick={() => void change(delta)}>
                {`+${delta}`}
              </Button>
            ))}
          </div>
          <HpBar one={{ hp: one.hp, hpTemp: one.hpTemp, hpMax }} />
          <form
            onSubmit={(event) => {
              event.preventDefault()
              const value = Number(typed.trim().replace('−', '-'))
              if (Number.isInteger(value)) void change(/^[+-]/.test(typed.trim().replace('−', '-')) ? value : -value)
              setTyped('')
            }}
          >
            <input
              class="input"
              inputMode="numeric"
              aria-label="How many: 7 is lost, +4 is healed"
              placeholder="7, or +4"
              value={typed}
              onInput={(event) => setTyped(event.currentTarget.value)}
            />
            <Button type="submit">Count</Button>
            <Button
              disabled={!/^\d+$/.test(typed.trim())}
              onClick={() => {
                void act('adjust_character_hp', { characterId, temporary: Number(typed) })
                setTyped('')
              }}
            >
              {one.hpTemp > 0 ? `+${one.hpTemp} temp` : 'Temp'}
            </Button>
          </form>
        </>
      )}
      {one.lifeState !== 'up' && (
        <p class="word bad">
          {stateWords[one.lifeState]}
          {system.face.marks
            .filter(({ key }) => (one.marks[key] ?? 0) > 0)
            .map(({ key, name }) => `. ${name}: ${one.marks[key]}`)
            .join('')}
        </p>
      )}
      <div class="chips">
        {one.concentration && <span class="chip brass">{`Concentrating on ${one.concentration}`}</span>}
        {one.conditions.map((each) => (
          <span key={`${each.key} ${each.source ?? ''}`} class="chip bad">
            {conditionWords(each)}
            <IconButton icon="x" label={`No longer ${each.key}`} onClick={() => remove(each.key)} />
          </span>
        ))}
        <Button variant="quiet" icon="plus" onClick={() => setAdding(true)}>
          Condition
        </Button>
      </div>
      {adding && <ConditionDialog one={one} onClose={() => setAdding(false)} />}
    </div>
  )
}

function ConditionDialog({ one, onClose }: { one: Character; onClose: () => void }): JSX.Element {
  const { campaign } = useCampaign()
  const act = useAction()
  const { conditions } = systemOf(campaign.ruleSystem)
  const [key, setKey] = useState(conditions[0]?.key ?? '')
  const [level, setLevel] = useState<number | null>(null)
  const [rounds, setRounds] = useState<number | null>(null)
  const rule = conditions.find((each) => each.key === key)
  const add = async () => {
    const condition = {
      key,
      ...(level === null || !rule?.valued ? {} : { level }),
      ...(rounds === null ? {} : { rounds }),
    }
    const written = await act('set_character_conditions', { characterId: one.id, add: [condition] })
    if (written) onClose()
    return written !== null
  }
  return (
    <Dialog title="What befell them" onClose={onClose}>
      <Form operation="set_character_conditions" class="" onSubmit={add}>
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
        <Button type="submit" variant="primary" disabled={key.trim() === ''}>
          Add it
        </Button>
      </Form>
    </Dialog>
  )
}
