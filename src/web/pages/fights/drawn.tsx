import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { systemOf } from '../../../rules/systems.ts'
import type { Output } from '../../api/contract.ts'
import { Button } from '../../kit/button.tsx'
import { TextField } from '../../kit/field.tsx'
import { Form, FormError, useSubmit } from '../../kit/form.tsx'
import { joinNames } from '../../kit/format.ts'
import { Section } from '../../kit/page.tsx'
import { ToggleGroup } from '../../kit/toggle-group.tsx'
import { useAction, useWrite } from '../../shell/actions.ts'
import { useCampaign } from '../../shell/context.ts'
import { drawingWord, type FoeGroup } from './foes.ts'
import type { Fight } from './words.ts'

type Answer = Output<'generate_encounter'>

/** Foes that the dice choose: how hard, where, of what kind, and by which word. */
export function Drawn({ fight, groups }: { fight: Fight; groups: readonly FoeGroup[] }): JSX.Element {
  const { campaignId, campaign } = useCampaign()
  const { tiers } = systemOf(campaign.ruleSystem)
  const write = useWrite()
  const act = useAction()
  const submitting = useSubmit()
  const [tier, setTier] = useState(tiers[Math.min(2, tiers.length - 1)]?.key ?? 'any')
  const [place, setPlace] = useState('')
  const [kind, setKind] = useState('')
  /** Offered where none is written. */
  const [offered, setOffered] = useState(drawingWord)
  const [seed, setSeed] = useState('')
  const [drawn, setDrawn] = useState<Answer | null>(null)
  const draw = (word: string) =>
    submitting.run(async () => {
      const asked = {
        ...(place.trim() === '' ? {} : { environment: place.trim() }),
        ...(kind.trim() === '' ? {} : { creatureType: kind.trim() }),
        seed: word.trim(),
      }
      setDrawn(null)
      const written = await write('generate_encounter', { campaignId, difficulty: tier, ...asked })
      if (written.kind === 'done') setDrawn(written.value)
    })
  const another = () => {
    const word = drawingWord()
    setOffered(word)
    setSeed('')
    void draw(word)
  }
  const put = async (instead: boolean) => {
    if (drawn === null) return
    if (instead)
      for (const { members } of groups) for (const { id } of members) await act('remove_combatant', { combatantId: id })
    for (const { ruleEntryId, count } of drawn.roster)
      await act('add_combatant', { encounterId: fight.id, kind: 'monster', ruleEntryId, count })
    setDrawn(null)
  }
  return (
    <Section title="Or let the dice choose">
      <Form
        operation="generate_encounter"
        submitting={submitting}
        class="draw-form"
        onSubmit={() => void draw(seed.trim() === '' ? offered : seed)}
      >
        {tiers.length > 0 && (
          <div class="field">
            <span class="label" aria-hidden="true">
              How hard
            </span>
            <ToggleGroup
              label="How hard"
              options={tiers.map(({ key, name }) => ({ value: key, word: name }))}
              value={tier}
              onValue={setTier}
            />
          </div>
        )}
        <TextField
          label="Where"
          name="environment"
          value={place}
          onValue={setPlace}
          placeholder="Forest, ruins"
          maxLength={60}
        />
        <TextField
          label="What kind"
          name="creatureType"
          value={kind}
          onValue={setKind}
          placeholder="Anything"
          maxLength={60}
        />
        <TextField
          label="Drawn by this word"
          name="seed"
          value={seed}
          onValue={setSeed}
          placeholder={offered}
          maxLength={100}
        />
        <div class="line">
          <Button type="submit" icon="dice" busy={submitting.busy}>
            Draw
          </Button>
          <Button variant="quiet" onClick={another} disabled={submitting.busy}>
            By another word
          </Button>
        </div>
        <FormError error={submitting.error} />
      </Form>
      <div class="drawn-foes" aria-live="polite">
        {drawn && (
          <>
            <p>
              <strong>{`${joinNames(drawn.roster.map(({ name, count }) => (count === 1 ? name : `${count} × ${name}`)))}.`}</strong>{' '}
              <span class="soft">{`${drawn.difficulty.says}. The same word always draws the same foes.`}</span>
            </p>
            <div class="line">
              <Button onClick={() => void put(true)}>
                {groups.length === 0 ? 'Put them in' : 'Put them in instead'}
              </Button>
              {groups.length > 0 && (
                <Button variant="quiet" onClick={() => void put(false)}>
                  Add to these
                </Button>
              )}
            </div>
          </>
        )}
      </div>
    </Section>
  )
}
