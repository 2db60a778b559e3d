import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { Button } from '../../kit/button.tsx'
import { SelectField, TextField } from '../../kit/field.tsx'
import { Form, FormError, useSubmit } from '../../kit/form.tsx'
import { count, day } from '../../kit/format.ts'
import { Icon } from '../../kit/icon.tsx'
import { messageOf, useApp } from '../../shell/context.ts'
import { type AiModels, type AiProvider, type AiTried, type Preset, presetOf, presetsAt } from './ai-presets.ts'

/** How many tokens a month may cost. A page of a book is some 500. */
const caps: readonly (readonly [string, string])[] = [
  ['', 'As many as it takes'],
  ['250000', '500 pages a month'],
  ['1000000', '2,000 pages a month'],
  ['5000000', '10,000 pages a month'],
]

/** Which of them it is, which model, and whether it answers. */
export function ProviderForm({
  chosen,
  place,
  onSaved,
}: {
  chosen: AiProvider
  place: Preset['place']
  onSaved: () => Promise<void>
}): JSX.Element {
  const { client } = useApp()
  const before = chosen.kind !== 'none' && chosen.reach === place ? chosen : null
  const [preset, setPreset] = useState(() => presetOf(before ?? { kind: 'none', baseUrl: null, reach: place }))
  const [address, setAddress] = useState(before?.baseUrl ?? '')
  const [model, setModel] = useState(before?.model ?? '')
  const [key, setKey] = useState('')
  const [cap, setCap] = useState(String(before?.monthlyTokens ?? ''))
  const [found, setFound] = useState<AiModels | null>(null)
  const [tried, setTried] = useState<AiTried | null>(null)
  const submitting = useSubmit()
  const looking = useSubmit()
  const { kind } = preset
  const baseUrl = preset.baseUrl || address
  const keepsKey = before?.hasKey && before.kind === kind && before.baseUrl === baseUrl

  const choose = (value: string) => {
    const next = presetsAt(place).find((each) => each.value === value)
    if (!next || next === preset) return
    setPreset(next)
    setModel('')
    setFound(null)
    setTried(null)
  }
  const typed = key.trim() === '' ? {} : { apiKey: key.trim() }
  const look = () =>
    looking.run(async () => {
      const body = { kind, baseUrl, reach: place, ...typed }
      const models = await client.send<AiModels>({ method: 'POST', path: '/ai-provider/models', body })
      setFound(models)
      if (!models.models.some(({ id }) => id === model)) setModel(models.models[0]?.id ?? model)
    })
  const save = async () => {
    const contextTokens = found?.models.find(({ id }) => id === model)?.contextTokens
    const body = {
      ...{
        kind,
        baseUrl,
        reach: place,
        model: model.trim() || null,
        monthlyTokens: cap === '' ? null : Number(cap),
        ...typed,
      },
      ...(found === null ? {} : { contextTokens: contextTokens ?? null }),
    }
    await client.send({ method: 'PUT', path: '/ai-provider', body })
    setKey('')
    await onSaved()
  }
  const ask = () =>
    submitting.run(async () => {
      setTried(null)
      await save()
      setTried(await client.send<AiTried>({ method: 'POST', path: '/ai-provider/test', body: {} }))
    })

  return (
    <Form operation={null} submitting={submitting} onSubmit={() => void ask()}>
      <SelectField
        label={place === 'local' ? 'Which program' : 'Whose'}
        value={preset.value}
        onValue={choose}
        options={presetsAt(place).map(({ value, word }) => ({ value, word }))}
      />
      {preset.baseUrl === '' && (
        <TextField
          label="Its address"
          name="baseUrl"
          hint={place === 'local' ? 'As http://192.168.1.30:11434/v1' : 'As https://ai.example.org/v1'}
          value={address}
          onValue={setAddress}
          inputMode="url"
          spellcheck={false}
          autocomplete="off"
        />
      )}
      <KeyField
        needed={place === 'internet'}
        kept={keepsKey ? chosen : null}
        value={key}
        onValue={setKey}
        onForgotten={onSaved}
      />
      <div class="line">
        <Button icon="find" busy={looking.busy} disabled={baseUrl.trim() === ''} onClick={() => void look()}>
          Look for its models
        </Button>
        <span role="status">{found && <Found found={found} preset={preset} />}</span>
      </div>
      {looking.error && <FormError error={looking.error} />}
      {found && found.models.length > 0 ? (
        <SelectField
          label="Which model"
          name="model"
          value={model}
          onValue={setModel}
          options={found.models.map(({ id, name }) => ({ value: id, word: name }))}
        />
      ) : (
        <TextField
          label="Which model"
          name="model"
          value={model}
          onValue={setModel}
          spellcheck={false}
          autocomplete="off"
          hint="Its name, or look for them"
        />
      )}
      {place === 'internet' && (
        <SelectField
          label="Not more than"
          name="monthlyTokens"
          hint="All campaigns together. Beyond that nothing is asked until the month is over."
          value={cap}
          onValue={setCap}
          options={[
            ...(caps.some(([value]) => value === cap)
              ? []
              : [[cap, `${count(Number(cap), 'token')} a month`] as const]),
            ...caps,
          ].map(([value, word]) => ({ value, word }))}
        />
      )}
      <FormError error={submitting.error} />
      <p class="line">
        <Button
          variant="primary"
          type="submit"
          busy={submitting.busy}
          disabled={baseUrl.trim() === '' || model.trim() === ''}
        >
          Keep it, and ask it something
        </Button>
      </p>
      <div aria-live="polite">
        {tried ? <Answer tried={tried} /> : chosen.missing !== null && before && <p class="soft">{chosen.missing}</p>}
      </div>
    </Form>
  )
}

