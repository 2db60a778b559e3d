import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { diceFault } from '../../../kernel/dice.ts'
import type { Item, Output } from '../../api/contract.ts'
import { Button, IconButton } from '../../kit/button.tsx'
import { Switch } from '../../kit/field.tsx'
import { Form } from '../../kit/form.tsx'
import { useDebounced } from '../../kit/hooks.ts'
import { Icon } from '../../kit/icon.tsx'
import { ToggleGroup } from '../../kit/toggle-group.tsx'
import { useWords } from '../../kit/words.ts'
import { useAction } from '../../shell/actions.ts'
import { useCampaign } from '../../shell/context.ts'
import { useShortcuts } from '../../shell/navigation.tsx'
import { outlineOf, Pips } from './pips.tsx'
import './styles.ts'
import { countOf, type Mode, modeOf, modifierOf, trayDice, withDie, withMode, withModifier } from './tray.ts'

type Thrown = Output<'roll_dice'>

const modes = [
  { value: 'disadvantage', word: 'Dis' },
  { value: 'plain', word: 'Plain' },
  { value: 'advantage', word: 'Adv' },
] as const

/** Puts dice together and throws them. `plot` shows what may fall, where the dice are the page. */
export function Tray({ plot }: { plot?: (text: string) => JSX.Element }): JSX.Element {
  const { campaignId, isDm } = useCampaign()
  const act = useAction()
  const words = useWords('dice', { text: '1d20' })
  const { text } = words.values
  const setText = (text: string) => words.set({ text })
  const [sealed, setSealed] = useState(false)
  const [thrown, setThrown] = useState<Thrown | null>(null)
  const [busy, setBusy] = useState(false)
  const settled = useDebounced(text, 200)
  const fault = text.trim() === '' ? null : diceFault(text)
  useShortcuts([{ key: 's', run: () => setSealed((now) => !now) }])
  const throwDice = async () => {
    if (fault !== null || text.trim() === '' || busy) return
    setBusy(true)
    const visibility = sealed ? (isDm ? 'secret' : 'dm') : 'party'
    const written = await act('roll_dice', { campaignId, expression: text, visibility })
    setBusy(false)
    if (written?.kind !== 'done') return
    words.forget()
    setThrown(written.value)
  }
  return (
    <section aria-label="Throw">
      <div class="big" aria-live="polite">
        {thrown === null ? (
          <p class="soft">Nothing thrown yet. Put dice together and roll.</p>
        ) : (
          <>
            <output>{thrown.roll?.total ?? '?'}</output>
            <div>
              <strong>{thrown.roll?.label ?? thrown.roll?.expression ?? 'Sealed'}</strong>
              <div class="parts">{thrown.roll ? <Pips terms={thrown.roll.terms} /> : thrown.says}</div>
              {thrown.roll && thrown.roll.visibility !== 'party' && <Sealed roll={thrown.roll} />}
            </div>
          </>
        )}
      </div>
      <Form operation="roll_dice" ownWords class="tray" onSubmit={throwDice}>
        <div class="dice">
          {trayDice.map((sides) => {
            const many = countOf(text, sides)
            return (
              <button
                key={sides}
                type="button"
                class="die"
                aria-pressed={many > 0}
                onClick={() => setText(withDie(text, sides))}
              >
                <svg viewBox="0 0 24 24" aria-hidden="true">
                  <path d={outlineOf(sides)} />
                </svg>
                <span>
                  <span class="visually-hidden">Add a d</span>
                  {sides}
                </span>
                {many > 1 && <b aria-hidden="true">{many}</b>}
              </button>
            )
          })}
        </div>
        <div class="castline">
          <label class="cast-field">
            <span class="visually-hidden">What to throw</span>
            <input
              value={text}
              spellcheck={false}
              autocapitalize="off"
              autocomplete="off"
              aria-invalid={fault !== null}
              aria-describedby="dice-said"
              onInput={(event) => setText(event.currentTarget.value)}
            />
            {text !== '' && <IconButton icon="x" label="Clear it" onClick={() => setText('')} />}
          </label>
          <Button type="submit" variant="primary" disabled={fault !== null || text.trim() === ''} busy={busy}>
            Roll
          </Button>
        </div>
        <p
          id="dice-said"
          class={fault === null ? 'spoken' : 'spoken error'}
          role={fault === null ? undefined : 'alert'}
        >
          {fault === null ? (
            <>
              You can also write <code>4d6kh3</code>, <code>3d6!</code> or <code>8d10&gt;=7</code>.
            </>
          ) : (
            <>
              <code>
                {text.slice(0, fault.position)}
                <u>{text.slice(fault.position) || '…'}</u>
              </code>{' '}
              {fault.message}
            </>
          )}
        </p>
        <div class="cast-how">
          <div class="line">
            <ToggleGroup<Mode>
              label="How the d20 is thrown"
              options={modes}
              value={modeOf(text) ?? 'plain'}
              onValue={(mode) => setText(withMode(text, mode))}
            />
            {/* biome-ignore lint/a11y/useSemanticElements: a fieldset would be a box of its own */}
            <span class="stepper" role="group" aria-label="What is added">
              <IconButton
                icon="minus"
                label="One less"
                onClick={() => setText(withModifier(text, modifierOf(text) - 1))}
              />
              <output>{modifierOf(text) < 0 ? `−${-modifierOf(text)}` : `+${modifierOf(text)}`}</output>
              <IconButton
                icon="plus"
                label="One more"
                onClick={() => setText(withModifier(text, modifierOf(text) + 1))}
              />
            </span>
          </div>
          <Switch
            label={isDm ? 'Only you see it' : 'Only you and the DM see it'}
            checked={sealed}
            onValue={setSealed}
          />
        </div>
      </Form>
      {fault === null && plot?.(settled)}
    </section>
  )
}

type Roll = Item<'list_dice_rolls'>

/** Who sees a throw that is not for the table. */
export function Sealed({ roll }: { roll: Roll }): JSX.Element {
  const { isDm } = useCampaign()
  const words =
    roll.visibility === 'secret'
      ? isDm
        ? 'Only you'
        : 'Only the DM'
      : isDm
        ? `You and ${roll.userId === null ? 'they' : (roll.user?.title ?? 'they')}`
        : 'You and the DM'
  return (
    <span class="dm-mark">
      <Icon name="eyeoff" size="s" />
      {words}
    </span>
  )
}
