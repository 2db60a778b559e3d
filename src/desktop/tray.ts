import { startTrayHelper, type TrayHelper, type TrayItem, type TrayPicture } from './tray-helper.ts'
import { type TrayEntry, type TrayState, trayLayout, trayMenu, trayPicture } from './tray-menu.ts'

export interface TrayParts {
  readonly platform: NodeJS.Platform
  /** The verified helper. @throws Error where it is missing or another one. */
  helperFile(): string
  /** A drawing, such as `ok`, as this system's panel wants it. */
  icon(drawing: string): Buffer
  state(): Promise<TrayState>
  readonly actions: Readonly<Record<Exclude<TrayEntry, 'status' | 'lastBackup'>, () => Promise<void> | void>>
  readonly clock: () => Date
  readonly log: { info(facts: object, message: string): void; warn(facts: object, message: string): void }
  /** Waits between tries after the icon went away, in milliseconds; as many tries as there are. */
  readonly againMs?: readonly number[]
  readonly everyMs?: number
}

export interface Tray {
  /** Something has changed: shows it. */
  refresh(): void
  stop(): Promise<void>
}

/** After this long an icon counts as there to stay, and what went wrong before it is forgotten. */
const stableMs = 10 * 60_000

/**
 * Keeps an icon in the tray as long as there is one to be in. Where it cannot be shown, or goes away with its desktop, that is
 * said once in the log and tried again a few times; the server does not mind.
 */
export function startTray(parts: TrayParts): Tray {
  const { platform, actions, clock, log, everyMs = 30_000 } = parts
  const againMs = parts.againMs ?? [5000, 30_000, 120_000, 600_000]
  const idOf = new Map(trayLayout.map((entry, at) => [entry, at + 1]))
  let helper: TrayHelper | undefined
  let shown: readonly (TrayItem | null)[] = []
  let drawn = ''
  let stopped = false
  let failures = 0
  let retry: NodeJS.Timeout | undefined
  let queue: Promise<void> = Promise.resolve()

  const look = async () => {
    const state = await parts.state()
    const menu = trayMenu(state, clock())
    const items = trayLayout.map((entry) => entry && { id: idOf.get(entry) as number, ...menu[entry] })
    return { items, ...trayPicture(state) }
  }
  const pictureOf = ({ drawing, tooltip }: { drawing: string; tooltip: string }): TrayPicture => ({
    icon: parts.icon(drawing),
    tooltip,
  })

  const update = async (): Promise<void> => {
    const current = helper
    if (current === undefined) return
    const next = await look()
    for (const [at, item] of next.items.entries())
      if (item !== null && JSON.stringify(item) !== JSON.stringify(shown[at])) current.update(item)
    shown = next.items
    const picture = `${next.drawing} ${next.tooltip}`
    if (picture !== drawn) current.show(pictureOf(next))
    drawn = picture
  }

  const onClick = (id: number): void => {
    const entry = trayLayout[id - 1]
    if (entry == null || entry === 'status' || entry === 'lastBackup' || stopped) return
    Promise.resolve()
      .then(() => actions[entry]())
      .catch((error: unknown) => log.warn({ err: error, entry }, 'What was chosen in the tray could not be done.'))
      .finally(refresh)
  }

  const start = async (): Promise<void> => {
    if (stopped) return
    const startedAt = Date.now()
    try {
      const now = await look()
      const file = parts.helperFile()
      const started = await startTrayHelper({ file, platform, picture: pictureOf(now), items: now.items, onClick })
      if (stopped) return await started.stop()
      helper = started
      shown = now.items
      drawn = `${now.drawing} ${now.tooltip}`
      log.info({}, 'The icon is in the tray.')
      void started.ended.then((why) => {
        helper = undefined
        if (Date.now() - startedAt > stableMs) failures = 0
        again(why)
      })
    } catch (error) {
      again(error instanceof Error ? error.message : String(error))
    }
  }

  const again = (why: string): void => {
    if (stopped) return
    const wait = againMs[failures]
    failures += 1
    const facts = { reason: why, failures }
    if (wait === undefined) {
      log.warn(facts, 'There is no icon in the tray. All that it does can be done in the app, as its administrator.')
      return
    }
    log.info(facts, 'The icon in the tray is not there. It is tried again.')
    retry = setTimeout(() => void start(), wait).unref()
  }

  const refresh = (): void => {
    queue = queue.then(update).catch((error: unknown) => {
      log.warn({ err: error }, 'The tray could not be brought up to date.')
    })
  }

  const timer = setInterval(refresh, everyMs).unref()
  void start()
  return {
    refresh,
    async stop() {
      await update().catch(() => {})
      stopped = true
      clearInterval(timer)
      clearTimeout(retry)
      await helper?.stop()
    },
  }
}
