import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { Button } from '../../kit/button.tsx'
import { Choice } from '../../kit/choice.tsx'
import { Copy } from '../../kit/copy.tsx'
import { optionsOf, SelectField, TextField } from '../../kit/field.tsx'
import { Complaint, Form, useSubmit } from '../../kit/form.tsx'
import { Head } from '../../kit/page.tsx'
import { useApp, usePages, useTitle } from '../../shell/context.ts'
import type { Token } from '../../shell/server.ts'
import { Tokens, useTokens } from './tokens.tsx'

type Client = 'code' | 'other'
type Scope = Token['scope']
type Mode = Token['writeMode']

const clients: Readonly<Record<Client, string>> = { code: 'Claude Code', other: 'Anything else' }
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

/** From nothing to a first answer in four steps. The addresses are those under which this page was opened. */
export function Connect(): JSX.Element {
  const [client, setClient] = useState<Client>('code')
  const [key, setKey] = useState<string | null>(null)
  const tokens = useTokens()
  const address = `${location.origin}/mcp`
  useTitle('Connect an AI')

  const shownKey = key ?? 'YOUR-KEY'
  const command = `claude mcp add --transport http talekeeper ${address} --header "Authorization: Bearer ${shownKey}"`
  const snippet = JSON.stringify(
    { mcpServers: { talekeeper: { type: 'http', url: address, headers: { Authorization: `Bearer ${shownKey}` } } } },
    null,
    2,
  )
  return (
    <>
      <Head
        title="Connect an AI"
        sub="An assistant you already use can read your campaign and help you write. It sees what you allow, and you can take it back at any time."
      />
      <div class="how">
        <div>
          <ol class="stepl">
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
            <li>
              <h2>Choose who is to come in</h2>
              <Choice label="Which assistant" options={optionsOf(clients)} value={client} onValue={setClient} />
            </li>
            <li>
              <h2>{client === 'code' ? 'Run this once' : 'Add this to its settings'}</h2>
              {client === 'code' ? (
                <Copy text={command} />
              ) : (
                <>
                  <Copy text={snippet} />
                  <p class="small soft">
                    The address alone is <code>{address}</code>. It speaks MCP over streamable HTTP.
                  </p>
                </>
              )}
              {!key && <p class="small soft">YOUR-KEY stands for the key of the first step.</p>}
            </li>
            <li>
              <h2>Ask it something</h2>
              <p class="soft">“Which quests are still open, and who gave them?”</p>
            </li>
          </ol>
        </div>
        <aside class="margin">
          <section>
            <h2 class="h3">Already let in</h2>
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
      const body = {
        tokenName: name.trim(),
        scope,
        writeMode: scope === 'viewer' ? 'read' : mode,
        admin: false,
        ...(bound === 'all' ? {} : { campaignId: Number(bound) }),
        ...(days === 'ever' ? {} : { expiresInDays: Number(days) }),
      }
      const minted = await client.send<{ token: string }>({ method: 'POST', path: '/tokens', body })
      onMinted(minted.token)
    })

  return (
    <Form submitting={submitting} onSubmit={() => void mint()}>
      <div class="two-up">
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
        <SelectField
          label="How much it sees"
          name="scope"
          value={scope}
          onValue={setScope}
          options={optionsOf(scopeWords)}
          hint={scopeHints[scope]}
        />
        {scope !== 'viewer' && (
          <SelectField
            label="What it may change"
            name="writeMode"
            value={mode}
            onValue={setMode}
            options={optionsOf(modeWords)}
          />
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
      <Complaint error={submitting.error} />
      <div class="line">
        <Button look="act" type="submit" icon="key" busy={submitting.busy}>
          Make the key
        </Button>
      </div>
    </Form>
  )
}
