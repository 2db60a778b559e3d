import type { JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { CallError } from '../../api/call.ts'
import { Button } from '../../kit/button.tsx'
import { capitalize } from '../../kit/format.ts'
import { Progress } from '../../kit/page.tsx'
import type { Toasts } from '../../kit/toast.tsx'
import { messageOf, useApp } from '../../shell/context.ts'
import type { ArchiveJob } from '../../shell/server.ts'

const phases: Readonly<Record<string, string>> = {
  starting: 'Getting ready',
  snapshot: 'Copying the book',
  hash: 'Counting the pictures',
  stage: 'Laying out the pictures',
  pack: 'Packing',
  verify: 'Reading it back',
  database: 'Looking into the book',
  seal: 'Sealing',
  hold: 'Asking everybody to wait',
  replace: 'Putting it in place',
}

const works: Readonly<Record<ArchiveJob['operation'], string>> = {
  create: 'A backup is being made',
  scheduled: 'A backup is being made',
  inspect: 'A backup is being read',
  verify: 'A backup is being checked',
  restore: 'A backup is being put back',
}

export interface ArchiveJobControl {
  /** What the server is doing with backups; null for nothing. */
  readonly work: ArchiveJob | null
  /** Asks it to stop. */
  stop(): Promise<void>
}

const RECONNECT_MS = 3000

/** What the server is doing with backups, as it goes. `onEnd` runs whenever it has come to rest. */
export function useArchiveJob(onEnd: () => void): ArchiveJobControl {
  const { client, session, toasts } = useApp()
  const [work, setWork] = useState<ArchiveJob | null>(null)
  const onEndRef = useRef(onEnd)
  onEndRef.current = onEnd

  useEffect(() => {
    let stream: EventSource | undefined
    let timer: ReturnType<typeof setTimeout> | undefined
    let known = false
    let left = false

    const listen = () => {
      if (left) return
      const own = new EventSource('/api/v1/backup/events')
      stream = own
      own.addEventListener('work', ({ data }: MessageEvent<string>) => {
        const now = JSON.parse(data) as ArchiveJob | null
        setWork(now)
        // When the connection was away there may have been some, and it is over.
        if (now === null && known) onEndRef.current()
        known = true
      })
      // A connection that only ended is made anew by the browser; one that was refused is not.
      own.addEventListener('error', () => {
        if (own.readyState === EventSource.CLOSED) timer = setTimeout(reconnect, RECONNECT_MS)
      })
    }
    /** Who may not listen any more is shown the door by this, and this page goes; else the server was only away. */
    const reconnect = () => {
      session.refresh().then(listen, () => {
        if (!left) timer = setTimeout(reconnect, RECONNECT_MS)
      })
    }
    listen()
    return () => {
      left = true
      clearTimeout(timer)
      stream?.close()
    }
  }, [session])

  const stop = async () => {
    try {
      const { cancelled } = await client.send<{ cancelled: boolean }>({ method: 'POST', path: '/backup/cancel' })
      if (!cancelled) toasts.say('It cannot be stopped any more. It will be over soon.')
    } catch (error) {
      toasts.fail(messageOf(error))
    }
  }
  return { work, stop }
}

/** Says why archive work did not come to its end; that somebody stopped it is no failure. */
export function reportFailure(toasts: Toasts, error: unknown): void {
  if (isCancelled(error)) toasts.say('Stopped. Nothing was changed.')
  else toasts.fail(messageOf(error))
}

export const isCancelled = (error: unknown): boolean => error instanceof CallError && error.code === 'cancelled'

/** How far the server is, with a way to stop it while that is safe. `brief`: what it is about stands beside it. */
export function ArchiveJobProgress({
  job: { work, stop },
  brief,
}: {
  job: ArchiveJobControl
  brief?: boolean
}): JSX.Element {
  const [stopping, setStopping] = useState(false)
  const phase = work?.phase ?? 'starting'
  const step = phases[phase] ?? capitalize(phase)
  const said = work && !brief ? `${works[work.operation]}. ${step}` : step
  // From the moment at which everybody is asked to wait it takes less than a second, and the answer would come too late.
  const stoppable = work?.cancellable && work.phase !== 'hold'
  const press = async () => {
    setStopping(true)
    await stop()
    setStopping(false)
  }
  return (
    <div class="work">
      <Progress said={said} part={work && work.total > 0 ? work.done / work.total : null} />
      {stoppable && (
        <Button variant="quiet" busy={stopping} onClick={() => void press()}>
          Stop
        </Button>
      )}
    </div>
  )
}
