import { Fragment, type JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { Button } from '../../kit/button.tsx'
import { joinNames, when } from '../../kit/format.ts'
import { LoadError, Loading } from '../../kit/page.tsx'
import { messageOf, useApp } from '../../shell/context.ts'
import { type ConnectedApp, useServerList } from '../../shell/server.ts'
import { modes, scopes } from './tokens.tsx'

/** The apps that asked to be let in and were, each with what it may do and a way to take that back. */
export function Apps(): JSX.Element {
  const { data: apps, error, refresh } = useServerList('list_connected_apps')
  const { client, toasts, confirmations } = useApp()
  // An app is let in on another page, or in another window.
  useEffect(() => {
    const onFocus = () => void refresh()
    addEventListener('focus', onFocus)
    return () => removeEventListener('focus', onFocus)
  }, [refresh])

  const takeBack = async ({ grantId, name }: ConnectedApp) => {
    const yes = await confirmations.ask({
      title: `Shut “${name}” out?`,
      text: 'It opens nothing any more, at once. What it wrote stays.',
      yes: 'Shut it out',
      danger: true,
    })
    if (!yes) return
    try {
      await client.write('disconnect_app', { grantId })
      toasts.say(`“${name}” is shut out.`)
    } catch (thrown) {
      toasts.fail(messageOf(thrown))
    }
    await refresh()
  }

  if (!apps) return error ? <LoadError error={error} /> : <Loading />
  if (apps.length === 0) {
    return <p class="soft">None. An app that connects by itself asks you first, and then it stands here.</p>
  }
  return (
    <div class="rows">
      {apps.map((app) => (
        <div key={app.grantId} class="row app">
          <span class="grow">
            <strong>
              <bdi>{app.name}</bdi>
            </strong>
            <span class="secondary">{mayDo(app)}</span>
            <span class="secondary">
              <AnswersTo app={app} />, {app.lastUsedAt ? `used ${when(app.lastUsedAt)}` : 'not used yet'}
            </span>
          </span>
          <Button variant="danger-quiet" onClick={() => void takeBack(app)}>
            Take back
          </Button>
        </div>
      ))}
    </div>
  )
}

const presetWords: Readonly<Record<NonNullable<ConnectedApp['toolPreset']>, string>> = {
  'dm-core': 'shown the tools to prepare',
  session: 'shown the tools of a night',
  player: 'shown a player’s tools',
  compact: 'shown three tools that find the rest',
}

/** `Proposes as a player, in The Orchard in Winter, with maps and story only` */
function mayDo({ scope, writeMode, campaignId, campaignName, toolsets, toolPreset }: ConnectedApp): string {
  const where = campaignId === null ? 'in all your campaigns' : `in ${campaignName ?? 'one campaign'}`
  const shelves = toolsets?.filter((name) => name !== 'campaign').toSorted()
  const only = shelves && (shelves.length === 0 ? 'nothing but the campaign itself' : `${joinNames(shelves)} only`)
  const shown = toolPreset && presetWords[toolPreset]
  return [`${modes[writeMode]} ${scopes[scope]}`, where, only, shown].filter(Boolean).join(', ')
}

/** Some register an address for each way in which they may have been started. */
const mostShown = 3

/** Where its answers go, and where its name is from: more is not known of an app for certain. */
export function AnswersTo({
  app: { clientId, hosts },
}: {
  app: Pick<ConnectedApp, 'clientId' | 'hosts'>
}): JSX.Element {
  const home = clientId.startsWith('https://') ? URL.parse(clientId)?.host : undefined
  const others = hosts.length - mostShown
  return (
    <>
      {home && (
        <>
          Known by <code>{home}</code>, answers{' '}
        </>
      )}
      {!home && 'Answers '}
      to{' '}
      {hosts.slice(0, mostShown).map((host, index) => (
        <Fragment key={host}>
          {index > 0 && ', '}
          <code>{host}</code>
        </Fragment>
      ))}
      {others > 0 && ` and ${others} more`}
    </>
  )
}
