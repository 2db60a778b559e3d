import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { useLocation } from 'wouter-preact'
import { Button, LinkButton } from '../../kit/button.tsx'
import { NewPasswordField, PasswordField } from '../../kit/credentials.tsx'
import { optionsOf, Switch } from '../../kit/field.tsx'
import { Form, FormError, useSubmit } from '../../kit/form.tsx'
import { count } from '../../kit/format.ts'
import { PageHeader, Section } from '../../kit/page.tsx'
import { ToggleGroup } from '../../kit/toggle-group.tsx'
import { messageOf, useApp, usePageTitle } from '../../shell/context.ts'
import { paths } from '../../shell/links.ts'
import { themes } from '../../shell/preferences.ts'
import { Apps } from './apps.tsx'
import { Tokens } from './tokens.tsx'

export function Account(): JSX.Element {
  const { session, outbox, confirmations, toasts } = useApp()
  const [, navigate] = useLocation()
  const status = session.status.value
  const user = status?.user
  usePageTitle('My account')

  const leave = async () => {
    const kept = outbox.waiting.peek()
    if (kept > 0) {
      const yes = await confirmations.ask({
        title: `${count(kept, 'note')} of yours has not been sent yet`,
        text: 'It stays on this device and goes out when you sign in here again.',
        yes: 'Sign out all the same',
      })
      if (!yes) return
    }
    try {
      await session.signOut()
      navigate(paths.login)
    } catch (error) {
      toasts.fail(messageOf(error))
    }
  }
  return (
    <>
      <PageHeader title={user?.username ?? 'My account'} sub={user?.admin ? 'You keep this server.' : undefined}>
        <Button icon="out" onClick={() => void leave()}>
          Sign out
        </Button>
      </PageHeader>
      <Looks />
      <Section
        title="Let in by key"
        end={
          <LinkButton variant="quiet" icon="plug" to={paths.connect}>
            Connect an AI
          </LinkButton>
        }
      >
        <Tokens />
      </Section>
      <Section
        title="Connected apps"
        end={
          user?.admin && (
            <LinkButton variant="quiet" icon="shield" to={paths.apps}>
              All apps
            </LinkButton>
          )
        }
      >
        <Apps />
      </Section>
      <Section title="Password">
        <Password />
      </Section>
      <p class="section small faint">Talekeeper {status?.version}</p>
    </>
  )
}

function Looks(): JSX.Element {
  const { themes: theme, keys } = useApp()
  return (
    <Section title="This browser">
      <div class="stack">
        <ToggleGroup
          label="Theme"
          options={optionsOf(themes)}
          value={theme.chosen.value}
          onValue={(name) => {
            theme.chosen.value = name
          }}
        />
        <div class="form">
          <Switch
            label="Single keys"
            hint="/ finds, c writes something down. Ctrl K finds either way."
            checked={keys.value}
            onValue={(on) => {
              keys.value = on
            }}
          />
        </div>
      </div>
    </Section>
  )
}

function Password(): JSX.Element {
  const { client, toasts } = useApp()
  const submitting = useSubmit()
  const [currentPassword, setCurrent] = useState('')
  const [newPassword, setNew] = useState('')
  const save = async () => {
    const passwords = { currentPassword, newPassword }
    if (await submitting.run(() => client.write('change_my_password', passwords))) {
      setCurrent('')
      setNew('')
      toasts.say('Changed. Everything else that was signed in as you is signed out.')
    }
  }
  return (
    <Form operation={null} submitting={submitting} onSubmit={() => void save()}>
      <div class="field-pair">
        <PasswordField label="The present one" name="currentPassword" value={currentPassword} onValue={setCurrent} />
        <NewPasswordField label="The new one" name="newPassword" value={newPassword} onValue={setNew} />
      </div>
      <FormError error={submitting.error} />
      <div class="line">
        <Button type="submit" busy={submitting.busy}>
          Change the password
        </Button>
        <span class="small soft">Your other devices, all keys and all apps are signed out.</span>
      </div>
    </Form>
  )
}
