import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { Input } from '../../api/contract.ts'
import { Avatar } from '../../kit/avatar.tsx'
import { Button } from '../../kit/button.tsx'
import { NewPasswordField, UsernameField } from '../../kit/credentials.tsx'
import { Dialog } from '../../kit/dialog.tsx'
import { FilterField, Switch } from '../../kit/field.tsx'
import { Form, FormError, useSubmit } from '../../kit/form.tsx'
import { day } from '../../kit/format.ts'
import { matches } from '../../kit/list.tsx'
import { Menu } from '../../kit/menu.tsx'
import { LoadError, Loading, PageHeader } from '../../kit/page.tsx'
import { messageOf, useApp, usePageTitle } from '../../shell/context.ts'
import { type ServerUser, useServerList } from '../../shell/server.ts'

type Open = { kind: 'new' } | { kind: 'password'; user: ServerUser } | null

export function Users(): JSX.Element {
  const { data: users, error, refresh } = useServerList('list_users')
  const [typed, setTyped] = useState('')
  const [open, setOpen] = useState<Open>(null)
  usePageTitle('Accounts')
  const done = () => {
    setOpen(null)
    void refresh()
  }
  const shown = (users ?? []).filter((user) => !typed.trim() || matches(typed.trim(), user.username))
  return (
    <>
      <PageHeader
        title="Accounts"
        sub="Everybody who can sign in on this server. Who sits at which table is decided in the campaigns."
      >
        <Button variant="primary" icon="plus" onClick={() => setOpen({ kind: 'new' })}>
          New user
        </Button>
      </PageHeader>
      {!users && (error ? <LoadError error={error} retry={() => void refresh()} /> : <Loading />)}
      {users && users.length > 8 && (
        <div class="filters">
          <FilterField value={typed} onValue={setTyped} placeholder="A name" />
        </div>
      )}
      <div class="rows">
        {shown.map((user) => (
          <UserRow key={user.id} user={user} onChanged={done} onPassword={() => setOpen({ kind: 'password', user })} />
        ))}
      </div>
      {open?.kind === 'new' && <NewUser onClose={() => setOpen(null)} onDone={done} />}
      {open?.kind === 'password' && <NewPassword user={open.user} onClose={() => setOpen(null)} onDone={done} />}
    </>
  )
}

function UserRow({
  user,
  onChanged,
  onPassword,
}: {
  user: ServerUser
  onChanged: () => void
  onPassword: () => void
}): JSX.Element {
  const { client, toasts, confirmations, session } = useApp()
  const mine = session.status.value?.user?.id === user.id

  const change = async (what: Omit<Input<'update_user'>, 'userId'>, said: string) => {
    try {
      await client.write('update_user', { userId: user.id, ...what })
      toasts.say(said)
    } catch (error) {
      toasts.fail(messageOf(error))
    }
    onChanged()
  }
  const disable = async () => {
    const yes = await confirmations.ask({
      title: `Shut ${user.username} out?`,
      text: 'They are signed out everywhere at once, and their keys open nothing. You can let them in again.',
      yes: `Shut ${user.username} out`,
      danger: true,
    })
    if (yes) await change({ disabled: true }, `${user.username} is shut out.`)
  }
  const promote = async () => {
    const yes = await confirmations.ask({
      title: `Let ${user.username} keep this server too?`,
      text: 'They can make and restore backups, and look after all users, you included.',
      yes: 'Let them',
    })
    if (yes) await change({ admin: true }, `${user.username} keeps this server too.`)
  }
  return (
    <div class="row">
      <Avatar name={user.username} />
      <span class="grow">
        <strong>
          {user.username}
          {mine && <span class="faint"> (you)</span>}
        </strong>
        <span class="secondary">
          {user.admin ? 'Keeps this server' : 'Member'}, since {day(user.createdAt)}
        </span>
      </span>
      {user.disabled && <span class="chip bad">Shut out</span>}
      <Menu
        label={`More about ${user.username}`}
        items={[
          !mine && { icon: 'key', word: 'Give a new password', run: onPassword },
          !mine && !user.admin && !user.disabled && { icon: 'shield', word: 'Let them keep the server', run: promote },
          !mine &&
            user.admin && {
              icon: 'shield',
              word: 'No longer keeps the server',
              run: () => change({ admin: false }, `${user.username} is a member like others.`),
            },
          user.disabled
            ? {
                icon: 'undo',
                word: 'Let them in again',
                run: () => change({ disabled: false }, `${user.username} may come in again.`),
              }
            : !mine && { icon: 'x', word: 'Shut them out', danger: true, run: disable },
        ]}
      />
    </div>
  )
}

function NewUser({ onClose, onDone }: { onClose: () => void; onDone: () => void }): JSX.Element {
  const { client } = useApp()
  const submitting = useSubmit()
  const [username, setUsername] = useState('')
  const [password, setPassword] = useState('')
  const [admin, setAdmin] = useState(false)
  const make = async () => {
    const given = { username: username.trim(), password, admin }
    if (await submitting.run(() => client.write('create_user', given))) onDone()
  }
  return (
    <Dialog title="A new user" onClose={onClose}>
      <Form operation={null} submitting={submitting} onSubmit={() => void make()} class="stack">
        <p class="small soft">Players need no account made for them: an invitation lets them make their own.</p>
        <UsernameField own={false} value={username} onValue={setUsername} />
        <NewPasswordField advice="Tell it to them yourself." value={password} onValue={setPassword} />
        <Switch
          label="Keeps this server too"
          hint="Backups, restore and all users."
          checked={admin}
          onValue={setAdmin}
        />
        <FormError error={submitting.error} />
        <div class="actions">
          <Button onClick={onClose}>Not now</Button>
          <Button variant="primary" type="submit" busy={submitting.busy}>
            Make the account
          </Button>
        </div>
      </Form>
    </Dialog>
  )
}

function NewPassword({
  user,
  onClose,
  onDone,
}: {
  user: ServerUser
  onClose: () => void
  onDone: () => void
}): JSX.Element {
  const { client, toasts } = useApp()
  const submitting = useSubmit()
  const [password, setPassword] = useState('')
  const save = async () => {
    if (await submitting.run(() => client.write('update_user', { userId: user.id, password }))) {
      toasts.say(`${user.username} has a new password and is signed out everywhere.`)
      onDone()
    }
  }
  return (
    <Dialog title={`A new password for ${user.username}`} onClose={onClose}>
      <Form operation={null} submitting={submitting} onSubmit={() => void save()} class="stack">
        <NewPasswordField
          advice="They are signed out everywhere, and their keys open nothing any more."
          autofocus
          value={password}
          onValue={setPassword}
        />
        <FormError error={submitting.error} />
        <div class="actions">
          <Button onClick={onClose}>Not now</Button>
          <Button variant="primary" type="submit" busy={submitting.busy}>
            Give it
          </Button>
        </div>
      </Form>
    </Dialog>
  )
}
