import { spawn } from 'node:child_process'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import open from 'open'

/** What the desktop of the person at this machine can do for a program. None of it is promised. */
export interface SystemActions {
  /** A page in the browser, or a folder in the file manager. Rejects where nothing takes it. */
  open(target: string): Promise<void>
  /** Shows where a file lies. */
  reveal(file: string): Promise<void>
  /** Puts a text on the clipboard. Returns whether that went well. */
  copy(text: string): Promise<boolean>
  /** Says something that passes by itself, where the system has such a thing. */
  notify(title: string, text: string): Promise<void>
}

type Command = readonly [program: string, ...args: string[]]

const mostMs = 10_000

export function systemActions(platform: NodeJS.Platform): SystemActions {
  const openIt = async (target: string): Promise<void> => {
    // The package brings a script of its own for Linux, which an executable does not have beside it.
    await open(target, platform === 'linux' ? { app: { name: 'xdg-open' } } : {})
  }
  return {
    open: openIt,
    async reveal(file) {
      const command = revealCommand(platform, file)
      // The file manager of Windows says 1 when all went well.
      if (!(await run(command)) && platform !== 'win32') await openIt(path.dirname(file))
    },
    async copy(text) {
      for (const command of copyCommands(platform)) if (await run(command, text)) return true
      return false
    },
    async notify(title, text) {
      const command = notifyCommand(platform, title, text)
      if (command !== null) await run(command)
    },
  }
}

export function revealCommand(platform: NodeJS.Platform, file: string): Command {
  if (platform === 'win32') return ['explorer.exe', `/select,${file}`]
  if (platform === 'darwin') return ['open', '-R', file]
  const call = ['--session', '--print-reply', '--reply-timeout=5000', '--dest=org.freedesktop.FileManager1']
  const what = ['/org/freedesktop/FileManager1', 'org.freedesktop.FileManager1.ShowItems']
  return ['dbus-send', ...call, ...what, `array:string:${pathToFileURL(file).href.replaceAll(',', '%2C')}`, 'string:']
}

function copyCommands(platform: NodeJS.Platform): readonly Command[] {
  if (platform === 'win32') return [['clip.exe']]
  if (platform === 'darwin') return [['pbcopy']]
  return [['wl-copy'], ['xclip', '-selection', 'clipboard'], ['xsel', '--clipboard', '--input']]
}

function notifyCommand(platform: NodeJS.Platform, title: string, text: string): Command | null {
  if (platform === 'linux') return ['notify-send', '--app-name=Talekeeper', '--icon=talekeeper', '--', title, text]
  if (platform !== 'darwin') return null
  // The words are arguments, not part of the script.
  const script = ['on run words', 'display notification (item 2 of words) with title (item 1 of words)', 'end run']
  return ['osascript', ...script.flatMap((line) => ['-e', line]), title, text]
}

/** Whether the program was there and ended well. What it leaves running, as clipboards do, is not waited for. */
function run([program, ...args]: Command, input = ''): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { timeout: mostMs, windowsHide: true, stdio: ['pipe', 'ignore', 'ignore'] })
    child.once('error', () => resolve(false))
    child.once('exit', (code) => resolve(code === 0))
    child.stdin.on('error', () => {})
    child.stdin.end(input)
  })
}