function Found({ found, preset }: { found: AiModels; preset: Preset }): JSX.Element {
  if (found.problem === null)
    return (
      <span class="word ok">
        {found.models.length === 0 ? 'It answers, and has no model' : `Answers, ${count(found.models.length, 'model')}`}
      </span>
    )
  const isAsleep = found.problem.failureClass === 'unreachable' && preset.asleep !== undefined
  return <span class={isAsleep ? 'word faint' : 'word bad'}>{isAsleep ? preset.asleep : found.problem.message}</span>
}

function Answer({ tried }: { tried: AiTried }): JSX.Element {
  if (tried.problem) {
    return (
      <div class="ai-answer bad">
        <span class="word bad">It did not answer</span>
        <p>{tried.problem.message}</p>
      </div>
    )
  }
  return (
    <div class="ai-answer">
      <span class="word ok">It answered in {Math.max(0.1, (tried.milliseconds ?? 0) / 1000).toFixed(1)} seconds</span>
      <q>{tried.said}</q>
      {tried.leavesTheHouse && (
        <p class="small soft">Its address is on the internet: what it is asked leaves this house.</p>
      )}
    </div>
  )
}

function KeyField({
  needed,
  kept,
  value,
  onValue,
  onForgotten,
}: {
  needed: boolean
  kept: AiProvider | null
  value: string
  onValue: (value: string) => void
  onForgotten: () => Promise<void>
}): JSX.Element {
  const { client, toasts } = useApp()
  const forget = async () => {
    try {
      await client.send({ method: 'PUT', path: '/ai-provider', body: { kind: kept?.kind, apiKey: null } })
      toasts.say('The key is forgotten.')
      await onForgotten()
    } catch (error) {
      toasts.fail(messageOf(error))
    }
  }
  return (
    <>
      {kept && (
        <p class="ai-kept">
          <Icon name="key" />
          <span class="grow">
            <strong>A key is kept</strong>
            <span class="secondary">
              {kept.keySetAt && `Put in ${day(kept.keySetAt)}`}
              {kept.keyHint && `, it ends in ${kept.keyHint}`}
            </span>
          </span>
          <Button variant="danger-quiet" onClick={() => void forget()}>
            Forget the key
          </Button>
        </p>
      )}
      <TextField
        label={kept ? 'Put in another key' : needed ? 'The key' : 'The key, if it asks for one'}
        name="apiKey"
        type="password"
        autocomplete="off"
        spellcheck={false}
        hint="It is locked away and cannot be read back, by you neither. It belongs to this address alone; another address asks for its own."
        value={value}
        onValue={onValue}
      />
    </>
  )
}
