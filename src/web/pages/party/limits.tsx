import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { Button } from '../../kit/button.tsx'
import { Dialog } from '../../kit/dialog.tsx'
import { SelectField, TextField } from '../../kit/field.tsx'
import { Form } from '../../kit/form.tsx'
import { Stepper } from '../../kit/number-field.tsx'
import { Section } from '../../kit/page.tsx'
import { useAction } from '../../shell/actions.ts'
import type { Character } from './signs.tsx'
import { Strokes } from './signs.tsx'

/** What runs out: slots, what is counted, hit dice. A press spends one, the other brings it back. */
export function Limits({ one, mayPlay }: { one: Character; mayPlay: boolean }): JSX.Element {
  const act = useAction()
  const [adding, setAdding] = useState(false)
  const characterId = one.id
  const slot = (level: number, delta: number, pact: boolean) =>
    void act('adjust_spell_slots', { characterId, level, delta, ...(pact ? { pact } : {}) })
  const use = (key: string, delta: number) => void act('adjust_character_resource', { characterId, key, delta })
  return (
    <Section title="What runs out">
      <div class="tallies">
        {one.spellSlots.map(({ level, max, used, pact }) => (
          <Tally
            key={`${level} ${pact}`}
            name={pact ? `Pact slots, level ${level}` : `Slots of level ${level}`}
            most={max}
            left={max - used}
            mayPlay={mayPlay}
            onUse={() => slot(level, -1, pact ?? false)}
            onBack={() => slot(level, 1, pact ?? false)}
          />
        ))}
        {one.resources.map(({ key, name, max, left, recharge }) => (
          <Tally
            key={key}
            name={name}
            hint={comesBack[recharge]}
            most={max}
            left={left}
            mayPlay={mayPlay}
            onUse={() => use(key, -1)}
            onBack={() => use(key, 1)}
          />
        ))}
        {one.hitDice.map(({ die, max, used }) => (
          <Tally key={die} name={`Hit dice, ${die}`} hint="Spent in a short rest" most={max} left={max - used} />
        ))}
      </div>
      {mayPlay && (
        <Button variant="quiet" icon="plus" onClick={() => setAdding(true)}>
          Something else that runs out
        </Button>
      )}
      {adding && <NewResource one={one} onClose={() => setAdding(false)} />}
    </Section>
  )
}

const comesBack = {
  turn: 'Back with every turn',
  short: 'Back with a short rest',
  long: 'Back with a long rest',
  day: 'Back with the day',
  none: 'Does not come back by itself',
} as const

function Tally({
  name,
  hint,
  most,
  left,
  mayPlay = false,
  onUse,
  onBack,
}: {
  name: string
  hint?: string
  most: number
  left: number
  mayPlay?: boolean
  onUse?: () => void
  onBack?: () => void
}): JSX.Element {
  return (
    <div class="tally">
      <span>
        <strong>{name}</strong>
        <span class="line2">{[`${left} of ${most} left`, hint].filter(Boolean).join('. ')}</span>
      </span>
      <Strokes most={most} left={left} />
      {mayPlay && onUse && onBack ? (
        <span class="line">
          <Button aria-label={`Use one: ${name}`} disabled={left === 0} onClick={onUse}>
            Use
          </Button>
          <Button variant="quiet" aria-label={`Bring one back: ${name}`} disabled={left === most} onClick={onBack}>
            Back
          </Button>
        </span>
      ) : (
        <span />
      )}
    </div>
  )
}

function NewResource({ one, onClose }: { one: Character; onClose: () => void }): JSX.Element {
  const act = useAction()
  const [name, setName] = useState('')
  const [max, setMax] = useState<number | null>(1)
  const [recharge, setRecharge] = useState<keyof typeof comesBack>('long')
  const key = name
    .trim()
    .toLowerCase()
    .normalize('NFD')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^[^a-z]+|-+$/g, '')
    .slice(0, 40)
  const add = async () => {
    const input = { characterId: one.id, key, name, max: max ?? 1, recharge }
    const written = await act('set_character_resource', input)
    if (written) onClose()
    return written !== null
  }
  return (
    <Dialog title="Something that runs out" onClose={onClose}>
      <Form operation="set_character_resource" class="" onSubmit={add}>
        <TextField label="What it is called" name="name" required value={name} onValue={setName} />
        <Stepper label="How many" value={max} onValue={setMax} min={1} max={10_000} />
        <SelectField
          label="When it comes back"
          value={recharge}
          onValue={setRecharge}
          options={Object.entries(comesBack).map(([value, word]) => ({
            value: value as keyof typeof comesBack,
            word,
          }))}
        />
        <Button type="submit" variant="primary" disabled={key === ''}>
          Add it
        </Button>
      </Form>
    </Dialog>
  )
}
