import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { Button } from '../../kit/button.tsx'
import { EnumField, SelectField, TextField } from '../../kit/field.tsx'
import { Form, FormError, useSubmit } from '../../kit/form.tsx'
import { type App, usePages } from '../../shell/context.ts'
import type { Token } from '../../shell/server.ts'

type Scope = Token['scope']
type Mode = Token['writeMode']

const scopeWords: Readonly<Record<Scope, string>> = {
  dm: 'As you, the DM',
  player: 'As a player',
  viewer: 'As a guest',
}
const scopeHints: Readonly<Record<Scope, string>> = {
  dm: 'Everything, the blue ink included.',
  player: 'What the players know.',
  viewer: 'What the players know, and it only reads.',
}
const modeWords: Readonly<Record<Mode, string>> = {
  propose: 'It proposes, you decide',
  read: 'It only reads',
  direct: 'It writes at once',
}

/** What a key may see and do. */
export interface KeyRights {
  readonly scope: Scope
  readonly writeMode: Mode
  readonly campaignId?: number
  readonly expiresInDays?: number
}

/** Asks what a key may see and do; `make` makes it. */
export function KeyForm({
  word,
  named = true,
  make,
}: {
  /** On the button. */
  word: string
  /** Whether it is given a name. */
  named?: boolean
  make: (rights: KeyRights, name: string) => Promise<void>
}): JSX.Element {
  const submitting = useSubmit()
  const campaigns = usePages('list_campaigns', { limit: 200 }, { all: true }).items
  const [name, setName] = useState('My assistant')
  const [campaign, setCampaign] = useState('')
  const [scope, setScope] = useState<Scope>('dm')
  const [mode, setMode] = useState<Mode>('propose')
  const [days, setDays] = useState('90')
  const bound = campaign || String(campaigns[0]?.id ?? 'all')

  const submit = () =>
    submitting.run(() =>
      make(
        {
          scope,
          writeMode: scope === 'viewer' ? 'read' : mode,
          ...(bound === 'all' ? {} : { campaignId: Number(bound) }),
          ...(days === 'ever' ? {} : { expiresInDays: Number(days) }),
        },
        name.trim(),
      ),
    )

  return (
    <Form operation={null} submitting={submitting} onSubmit={() => void submit()}>
      <div class="field-pair">
        {named && <TextField label="Its name" name="tokenName" required value={name} onValue={setName} />}
        <SelectField
          label="Which campaign"
          name="campaignId"
          value={bound}
          onValue={setCampaign}
          options={[
            ...campaigns.map((one) => ({ value: String(one.id), word: one.name })),
            { value: 'all', word: 'All my campaigns' },
          ]}
        />
        <EnumField
          label="How much it sees"
          name="scope"
          value={scope}
          onValue={setScope}
          words={scopeWords}
          hint={scopeHints[scope]}
        />
        {scope !== 'viewer' && (
          <EnumField label="What it may change" name="writeMode" value={mode} onValue={setMode} words={modeWords} />
        )}
        <SelectField
          label="For how long"
          name="expiresInDays"
          value={days}
          onValue={setDays}
          options={[
            { value: '30', word: '30 days' },
            { value: '90', word: '90 days' },
            { value: '365', word: 'One year' },
            { value: 'ever', word: 'Until I take it back' },
          ]}
        />
      </div>
      <FormError error={submitting.error} />
      <div class="line">
        <Button variant="primary" type="submit" icon="key" busy={submitting.busy}>
          {word}
        </Button>
      </div>
    </Form>
  )
}

/** Makes a personal token of those rights, without an administrator's. Returns its value, null where nothing was made. */
export async function mintKey(client: App['client'], rights: KeyRights, tokenName: string): Promise<string | null> {
  const minted = await client.write('create_token', { tokenName, admin: false, ...rights })
  return minted.kind === 'done' ? minted.value.token : null
}
