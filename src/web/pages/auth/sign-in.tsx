import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { Button } from '../../kit/button.tsx'
import { PasswordField, UsernameField } from '../../kit/credentials.tsx'
import { Form, FormError, useSubmit } from '../../kit/form.tsx'
import { useApp, usePageTitle } from '../../shell/context.ts'
import { AuthLayout } from './layout.tsx'

export function SignIn(): JSX.Element {
  const { session } = useApp()
  const submitting = useSubmit()
  const [username, setUsername] = useState('')
  const [password, setPassword] = useState('')
  usePageTitle('Sign in')
  return (
    <AuthLayout>
      <h1>Welcome back</h1>
      <p class="sub">Sign in, and the tale goes on where you left it.</p>
      <Form
        operation={null}
        submitting={submitting}
        onSubmit={() => void submitting.run(() => session.signIn({ username, password }))}
      >
        <UsernameField value={username} onValue={setUsername} />
        <PasswordField value={password} onValue={setPassword} />
        <FormError error={submitting.error} />
        <div class="line">
          <Button variant="primary" type="submit" class="large" busy={submitting.busy}>
            Sign in
          </Button>
        </div>
        <p class="small soft">
          Forgotten the password? Whoever keeps this server can give you a new one. New here? Ask your DM for an
          invitation.
        </p>
      </Form>
    </AuthLayout>
  )
}
