import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { useLocation } from 'wouter-preact'
import { CallError } from '../../api/call.ts'
import type { Role } from '../../api/contract.ts'
import type { InvitePreview } from '../../api/session.ts'
import { Button, LinkButton } from '../../kit/button.tsx'
import { NewPasswordField, PasswordField, UsernameField } from '../../kit/credentials.tsx'
import { TextField } from '../../kit/field.tsx'
import { Form, FormError, useSubmit } from '../../kit/form.tsx'
import { day } from '../../kit/format.ts'
import { roles } from '../../kit/labels.ts'
import { Loading } from '../../kit/page.tsx'
import { useWrite } from '../../shell/actions.ts'
import { useApp, usePageTitle } from '../../shell/context.ts'
import { campaignPath, paths } from '../../shell/links.ts'
import { AuthLayout } from './layout.tsx'

/** The code after `#` in /join#code: it never travels to the server in an address. */
const codeInAddress = () => decodeURIComponent(location.hash.slice(1))

export function Join(): JSX.Element {
  const { session } = useApp()
  const [code, setCode] = useState(codeInAddress)
  const [preview, setPreview] = useState<InvitePreview | null>(null)
  const [problem, setProblem] = useState<CallError | null>(null)
  const signedIn = session.status.value?.user ?? null
  usePageTitle('Join')

  useEffect(() => {
    const onHash = () => setCode(codeInAddress())
    addEventListener('hashchange', onHash)
    return () => removeEventListener('hashchange', onHash)
  }, [])
  useEffect(() => {
    setPreview(null)
    setProblem(null)
    if (!code) return
    session.preview(code).then(setPreview, (error: unknown) => {
      if (error instanceof CallError) setProblem(error)
    })
  }, [code, session])

  return (
    <AuthLayout>
      {!code || problem ? (
        <AskForCode problem={problem} onCode={setCode} />
      ) : !preview ? (
        <Loading word="Reading the invitation" />
      ) : (
        <>
          <p class="soft">You are invited to</p>
          <h1>{preview.campaignName}</h1>
          <p class="sub">
            As a {(roles[preview.role as Role] ?? preview.role).toLowerCase()}. The invitation holds until{' '}
            {day(preview.expiresAt)}.
          </p>
          {signedIn ? (
            <Accept code={code} name={signedIn.displayName || signedIn.username} />
          ) : (
            <Register code={code} />
          )}
        </>
      )}
    </AuthLayout>
  )
}

function AskForCode({ problem, onCode }: { problem: CallError | null; onCode: (code: string) => void }): JSX.Element {
  const [typed, setTyped] = useState('')
  const submitting = useSubmit()
  return (
    <>
      <h1>Have you been invited?</h1>
      <p class="sub">Open the link your DM sent you, or paste it here.</p>
      <Form operation={null} submitting={submitting} onSubmit={() => onCode(typed.trim().replace(/^.*#/, ''))}>
        <TextField
          label="Link or code"
          maxLength={400}
          required
          autofocus
          value={typed}
          onValue={setTyped}
          spellcheck={false}
        />
        <FormError error={problem} />
        <div class="line">
          <Button variant="primary" type="submit" class="large">
            Look at it
          </Button>
          <LinkButton variant="quiet" class="large" to={paths.login}>
            Sign in instead
          </LinkButton>
        </div>
      </Form>
    </>
  )
}

function Accept({ code, name }: { code: string; name: string }): JSX.Element {
  const { session } = useApp()
  const write = useWrite()
  const [, navigate] = useLocation()
  const submitting = useSubmit()
  const accept = () =>
    submitting.run(async () => {
      const written = await write('accept_invite', { code })
      if (written.kind === 'done') navigate(campaignPath(written.value.campaignId))
    })
  return (
    <div class="stack form">
      <FormError error={submitting.error} />
      <div class="line">
        <Button variant="primary" class="large" busy={submitting.busy} onClick={() => void accept()}>
          Join as {name}
        </Button>
        <Button variant="quiet" class="large" onClick={() => void session.signOut()}>
          I am somebody else
        </Button>
      </div>
    </div>
  )
}

function Register({ code }: { code: string }): JSX.Element {
  const { session } = useApp()
  const [, navigate] = useLocation()
  const submitting = useSubmit()
  const [known, setKnown] = useState(false)
  const [username, setUsername] = useState('')
  const [password, setPassword] = useState('')

  const enter = () =>
    submitting.run(async () => {
      if (known) {
        await session.signIn({ username, password })
        return
      }
      const joined = await session.register({ invite: code, username: username.trim(), password })
      navigate(campaignPath(joined))
    })

  return (
    <Form operation={null} submitting={submitting} onSubmit={() => void enter()}>
      <UsernameField
        label={known ? 'Your name here' : 'What shall we call you?'}
        value={username}
        onValue={setUsername}
      />
      {known ? (
        <PasswordField value={password} onValue={setPassword} />
      ) : (
        <NewPasswordField label="Choose a password" value={password} onValue={setPassword} />
      )}
      <FormError error={submitting.error} />
      <div class="line">
        <Button variant="primary" type="submit" class="large" busy={submitting.busy}>
          {known ? 'Sign in' : 'Join the table'}
        </Button>
        <Button
          variant="quiet"
          class="large"
          onClick={() => {
            setKnown(!known)
            submitting.clear()
          }}
        >
          {known ? 'I am new here' : 'I have an account here'}
        </Button>
      </div>
    </Form>
  )
}
