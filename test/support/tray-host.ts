import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { accessSync, constants, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

// A desktop with a panel, on a screen that nobody sees: Xvfb, a session bus, and the panel of Xfce, which shows what programs
// announce over D-Bus as status notifier items, the way most desktops on Linux do.

const needed = ['Xvfb', 'dbus-daemon', 'xfce4-panel', 'busctl', 'scrot'] as const
const folders = ['/usr/bin', '/usr/sbin', '/bin']

/** Whether a panel can be had here. In CI a missing program is a failure, elsewhere a reason to skip. */
export function canHaveTray(): boolean {
  const library = '/usr/lib/x86_64-linux-gnu/libayatana-appindicator3.so.1'
  const missing = [
    ...needed.filter((name) => !folders.some((folder) => isProgram(path.join(folder, name)))),
    ...(existsSync(library) ? [] : ['libayatana-appindicator3']),
  ]
  if (missing.length === 0) return true
  if (process.env.CI === 'true') throw new Error(`${missing.join(', ')} missing; .ci/run installs that`)
  console.warn(`skipped: no tray without ${missing.join(', ')} (Debian: apt-get install xvfb xfce4-panel scrot …)`)
  return false
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

export interface TrayEntryShown {
  readonly id: number
  readonly label: string
  readonly enabled: boolean
}

/** An icon in the panel, as the panel finds it. */
export interface ShownIcon {
  readonly owner: string
  readonly object: string
}

export interface TrayHost {
  /** For programs that are to be on this desktop. */
  readonly env: Readonly<Record<string, string>>
  /** Waits until the panel shows one icon. */
  icon(): Promise<ShownIcon>
  icons(): Promise<readonly ShownIcon[]>
  /** The entries that can be seen, without lines. */
  menu(): Promise<readonly TrayEntryShown[]>
  /** A click on the entry whose label fits, as the panel sends it. */
  click(label: string | RegExp): Promise<void>
  /** What the panel calls the program. */
  title(): Promise<string>
  /** The PNG that the panel shows now. */
  picture(): Promise<Buffer>
  /** A picture of the whole screen. */
  screenshot(file: string): Promise<void>
  endPanel(): Promise<void>
  startPanel(): Promise<void>
  endScreen(): Promise<void>
  stop(): Promise<void>
}

const panelSettings = `<?xml version="1.0" encoding="UTF-8"?>
<channel name="xfce4-panel" version="1.0">
  <property name="configver" type="int" value="2"/>
  <property name="panels" type="array">
    <value type="int" value="1"/>
    <property name="panel-1" type="empty">
      <property name="position" type="string" value="p=6;x=0;y=0"/>
      <property name="length" type="uint" value="100"/>
      <property name="position-locked" type="bool" value="true"/>
      <property name="size" type="uint" value="40"/>
      <property name="plugin-ids" type="array"><value type="int" value="1"/></property>
    </property>
  </property>
  <property name="plugins" type="empty">
    <property name="plugin-1" type="string" value="systray"><property name="square-icons" type="bool" value="true"/></property>
  </property>
</channel>
`

const watcher = ['org.kde.StatusNotifierWatcher', '/StatusNotifierWatcher', 'org.kde.StatusNotifierWatcher'] as const

/** Starts a desktop whose files are in `folder`. */
export async function startTrayHost(folder: string): Promise<TrayHost> {
  const [home, runtime] = [path.join(folder, 'home'), path.join(folder, 'runtime')]
  const settings = path.join(home, '.config', 'xfce4', 'xfconf', 'xfce-perchannel-xml')
  mkdirSync(settings, { recursive: true })
  mkdirSync(runtime, { mode: 0o700 })
  writeFileSync(path.join(settings, 'xfce4-panel.xml'), panelSettings)
  const children: ChildProcess[] = []
  const env: Record<string, string> = { HOME: home, XDG_RUNTIME_DIR: runtime, PATH: folders.join(':'), LANG: 'C.UTF-8' }
  const start = (program: string, args: readonly string[], stdio: 'ignore' | 'pipe' = 'ignore'): ChildProcess => {
    const child = spawn(program, args, { env, stdio: ['ignore', stdio, 'ignore'] })
    children.push(child)
    return child
  }
  const screen = start('Xvfb', ['-displayfd', '1', '-screen', '0', '900x500x24', '-nolisten', 'tcp'], 'pipe')
  env.DISPLAY = `:${await firstLine(screen)}`
  const bus = start('dbus-daemon', ['--session', '--nofork', '--print-address'], 'pipe')
  env.DBUS_SESSION_BUS_ADDRESS = await firstLine(bus)

  // biome-ignore lint/suspicious/noExplicitAny: what comes over the bus has every shape
  const call = async (...args: readonly string[]): Promise<any> => {
    const address = `--address=${env.DBUS_SESSION_BUS_ADDRESS}`
    const output = await run('busctl', [address, '--json=short', '--timeout=5', ...args], env)
    return output.trim() === '' ? null : JSON.parse(output)
  }
  const icons = async (): Promise<readonly ShownIcon[]> => {
    const answer = await call('get-property', ...watcher, 'RegisteredStatusNotifierItems').catch(() => null)
    return ((answer?.data ?? []) as readonly string[]).map((each) => {
      const at = each.indexOf('/')
      return { owner: each.slice(0, at), object: each.slice(at) }
    })
  }
  const icon = async (): Promise<ShownIcon> => {
    const deadline = Date.now() + 120_000
    for (;;) {
      const [found] = await icons()
      if (found !== undefined) return found
      if (Date.now() > deadline) throw new Error('no icon came into the tray')
      await delay(100)
    }
  }
  let panel: ChildProcess
  const startPanel = async (): Promise<void> => {
    panel = start('xfce4-panel', ['--disable-wm-check'])
    const deadline = Date.now() + 120_000
    while ((await call('get-property', ...watcher, 'IsStatusNotifierHostRegistered').catch(() => null)) === null) {
      if (Date.now() > deadline) throw new Error('the panel did not start')
      await delay(100)
    }
  }
  const menu = async (): Promise<readonly TrayEntryShown[]> => {
    const { owner, object } = await icon()
    const where = [owner, `${object}/Menu`, 'com.canonical.dbusmenu'] as const
    const layout = await call('call', ...where, 'GetLayout', 'iias', '--', '0', '-1', '0')
    return entriesOf(layout.data[1])
  }
  const property = async (name: string): Promise<string> => {
    const { owner, object } = await icon()
    return (await call('get-property', owner, object, 'org.kde.StatusNotifierItem', name)).data
  }
  await startPanel()
  return {
    env,
    icon,
    icons,
    menu,
    async click(label) {
      const found = (await menu()).find((each) =>
        typeof label === 'string' ? each.label === label : label.test(each.label),
      )
      if (found === undefined) throw new Error(`the tray has no entry ${label}`)
      const { owner, object } = await icon()
      const where = [owner, `${object}/Menu`, 'com.canonical.dbusmenu'] as const
      await call('call', ...where, 'Event', 'isvu', String(found.id), 'clicked', 's', '', '0')
    },
    title: () => property('Title'),
    picture: async () => readFileSync(await property('IconName')),
    screenshot: async (file) => void (await run('scrot', ['-o', file], env)),
    async endPanel() {
      await end(panel)
      // It leaves a process for each of its plugins.
      while ((await icons()).length > 0) await delay(100)
    },
    startPanel,
    endScreen: () => end(screen),
    async stop() {
      for (const child of children.toReversed()) await end(child)
    },
  }
}

// biome-ignore lint/suspicious/noExplicitAny: see above
function entriesOf([id, properties, children]: any): readonly TrayEntryShown[] {
  const { label, enabled, visible, type } = properties
  const own =
    label === undefined || visible?.data === false || type?.data === 'separator'
      ? []
      : [{ id, label: label.data as string, enabled: enabled?.data !== false }]
  // biome-ignore lint/suspicious/noExplicitAny: see above
  return [...own, ...children.flatMap((child: any) => entriesOf(child.data))]
}

function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    child.stdout?.once('data', (chunk: Buffer) => resolve(chunk.toString().trim()))
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`${child.spawnfile} ended with ${code}`)))
  })
}

function run(program: string, args: readonly string[], env: Readonly<Record<string, string>>): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(program, args, { env }, (error, output) => (error === null ? resolve(output) : reject(error)))
  })
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  const late = setTimeout(() => child.kill('SIGKILL'), 5000)
  await ended
  clearTimeout(late)
}
