import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { Button } from '../../kit/button.tsx'
import { SelectField } from '../../kit/field.tsx'
import { count, day, when } from '../../kit/format.ts'
import { operationLabel } from '../../kit/labels.ts'
import { ListFooter } from '../../kit/list.tsx'
import { LoadError, Loading, PageHeader, Section } from '../../kit/page.tsx'
import { messageOf, useApp, usePageTitle } from '../../shell/context.ts'
import { type RegisteredApp, type ServerRecord, useServerList, useServerPages } from '../../shell/server.ts'
import { AnswersTo } from '../account/apps.tsx'

/** For whoever keeps the server: the apps that made themselves known here, and what happened outside of campaigns. */
export function Clients(): JSX.Element {
  usePageTitle('Apps and log')
  return (
    <>
      <PageHeader
        title="Apps and log"
        sub="An app makes itself known to this server before it asks anybody. It opens nothing until somebody lets it in."
      />
      <Section title="Known apps">
        <Registered />
      </Section>
      <Section title="Log">
        <Log />
      </Section>
    </>
  )
}

function Registered(): JSX.Element {
  const { data: apps, error, refresh } = useServerList('list_oauth_clients')
  const { client, toasts, confirmations } = useApp()

  const remove = async ({ clientId, name }: RegisteredApp) => {
    const yes = await confirmations.ask({
      title: `Remove “${name}”?`,
      text: 'Whoever let it in is rid of it at once. It can make itself known anew, and ask again.',
      yes: 'Remove it',
      danger: true,
    })
    if (!yes) return
    try {
      await client.write('remove_oauth_client', { clientId })
      toasts.say(`“${name}” is gone.`)
    } catch (thrown) {
      toasts.fail(messageOf(thrown))
    }
    await refresh()
  }

  if (!apps) return error ? <LoadError error={error} retry={() => void refresh()} /> : <Loading />
  if (apps.length === 0) return <p class="soft">None has come yet.</p>
  return (
    <div class="rows">
      {apps.map((app) => (
        <div key={app.clientId} class="row app">
          <span class="grow">
            <strong>
              <bdi>{app.name}</bdi>
            </strong>
            <span class="secondary">{standingOf(app)}</span>
            <span class="secondary">
              <AnswersTo app={app} />
            </span>
          </span>
          <Button variant="danger-quiet" onClick={() => void remove(app)}>
            Remove
          </Button>
        </div>
      ))}
    </div>
  )
}

function standingOf({ authorisedAt, liveGrants, createdAt }: RegisteredApp): string {
  if (authorisedAt === null) return `Came ${when(createdAt)}, and nobody has let it in yet`
  const since = `known since ${day(createdAt)}`
  return liveGrants === 0
    ? `Nobody lets it in now, ${since}`
    : `Let in ${liveGrants === 1 ? 'once' : count(liveGrants, 'time')}, ${since}`
}

const kinds = [
  { value: '', word: 'Everything' },
  { value: 'sign_in', word: 'Who signed in' },
  { value: 'connect_app', word: 'Apps let in' },
  { value: 'replay_oauth_token', word: 'Apps whose key was used twice' },
  { value: 'create_token', word: 'Keys made' },
  { value: 'update_user', word: 'Accounts changed' },
  { value: 'restore_backup', word: 'Backups put back' },
]

function Log(): JSX.Element {
  const [kind, setKind] = useState('')
  const list = useServerPages('list_server_audit', { limit: 30, ...(kind ? { operation: kind } : {}) })
  const { data: users } = useServerList('list_users')
  const nameOf = (id: unknown): string | null => users?.find((user) => user.id === id)?.username ?? null
  return (
    <>
      <div class="filters">
        <SelectField
          label="Show"
          name="operation"
          value={kind}
          onValue={setKind}
          options={kinds}
          hint="What happens in a campaign stands in its own history."
        />
      </div>
      <ol class="timeline">
        {list.items.map((record) => (
          <li key={record.id} class={record.effect === 'destroy' ? 'big' : undefined}>
            <span class="when">{when(record.at)}</span>
            <RecordSummary record={record} nameOf={nameOf} />
            {record.reason && <span class="secondary">{record.reason}</span>}
          </li>
        ))}
      </ol>
      {!list.waiting && !list.error && list.items.length === 0 && <p class="soft">Nothing of the kind.</p>}
      <ListFooter list={list} shown={list.items.length} />
    </>
  )
}

/** What each record says happened; `who` did it, `whom` it was done to. */
const deeds: Readonly<Record<string, (facts: ServerRecord['facts'], whom: string) => string>> = {
  set_up: () => 'sets this server up',
  sign_in: () => 'signs in',
  sign_out: () => 'signs out',
  register: () => 'makes an account by invitation',
  change_my_password: () => 'changes their own password',
  create_token: () => 'makes a key',
  create_token_with_password: () => 'makes a key by password',
  create_user_token: (_, whom) => `makes a key for ${whom}`,
  revoke_token: () => 'takes a key back',
  create_user: (_, whom) => `makes an account for ${whom}`,
  update_user: ({ disabledAt }, whom) =>
    typeof disabledAt === 'string' ? `shuts ${whom} out` : `changes the account of ${whom}`,
  connect_app: ({ clientName }) => `lets “${text(clientName)}” in`,
  disconnect_app: () => 'shuts an app out',
  remove_oauth_client: ({ name }) => `removes the app “${text(name)}”`,
  revoke_oauth_token: () => 'is rid of an app, which gave its key back',
  replay_oauth_code: () => 'is rid of an app, whose key was used twice',
  replay_oauth_token: () => 'is rid of an app, whose key was used twice',
  restore_backup: () => 'puts a backup back',
}

function RecordSummary({
  record,
  nameOf,
}: {
  record: ServerRecord
  nameOf: (id: unknown) => string | null
}): JSX.Element {
  const { operation, actorName, facts } = record
  const who = actorName ?? (typeof facts.by === 'string' ? facts.by : 'The server')
  const words = deeds[operation]
  return (
    <span>
      <strong>{who}</strong> {words ? words(facts, nameOf(facts.userId) ?? 'somebody') : operationLabel(operation)}
    </span>
  )
}

const text = (fact: unknown): string => (typeof fact === 'string' ? fact : 'an app')
