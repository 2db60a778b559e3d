import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { Redirect, useLocation } from 'wouter-preact'
import { Button } from '../../kit/button.tsx'
import { type ChoiceCard, ChoiceCards } from '../../kit/choice-cards.tsx'
import { NewPasswordField, UsernameField } from '../../kit/credentials.tsx'
import { TextField } from '../../kit/field.tsx'
import { Form, FormError, useSubmit } from '../../kit/form.tsx'
import { useWrite } from '../../shell/actions.ts'
import { useApp, usePageTitle } from '../../shell/context.ts'
import { campaignPath, paths } from '../../shell/links.ts'
import { AuthLayout, WizardSteps } from './layout.tsx'
import { AssistantStep, BackupsStep, PhonesStep, WizardButtons } from './setup-steps.tsx'

type Way = 'restore' | 'begin'
type Step = 'way' | 'keeper' | 'phones' | 'backups' | 'assistant' | 'book'

const order: readonly Step[] = ['way', 'keeper', 'phones', 'backups', 'assistant', 'book']

/** The first minutes: bring a tale back or begin one; who keeps it, who may come in, what keeps it safe; its title. */
export function Setup(): JSX.Element {
  const { session } = useApp()
  const status = session.status.value
  const [step, setStep] = useState<Step>('way')
  const [way, setWay] = useState<Way>('begin')
  const [wantsAssistant, setWantsAssistant] = useState(false)
  const [code] = useState(() => decodeURIComponent(location.hash.slice(1)))
  usePageTitle('Welcome')

  if (status && !status.setUpNeeded && step === 'way') return <Redirect to="/" replace />
  if (status?.setUpNeeded && !status.setUpOpen && !code) return <NeedsCode />
  return (
    <AuthLayout steps={<WizardSteps at={order.indexOf(step) + 1} of={way === 'begin' ? order.length : 2} />}>
      {step === 'way' && <ChooseWay way={way} onWay={setWay} onNext={() => setStep('keeper')} />}
      {step === 'keeper' && (
        <AdminAccountStep way={way} code={code} onBack={() => setStep('way')} onNext={() => setStep('phones')} />
      )}
      {step === 'phones' && <PhonesStep onNext={() => setStep('backups')} />}
      {step === 'backups' && <BackupsStep onBack={() => setStep('phones')} onNext={() => setStep('assistant')} />}
      {step === 'assistant' && (
        <AssistantStep
          wanted={wantsAssistant}
          onWanted={setWantsAssistant}
          onBack={() => setStep('backups')}
          onNext={() => setStep('book')}
        />
      )}
      {step === 'book' && <FirstCampaignStep next={wantsAssistant ? paths.connect : null} />}
    </AuthLayout>
  )
}

function NeedsCode(): JSX.Element {
  return (
    <AuthLayout>
      <h1>Open this on the computer that runs Talekeeper</h1>
      <p class="sub">
        The first set-up needs the address that Talekeeper printed when it started. It ends in a one-time code and holds
        for half an hour; start Talekeeper again for a fresh one.
      </p>
    </AuthLayout>
  )
}

function ChooseWay({ way, onWay, onNext }: { way: Way; onWay: (way: Way) => void; onNext: () => void }): JSX.Element {
  const choices: readonly ChoiceCard<Way>[] = [
    {
      value: 'restore',
      icon: 'put',
      title: 'Restore from a backup',
      said: 'You have a file from another computer or an earlier install',
    },
    {
      value: 'begin',
      icon: 'quill',
      title: 'Begin a new campaign',
      said: 'An empty book. You choose the title in a moment',
    },
  ]
  return (
    <>
      <h1>Bring a tale back, or begin one</h1>
      <p class="sub">Everything you write stays on this computer, in one folder that is yours.</p>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          onNext()
        }}
      >
        <ChoiceCards label="How to begin" choices={choices} value={way} onValue={onWay} />
        <Button variant="primary" type="submit" class="large">
          Go on
        </Button>
      </form>
    </>
  )
}

function AdminAccountStep({
  way,
  code,
  onBack,
  onNext,
}: {
  way: Way
  code: string
  onBack: () => void
  onNext: () => void
}): JSX.Element {
  const { session } = useApp()
  const [, navigate] = useLocation()
  const submitting = useSubmit()
  const [username, setUsername] = useState('')
  const [password, setPassword] = useState('')

  const make = () =>
    submitting.run(async () => {
      // Trying again after a stumble in the second part must not ask for a second keeper.
      if (session.status.peek()?.setUpNeeded) {
        await session.setUp({ username: username.trim(), password, ...(code ? { code } : {}) })
      }
      if (way === 'restore') navigate(`${paths.backups}#restore`)
      else onNext()
    })

  return (
    <>
      <h1>Who keeps this server?</h1>
      <p class="sub">
        {way === 'restore'
          ? 'A name and a password to open the door. Once the backup is back, the names and passwords in it count again.'
          : 'You. With this name and password you sign in, here and on your phone, and nobody else can look after the backups.'}
      </p>
      <Form operation={null} submitting={submitting} onSubmit={() => void make()}>
        <UsernameField label="Your name" value={username} onValue={setUsername} />
        <NewPasswordField value={password} onValue={setPassword} />
        <FormError error={submitting.error} />
        <WizardButtons busy={submitting.busy} onBack={onBack} />
      </Form>
    </>
  )
}

/** `next`: where to go on, instead of the new campaign. */
function FirstCampaignStep({ next }: { next: string | null }): JSX.Element {
  const write = useWrite()
  const [, navigate] = useLocation()
  const submitting = useSubmit()
  const [name, setName] = useState('')
  const make = () =>
    submitting.run(async () => {
      const written = await write('create_campaign', { name: name.trim() })
      if (written.kind === 'done') navigate(next ?? campaignPath(written.value.id))
    })
  return (
    <>
      <h1>What is the tale called?</h1>
      <p class="sub">A working title will do. It can be changed whenever a better one comes.</p>
      <Form operation="create_campaign" submitting={submitting} onSubmit={() => void make()}>
        <TextField
          label="Title"
          name="name"
          required
          autofocus
          placeholder="The Orchard in Winter"
          value={name}
          onValue={setName}
        />
        <FormError error={submitting.error} />
        <WizardButtons
          word="Open the book"
          backWord="Later"
          busy={submitting.busy}
          onBack={() => navigate(next ?? paths.campaigns)}
        />
      </Form>
    </>
  )
}
