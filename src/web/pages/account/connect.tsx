import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { Button } from '../../kit/button.tsx'
import { Copy } from '../../kit/copy.tsx'
import { EnumField, optionsOf, SelectField, TextField } from '../../kit/field.tsx'
import { Form, FormError, useSubmit } from '../../kit/form.tsx'
import { Icon } from '../../kit/icon.tsx'
import { PageHeader } from '../../kit/page.tsx'
import { ToggleGroup } from '../../kit/toggle-group.tsx'
import { useApp, usePages, usePageTitle } from '../../shell/context.ts'
import type { Token } from '../../shell/server.ts'
import { Apps } from './apps.tsx'
import { type Assistant, assistants, isThisComputer, setupOf } from './assistants.ts'
import { Tokens, useTokens } from './tokens.tsx'

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

type Way = 'signIn' | 'key'
const ways: Readonly<Record<Way, string>> = { signIn: 'It signs in', key: 'By a key' }

/** From nothing to a first answer. The addresses are those under which this page was opened. */
export function Connect(): JSX.Element {
  const [assistant, setAssistant] = useState<Assistant>('claudeCode')
  const address = `${location.origin}/mcp`
  // Nearly all of them refuse to sign in over plain http with another computer.
  const safe = address.startsWith('https:') || isThisComputer(address)
  const [way, setWay] = useState<Way>(safe ? 'signIn' : 'key')
  const [key, setKey] = useState<string | null>(null)
  const tokens = useTokens()
  usePageTitle('Connect an AI')
  const setup = setupOf(assistant, address, way === 'key' ? (key ?? 'YOUR-KEY') : null)

  return (
    <>
      <PageHeader
        title="Connect an AI"
        sub="An assistant you already use can read your campaign and help you write. It sees what you allow, and you can take it back at any time."
      />
      <div class="stack">
        <ToggleGroup
          label="Which assistant"
          variant="chips"
          options={optionsOf(assistants)}
          value={assistant}
          onValue={setAssistant}
        />
        <ToggleGroup label="How it is let in" options={optionsOf(ways)} value={way} onValue={setWay} />
        {!safe && way === 'signIn' && (
          <p class="banner">
            <Icon name="warn" />
            <span class="grow">
              Most assistants sign in only where this page is opened on the server’s own computer, or by https. By a key
              they come in from here too.
            </span>
          </p>
        )}
      </div>
      <div class="how">
        <ol class="stepl">
          {way === 'key' && (
            <li>
              <h2>Make it a key</h2>
              <p class="soft">
                The key says what it may see and do. It never opens backups, accounts or this server’s settings.
              </p>
              {key ? (
                <>
                  <Copy text={key} label="Copy the key" />
                  <p class="small soft">Shown this once. Keep it where your assistant asks for it, and nowhere else.</p>
                </>
              ) : (
                <Mint
                  onMinted={(value) => {
                    setKey(value)
                    void tokens.refresh()
                  }}
                />
              )}
            </li>
          )}
          <li>
            <h2>{setup.title}</h2>
            {setup.link && (
              <p>
                <a class="btn primary" href={setup.link}>
                  <Icon name="plug" />
                  Open {assistants[assistant]}
                </a>
              </p>
            )}
            {setup.link && <p class="soft">Or by hand:</p>}
            <Copy text={setup.text} />
            {setup.hint && <p class="small soft">{setup.hint}</p>}
            {way === 'key' && !key && <p class="small soft">YOUR-KEY stands for the key of the first step.</p>}
          </li>
          {way === 'signIn' && (
            <li>
              <h2>Say yes in the browser</h2>
              <p class="soft">
                {setup.signIn} It opens a page of this server, where you choose what it may see and do.
              </p>
            </li>
          )}
          <li>
            <h2>Ask it something</h2>
            <p class="soft">“Which quests are still open, and who gave them?”</p>
          </li>
        </ol>
        <aside class="side-column">
          <section>
            <h2 class="h3">Already let in</h2>
            <Apps />
          </section>
          <section>
            <h2 class="h3">By a key</h2>
            <Tokens tokens={tokens} />
          </section>
        </aside>
      </div>
    </>
  )
}

function Mint({ onMinted }: { onMinted: (value: string) => void }): JSX.Element {
  const { client } = useApp()
  const submitting = useSubmit()
  const campaigns = usePages('list_campaigns', { limit: 200 }, { all: true }).items
  const [name, setName] = useState('My assistant')
  const [campaign, setCampaign] = useState('')
  const [scope, setScope] = useState<Scope>('dm')
  const [mode, setMode] = useState<Mode>('propose')
  const [days, setDays] = useState('90')
  const bound = campaign || String(campaigns[0]?.id ?? 'all')

  const mint = () =>
    submitting.run(async () => {
      const minted = await client.write('create_token', {
        tokenName: name.trim(),
        scope,
        writeMode: scope === 'viewer' ? 'read' : mode,
        admin: false,
        ...(bound === 'all' ? {} : { campaignId: Number(bound) }),
        ...(days === 'ever' ? {} : { expiresInDays: Number(days) }),
      })
      if (minted.kind === 'done') onMinted(minted.value.token)
    })

  return (
    <Form submitting={submitting} onSubmit={() => void mint()}>
      <div class="field-pair">
        <TextField label="Its name" name="tokenName" required value={name} onValue={setName} />
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
          Make the key
        </Button>
      </div>
    </Form>
  )
}
