import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { Copy } from '../../kit/copy.tsx'
import { optionsOf } from '../../kit/field.tsx'
import { Icon } from '../../kit/icon.tsx'
import { PageHeader } from '../../kit/page.tsx'
import { ToggleGroup } from '../../kit/toggle-group.tsx'
import { useApp, usePageTitle } from '../../shell/context.ts'
import { Apps } from './apps.tsx'
import {
  type Assistant,
  assistants,
  isPublic,
  isThisComputer,
  type SetUpAssistant,
  type ShownTools,
  setupOf,
  shownTools,
  sizeInWords,
} from './assistants.ts'
import { ClaudeDesktop } from './claude-desktop.tsx'
import './connect-styles.ts'
import { ConnectionTest } from './connection-test.tsx'
import { KeyForm, type KeyRights, mintKey } from './key-form.tsx'
import { Tokens, useTokens } from './tokens.tsx'

type Way = 'signIn' | 'key'
/** What stands in a text for the key that is not made yet. */
const placeholder = 'YOUR-KEY'
const listings = Object.fromEntries(Object.entries(shownTools).map(([key, { word }]) => [key, word])) as Readonly<
  Record<ShownTools, string>
>
const ways: Readonly<Record<Way, string>> = { signIn: 'It signs in', key: 'By a key' }

/** From nothing to a first answer. The addresses are those under which this page was opened. */
export function Connect(): JSX.Element {
  const { client } = useApp()
  const [assistant, setAssistant] = useState<Assistant>('claudeCode')
  const [shown, setShown] = useState<ShownTools>('all')
  const address = `${location.origin}/mcp${shownTools[shown].query}`
  // Nearly all of them refuse to sign in over plain http with another computer.
  const safe = address.startsWith('https:') || isThisComputer(address)
  const [way, setWay] = useState<Way>(safe ? 'signIn' : 'key')
  const [key, setKey] = useState<string | null>(null)
  const tokens = useTokens()
  usePageTitle('Connect an AI')
  const mint = async (rights: KeyRights, name: string) => {
    setKey(await mintKey(client, rights, name))
    await tokens.refresh()
  }

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
        {assistant !== 'claudeDesktop' && assistant !== 'online' && (
          <ToggleGroup label="How it is let in" options={optionsOf(ways)} value={way} onValue={setWay} />
        )}
        {assistant !== 'claudeDesktop' && (
          <div class="stack">
            <ToggleGroup
              label="How many tools it is shown"
              variant="chips"
              options={optionsOf(listings)}
              value={shown}
              onValue={setShown}
            />
            <p class="small soft" role="status">
              {sizeInWords(shown)}
            </p>
          </div>
        )}
        {assistant === 'online' && !isPublic(address) && (
          <p class="banner">
            <Icon name="warn" />
            <span class="grow">
              They come from the internet, by https, and this server is open at {location.host} only. What runs on a
              computer of this house comes in: Claude Desktop, for one.
            </span>
          </p>
        )}
        {!safe && way === 'signIn' && assistant !== 'claudeDesktop' && assistant !== 'online' && (
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
        {assistant === 'claudeDesktop' ? (
          <ClaudeDesktop made={key} make={mint} onAdded={() => void tokens.refresh()} />
        ) : (
          <Steps
            assistant={assistant}
            address={address}
            way={assistant === 'online' ? 'signIn' : way}
            secret={key}
            make={mint}
          />
        )}
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

interface StepsProps {
  readonly assistant: SetUpAssistant
  readonly address: string
  readonly way: Way
  /** The key that was just made. */
  readonly secret: string | null
  readonly make: (rights: KeyRights, name: string) => Promise<void>
}

function Steps({ assistant, address, way, secret, make }: StepsProps): JSX.Element {
  const isKeyed = way === 'key'
  const setup = setupOf(assistant, address, isKeyed ? (secret ?? placeholder) : null)
  return (
    <ol class="stepl">
      {isKeyed && (
        <li>
          <h2>Make it a key</h2>
          <p class="soft">
            The key says what it may see and do. It never opens backups, accounts or this server’s settings.
          </p>
          {secret ? (
            <>
              <Copy text={secret} label="Copy the key" />
              <p class="small soft">Shown this once. Keep it where your assistant asks for it, and nowhere else.</p>
            </>
          ) : (
            <KeyForm word="Make the key" make={make} />
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
        {setup.text.includes(placeholder) && (
          <p class="small soft">{placeholder} stands for the key of the first step.</p>
        )}
      </li>
      {!isKeyed && (
        <li>
          <h2>Say yes in the browser</h2>
          <p class="soft">{setup.signIn} It opens a page of this server, where you choose what it may see and do.</p>
        </li>
      )}
      <li>
        <h2>Try it</h2>
        <p class="soft">This page does what the assistant does first, and says what it finds.</p>
        {isKeyed && secret === null ? (
          <p class="small soft">Make the key first.</p>
        ) : (
          <ConnectionTest key={`${address} ${way}`} address={address} secret={isKeyed ? secret : null} />
        )}
      </li>
      <li>
        <h2>Ask it something</h2>
        <p class="soft">“Which quests are still open, and who gave them?”</p>
      </li>
    </ol>
  )
}
