import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { useLocation } from 'wouter-preact'
import { CallError } from '../../api/call.ts'
import type { Role } from '../../api/contract.ts'
import type { InvitePreview } from '../../api/session.ts'
import { Button, LinkButton } from '../../kit/button.tsx'
import { NewPasswordField, PasswordField, UsernameField } from '../../kit/credentials.tsx'
import { TextField } from '../../kit/field.tsx'
import { Complaint, Form, useSubmit } from '../../kit/form.tsx'
import { day } from '../../kit/format.ts'
import { Waiting } from '../../kit/page.tsx'
import { roles } from '../../kit/words.ts'
import { useApp, useTitle, useWrite } from '../../shell/context.ts'
import { home, paths } from '../../shell/links.ts'
import { Doorway } from './window.tsx'

export function SignIn(): JSX.Element {
  const { session } = useApp()
  const submitting = useSubmit()
  const [username, setUsername] = useState('')
  const [password, setPassword] = useState('')
  useTitle('Sign in')
  return (
    <Doorway>
      <h1>Welcome back</h1>
      <p class="sub">Sign in, and the tale goes on where you left it.</p>
      <Form submitting={submitting} onSubmit={() => void submitting.run(() => session.signIn({ username, password }))}>
        <UsernameField value={username} onValue={setUsername} />
        <PasswordField value={password} onValue={setPassword} />
        <Complaint error={submitting.error} />
        <div class="line">
          <Button look="act" type="submit" class="at-table" busy={submitting.busy}>
            Sign in
          </Button>
        </div>
        <p class="small soft">
          Forgotten the password? Whoever keeps this server can give you a new one. New here? Ask your DM for an
          invitation.
        </p>
      </Form>
    </Doorway>
  )
}

/** The code after `#` in /join#code: it never travels to the server in an address. */
const codeInAddress = () => decodeURIComponent(location.hash.slice(1))

export function Join(): JSX.Element {
  const { session } = useApp()
  const [code, setCode] = useState(codeInAddress)
  const [preview, setPreview] = useState<InvitePreview | null>(null)
  const [problem, setProblem] = useState<CallError | null>(null)
  const signedIn = session.status.value?.user ?? null
  useTitle('Join')

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
    <Doorway>
      {!code || problem ? (
        <AskForCode problem={problem} onCode={setCode} />
      ) : !preview ? (
        <Waiting word="Reading the invitation" />
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
    </Doorway>
  )
}

function AskForCode({ problem, onCode }: { problem: CallError | null; onCode: (code: string) => void }): JSX.Element {
  const [typed, setTyped] = useState('')
  const submitting = useSubmit()
  return (
    <>
      <h1>Have you been invited?</h1>
      <p class="sub">Open the link your DM sent you, or paste it here.</p>
      <Form submitting={submitting} onSubmit={() => onCode(typed.trim().replace(/^.*#/, ''))}>
        <TextField label="Link or code" required autofocus value={typed} onValue={setTyped} spellcheck={false} />
        <Complaint error={problem} />
        <div class="line">
          <Button look="act" type="submit" class="at-table">
            Look at it
          </Button>
          <LinkButton look="quiet" class="at-table" to={paths.login}>
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
      if (written.kind === 'done') navigate(home(written.value.campaignId))
    })
  return (
    <div class="stack form">
      <Complaint error={submitting.error} />
      <div class="line">
        <Button look="act" class="at-table" busy={submitting.busy} onClick={() => void accept()}>
          Join as {name}
        </Button>
        <Button look="quiet" class="at-table" onClick={() => void session.signOut()}>
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
      navigate(home(joined))
    })

  return (
    <Form submitting={submitting} onSubmit={() => void enter()}>
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
      <Complaint error={submitting.error} />
      <div class="line">
        <Button look="act" type="submit" class="at-table" busy={submitting.busy}>
          {known ? 'Sign in' : 'Join the table'}
        </Button>
        <Button
          look="quiet"
          class="at-table"
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
