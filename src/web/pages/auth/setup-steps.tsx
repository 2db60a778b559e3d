import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Button } from '../../kit/button.tsx'
import { ChoiceCards } from '../../kit/choice-cards.tsx'
import { Switch, TextField } from '../../kit/field.tsx'
import { Form, FormError, useSubmit } from '../../kit/form.tsx'
import { LoadError, Loading } from '../../kit/page.tsx'
import { QrCode } from '../../kit/qr-code.tsx'
import { useApp } from '../../shell/context.ts'
import { mayChoose } from '../../shell/lan-switch.tsx'
import { type Network, useNetwork } from '../../shell/network.ts'
import { type ServerSettings, useServer } from '../../shell/server.ts'

// The steps of the set-up that choose how the server is kept. Each can be taken again on the pages of the server.

interface StepProps {
  readonly onNext: () => void
}

/** Who may come in. It is in force when it is chosen, so that the square can be tried at once. */
export function PhonesStep({ onNext }: StepProps): JSX.Element {
  const network = useNetwork()
  return (
    <>
      <h1>Will players use phones here?</h1>
      <p class="sub">
        Everybody at the table can open the tale on a phone that is on the same Wi-Fi. There is nothing to install.
      </p>
      {network.data ? (
        <PhonesChoice network={network} />
      ) : network.error ? (
        <LoadError error={network.error} retry={() => void network.refresh()} />
      ) : (
        <Loading />
      )}
      <div class="line">
        <Button variant="primary" class="large" onClick={onNext}>
          Go on
        </Button>
      </div>
    </>
  )
}

function PhonesChoice({ network }: { network: Network }): JSX.Element {
  const state = network.data
  const first = state?.addresses[0]
  const disabled = state === undefined || !mayChoose(state)
  return (
    <>
      <ChoiceCards
        label="Who may come in"
        disabled={disabled}
        choices={[
          {
            value: 'phones',
            icon: 'people',
            title: 'Yes, let phones in',
            said: 'On this network only. Nobody from the internet comes in this way',
          },
          {
            value: 'here',
            icon: 'home',
            title: 'No, this computer only',
            said: 'You can open the door later; it takes a second',
          },
        ]}
        value={state?.lan === true ? 'phones' : 'here'}
        onValue={(who) => void network.setLan(who === 'phones')}
      />
      {disabled && (
        <p class="small soft">
          How Talekeeper was started says who comes in ({state?.variable}), and wins over this page.
        </p>
      )}
      {first && (
        <div class="way-in">
          <QrCode text={first.url} label={`Code for ${first.url}`} />
          <p>
            Try it: point a phone at the square.
            <br />
            <strong>{first.url.replace(/^https?:\/\//, '')}</strong>
            <br />
            <span class="small soft">
              Does nothing come? The page “This server” finds out why, and has the lines for a firewall.
            </span>
          </p>
        </div>
      )}
      {state?.lan && !first && (
        <p class="small soft">
          This computer is on no network that phones could share. As soon as it is, it is opened there by itself.
        </p>
      )}
    </>
  )
}

/** What keeps the tale safe: on unless somebody says no. */
export function BackupsStep({ onBack, onNext }: StepProps & { readonly onBack: () => void }): JSX.Element {
  const { client } = useApp()
  const { data, error, refresh } = useServer<ServerSettings>('/settings')
  const submitting = useSubmit()
  const [on, setOn] = useState(true)
  const [folder, setFolder] = useState('')
  const settings = data?.settings
  useEffect(() => {
    if (!settings) return
    setFolder(settings.backupDir.value)
    if (settings.scheduledBackups.source !== 'standard') setOn(settings.scheduledBackups.value)
  }, [settings])
  const save = () =>
    submitting.run(async () => {
      const isGiven = settings?.scheduledBackups.source === 'environment'
      const changes = {
        ...(isGiven ? {} : { scheduledBackups: on }),
        ...(folder.trim() === settings?.backupDir.value ? {} : { backupDir: folder.trim() }),
      }
      await client.send({ method: 'PATCH', path: '/settings', body: changes })
      onNext()
    })
  return (
    <>
      <h1>Kept safe by itself</h1>
      <p class="sub">
        Once a day, as long as Talekeeper runs, it puts all of it into one file and checks that it can be read.
      </p>
      {settings ? (
        <Form operation={null} submitting={submitting} onSubmit={() => void save()}>
          <Switch
            label={<strong>Make backups by itself</strong>}
            hint={
              settings.scheduledBackups.source === 'environment'
                ? `Said by ${settings.scheduledBackups.variable} in the environment of the program.`
                : `The newest ${settings.backupKeepCount.value} are kept, for ${settings.backupKeepDays.value} days. All of this can be changed later.`
            }
            checked={on}
            disabled={settings.scheduledBackups.source === 'environment'}
            onValue={setOn}
          />
          <TextField
            label="Kept in this folder"
            name="backupDir"
            hint="Beside the data, unless you know a better place: a folder on another disk survives this computer."
            required
            spellcheck={false}
            disabled={settings.backupDir.source === 'environment'}
            value={folder}
            onValue={setFolder}
          />
          <FormError error={submitting.error} />
          <WizardButtons busy={submitting.busy} onBack={onBack} />
        </Form>
      ) : error ? (
        <LoadError error={error} retry={() => void refresh()} />
      ) : (
        <Loading />
      )}
    </>
  )
}

/** An assistant can be let in at any time; whoever wants one now is led there at the end. */
export function AssistantStep({
  wanted,
  onWanted,
  onBack,
  onNext,
}: StepProps & {
  readonly wanted: boolean
  readonly onWanted: (wanted: boolean) => void
  readonly onBack: () => void
}): JSX.Element {
  return (
    <>
      <h1>Does an assistant help you?</h1>
      <p class="sub">
        Claude, Cursor and others can read your campaign and help you write. It sees what you allow, and nothing leaves
        this computer that you have not sent.
      </p>
      <ChoiceCards
        label="An assistant"
        choices={[
          { value: 'no', icon: 'quill', title: 'Not now', said: 'Talekeeper is whole without one' },
          {
            value: 'yes',
            icon: 'plug',
            title: 'Show me how, in a moment',
            said: 'As soon as the tale has its title',
          },
        ]}
        value={wanted ? 'yes' : 'no'}
        onValue={(answer) => onWanted(answer === 'yes')}
      />
      <WizardButtons onNext={onNext} onBack={onBack} />
    </>
  )
}

/** On to the next step, or back to the last; without `onNext` the form around is sent. */
export function WizardButtons({
  word = 'Go on',
  backWord = 'Back',
  busy = false,
  onNext,
  onBack,
}: {
  word?: string
  backWord?: string
  busy?: boolean
  onNext?: () => void
  onBack: () => void
}): JSX.Element {
  return (
    <div class="line">
      <Button
        variant="primary"
        class="large"
        busy={busy}
        type={onNext ? 'button' : 'submit'}
        {...(onNext ? { onClick: onNext } : {})}
      >
        {word}
      </Button>
      <Button variant="quiet" class="large" onClick={onBack}>
        {backWord}
      </Button>
    </div>
  )
}
