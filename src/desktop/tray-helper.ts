import { type ChildProcess, spawn } from 'node:child_process'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'

// The helper of systray2: a program that shows an icon with a menu and speaks lines of JSON. The package's own wrapper looks
// for it in the current folder first and waits for ever where it ends early, so that it is spoken to directly.

export interface TrayItem {
  /** From 1 on, as long as the menu is there. */
  readonly id: number
  readonly title: string
  readonly enabled: boolean
  /** Null for what is no switch. */
  readonly checked: boolean | null
  readonly hidden: boolean
}

export interface TrayPicture {
  /** A PNG, on Windows an ICO. */
  readonly icon: Buffer
  readonly tooltip: string
}

export interface TrayHelper {
  show(picture: TrayPicture): void
  update(item: TrayItem): void
  /** Settles when it is gone, with why, for the log. */
  readonly ended: Promise<string>
  /** Takes the icon away. */
  stop(): Promise<void>
}

interface Parts {
  /** Absolute; it was verified. */
  readonly file: string
  readonly platform: NodeJS.Platform
  readonly picture: TrayPicture
  /** In their order; null draws a line. */
  readonly items: readonly (TrayItem | null)[]
  onClick(id: number): void
  /** How long it may take until it is there, in milliseconds. */
  readonly readyMs?: number
}

const lineIdsFrom = 1000

/** Shows the icon. @throws Error, with why in words, where it cannot be shown. */
export async function startTrayHelper(parts: Parts): Promise<TrayHelper> {
  const { file, platform, picture, items, onClick, readyMs = 10_000 } = parts
  // Panels on Linux show what it calls itself.
  const child = spawn(file, [], { argv0: 'Talekeeper', cwd: path.dirname(file), windowsHide: true, stdio: 'pipe' })
  const ended = endOf(child)
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on('error', () => {})
  const send = (message: object): void => void child.stdin.write(`${JSON.stringify(message)}\n`)
  const menu = ({ icon, tooltip }: TrayPicture, shown: readonly object[]): object => ({
    icon: icon.toString('base64'),
    // Beside the icon, not in its tooltip.
    title: '',
    tooltip,
    items: shown,
    // macOS draws it in the colour of its menu bar.
    isTemplateIcon: platform === 'darwin',
  })
  const itemOf = ({ id, title, enabled, checked, hidden }: TrayItem): object => ({
    // Menus on Linux have no switches.
    title: platform === 'linux' && checked ? `✓ ${title}` : title,
    tooltip: '',
    enabled,
    checked: checked ?? false,
    hidden,
    __id: id,
  })
  const shown = items.map((item, at) =>
    item === null
      ? { title: '<SEPARATOR>', tooltip: '', enabled: true, checked: false, hidden: false, __id: lineIdsFrom + at }
      : itemOf(item),
  )
  const ready = new Promise<void>((resolve) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const message = parsed(line)
      if (message?.type === 'ready') {
        send(menu(picture, shown))
        resolve()
      }
      if (message?.type === 'clicked' && typeof message.__id === 'number') onClick(message.__id)
    })
  })
  const wait = new AbortController()
  const outcome = await Promise.race([
    ready.then(() => null),
    ended,
    delay(readyMs, 'it did not answer in time', { signal: wait.signal }).catch(() => ''),
  ])
  wait.abort()
  if (outcome !== null) {
    child.kill()
    throw new Error(outcome)
  }
  return {
    show: (next) => send({ type: 'update-menu', menu: menu(next, []) }),
    update: (item) => send({ type: 'update-item', item: itemOf(item), seq_id: -1 }),
    ended,
    async stop() {
      child.stdin.end()
      const killed = new AbortController()
      const late = delay(1000, undefined, { signal: killed.signal, ref: false }).catch(() => {})
      await Promise.race([ended, late])
      killed.abort()
      child.kill('SIGKILL')
    },
  }
}

function parsed(line: string): { readonly type?: unknown; readonly __id?: unknown } | null {
  try {
    return JSON.parse(line)
  } catch {
    return null
  }
}

/** The last thing that it said counts: a library that is missing, a screen that cannot be used. */
function endOf(child: ChildProcess): Promise<string> {
  let said = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    said = `${said}${chunk.toString()}`.slice(-2000)
  })
  return new Promise((resolve) => {
    child.once('error', (error: NodeJS.ErrnoException) => resolve(`it cannot be started (${error.code})`))
    child.once('close', (code, signal) => {
      const last = said.trim().split('\n').at(-1) ?? ''
      resolve(`it ended with ${code ?? signal}${last === '' ? '' : `: ${last.slice(0, 300)}`}`)
    })
  })
}
