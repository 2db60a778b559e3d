import type { JSX } from 'preact'
import { Button } from '../../kit/button.tsx'
import { Switch } from '../../kit/field.tsx'
import { bytes } from '../../kit/format.ts'
import { Icon } from '../../kit/icon.tsx'
import { messageOf, useApp } from '../../shell/context.ts'
import { useServer } from '../../shell/server.ts'

interface Computer {
  readonly dataDir: string
  readonly logDir: string | null
  readonly freeBytes: number | null
  /** Null where it cannot be switched from here. */
  readonly startAtLogin: boolean | null
  /** Whether the reader sits at that computer. */
  readonly isHere: boolean
}

/** What the tray does at the computer of the server: starting at login, and where everything lies. */
export function ComputerRows(): JSX.Element | null {
  const { client, toasts } = useApp()
  const { data, patch, refresh } = useServer<Computer>('/computer')
  if (!data) return null
  const { dataDir, logDir, freeBytes, startAtLogin, isHere } = data
  const setStart = async (on: boolean) => {
    patch((known) => ({ ...known, startAtLogin: on }))
    try {
      await client.send({ method: 'PUT', path: '/computer/start-at-login', body: { on } })
    } catch (error) {
      toasts.fail(messageOf(error))
      await refresh()
    }
  }
  const open = async (folder: 'data' | 'logs') => {
    try {
      await client.send({ method: 'POST', path: '/computer/open', body: { folder } })
    } catch (error) {
      toasts.fail(messageOf(error))
    }
  }
  return (
    <>
      {startAtLogin !== null && (
        <div class="row">
          <Icon name="clock" />
          <div class="grow">
            <Switch
              label={<strong>Start when I sign in</strong>}
              hint="Quietly, as a small lamp by the clock"
              checked={startAtLogin}
              onValue={(on) => void setStart(on)}
            />
          </div>
        </div>
      )}
      <div class="row">
        <Icon name="folder" />
        <span class="grow">
          <strong>Everything lies in one folder</strong>
          <span class="secondary">
            {dataDir}
            {freeBytes === null ? '' : `. ${bytes(freeBytes)} left on the disk`}
          </span>
        </span>
        {isHere && <Button onClick={() => void open('data')}>Open it</Button>}
        {isHere && logDir !== null && (
          <Button variant="quiet" onClick={() => void open('logs')}>
            View logs
          </Button>
        )}
      </div>
    </>
  )
}
