import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { Copy } from '../../kit/copy.tsx'
import { SelectField } from '../../kit/field.tsx'
import { Icon } from '../../kit/icon.tsx'
import { useApp } from '../../shell/context.ts'
import { isThisComputer } from '../../shell/network.ts'
import { useServer } from '../../shell/server.ts'
import { KeyForm, type KeyRights } from './key-form.tsx'

interface Place {
  readonly file: string
  readonly removed: readonly string[]
  readonly added: readonly string[]
  readonly isDone: boolean
  readonly fingerprint: string | null
  readonly problem: string | null
}

/** Claude Desktop installs a connector by a double click; where it is on this computer, it can be added without one. */
export function ClaudeDesktop({
  made,
  make,
  onAdded,
}: {
  /** The key that was just made. */
  made: string | null
  make: (rights: KeyRights, name: string) => Promise<void>
  onAdded: () => void
}): JSX.Element {
  const { session } = useApp()
  const isKeeper = session.status.value?.user?.admin === true && isThisComputer()
  return (
    <div>
      <ol class="stepl">
        <li>
          <h2>Get the connector</h2>
          <p class="soft">One small file that knows this server’s address.</p>
          <p>
            <a class="btn primary" href="/api/v1/assistants/talekeeper.mcpb" download>
              <Icon name="get" />
              Download talekeeper.mcpb
            </a>
          </p>
        </li>
        <li>
          <h2>Open it</h2>
          <p class="soft">Claude Desktop asks whether to install. Say yes, and leave the address as it is.</p>
        </li>
        <li>
          <h2>Give it a key</h2>
          <p class="soft">The key says what it may see and do. Paste it where Claude Desktop asks for one.</p>
          {made ? (
            <>
              <Copy text={made} label="Copy the key" />
              <p class="small soft">Shown this once.</p>
            </>
          ) : (
            <KeyForm word="Make the key" make={make} />
          )}
        </li>
        <li>
          <h2>Ask it something</h2>
          <p class="soft">“Which quests are still open, and who gave them?”</p>
        </li>
      </ol>
      {isKeeper && <AddHere onAdded={onAdded} />}
    </div>
  )
}

/** Writes into the settings of the Claude Desktop on this computer, once the difference was seen. */
function AddHere({ onAdded }: { onAdded: () => void }): JSX.Element | null {
  const { client, toasts } = useApp()
  const server = useServer<{ readonly places: readonly Place[] }>('/assistants/claude-desktop')
  const [chosen, setChosen] = useState<string | null>(null)
  const places = server.data?.places ?? []
  const place = places.find(({ file }) => file === chosen) ?? places[0]
  if (place === undefined) {
    return (
      <details class="disclosure">
        <Summary />
        <p class="soft">No Claude Desktop was found on this computer. Install it and start it once, then come back.</p>
      </details>
    )
  }
  const add = async (rights: KeyRights) => {
    const body = { ...rights, file: place.file, fingerprint: place.fingerprint }
    const done = await client.send<{ readonly copy: string | null }>({
      method: 'POST',
      path: '/assistants/claude-desktop',
      body,
      once: true,
    })
    toasts.say(
      done.copy === null
        ? 'Added. Quit Claude Desktop and start it again.'
        : `Added; what was there lies beside it. Quit Claude Desktop and start it again.`,
    )
    await server.refresh()
    onAdded()
  }
  return (
    <details class="disclosure">
      <Summary />
      {places.length > 1 && (
        <SelectField
          label="Which of them"
          value={place.file}
          onValue={setChosen}
          options={places.map(({ file }) => ({ value: file, word: file }))}
        />
      )}
      {place.problem === null ? (
        <>
          <p class="soft">
            {place.isDone
              ? 'It is there already. A new key takes the place of the one it has.'
              : 'These lines change, nothing else, and a copy of the file is made first:'}
          </p>
          <p class="small soft">{place.file}</p>
          {!place.isDone && (
            // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region is focusable (WCAG 2.1.1)
            <pre class="claude-change diff" tabIndex={0}>
              {place.removed.map((line, index) => (
                <del key={`${index} ${line}`}>- {line}</del>
              ))}
              {place.added.map((line, index) => (
                <ins key={`${index} ${line}`}>+ {line}</ins>
              ))}
            </pre>
          )}
          <KeyForm word={place.isDone ? 'Make a new key' : 'Add it to Claude Desktop'} named={false} make={add} />
        </>
      ) : (
        <p class="banner bad">
          <Icon name="warn" />
          <span class="grow">{place.problem}</span>
        </p>
      )}
    </details>
  )
}

function Summary(): JSX.Element {
  return (
    <summary>
      <Icon name="right" size="s" />
      Or add it to the Claude Desktop on this computer, without the connector
    </summary>
  )
}
