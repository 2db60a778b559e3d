import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fail } from '../kernel/errors.ts'

/** Whether this program starts when its person signs in. The system keeps that; nothing of it is remembered here. */
export interface Autostart {
  isOn(): Promise<boolean>
  /** @throws unavailable, with what is in the way. */
  set(on: boolean): Promise<void>
}

export interface AutostartFacts {
  readonly platform: NodeJS.Platform
  /** Null where Node runs the program from its sources: nothing that a system could start. */
  readonly executable: string | null
  /** DATA_DIR, where it was set: the start at login has to have it too. */
  readonly dataDir: string | null
  /** XDG_CONFIG_HOME. */
  readonly configHome: string
  readonly home: string
}

/** Null where it cannot be switched from here. */
export function createAutostart(facts: AutostartFacts): Autostart | null {
  const { platform, executable, dataDir } = facts
  if (executable === null) return null
  switch (platform) {
    case 'linux':
      return fileAutostart(path.join(facts.configHome, 'autostart', 'talekeeper.desktop'), {
        content: desktopEntry(executable, dataDir),
        isOff: (text) => /^\s*(Hidden\s*=\s*true|X-GNOME-Autostart-enabled\s*=\s*false)\s*$/m.test(text),
      })
    case 'darwin':
      return fileAutostart(path.join(facts.home, 'Library', 'LaunchAgents', 'org.talekeeper.Talekeeper.plist'), {
        content: launchAgent(executable, dataDir),
        isOff: (text) => /<key>Disabled<\/key>\s*<true\/>/.test(text),
      })
    case 'win32':
      // A line of the registry has no environment of its own.
      return dataDir === null ? registryAutostart(executable) : null
    default:
      return null
  }
}

interface StartFile {
  readonly content: string
  /** The system's own settings turn such a file off without removing it. */
  isOff(text: string): boolean
}

function fileAutostart(file: string, { content, isOff }: StartFile): Autostart {
  return {
    async isOn() {
      try {
        return !isOff(readFileSync(file, 'utf8'))
      } catch {
        return false
      }
    },
    async set(on) {
      try {
        if (!on) return rmSync(file, { force: true })
        mkdirSync(path.dirname(file), { recursive: true })
        writeFileSync(`${file}.new`, content)
        renameSync(`${file}.new`, file)
      } catch (error) {
        const code = (error as NodeJS.ErrnoException).code ?? 'unknown error'
        throw fail('unavailable', `What starts at login stands in ${file}, which cannot be written (${code}).`, {
          cause: error,
        })
      }
    },
  }
}

/** XDG Autostart Specification, and the quoting of the Desktop Entry Specification, "The Exec key". */
function desktopEntry(executable: string, dataDir: string | null): string {
  const quoted = (text: string): string => `"${text.replaceAll(/["`$\\]/g, '\\$&').replaceAll('%', '%%')}"`
  const command = [
    ...(dataDir === null ? [] : ['env', quoted(`DATA_DIR=${dataDir}`)]),
    quoted(executable),
    '--hidden',
  ].join(' ')
  return [
    '[Desktop Entry]',
    'Type=Application',
    'Name=Talekeeper',
    'Comment=Keep a tabletop role-playing campaign on your own machine',
    // A backslash is doubled once more, as in every string of such a file.
    `Exec=${command.replaceAll('\\', '\\\\')}`,
    'Icon=talekeeper',
    'Terminal=false',
    'X-GNOME-Autostart-enabled=true',
    '',
  ].join('\n')
}

function launchAgent(executable: string, dataDir: string | null): string {
  const escaped = (text: string): string =>
    text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  const environment =
    dataDir === null
      ? []
      : ['\t<key>EnvironmentVariables</key>', `\t<dict><key>DATA_DIR</key><string>${escaped(dataDir)}</string></dict>`]
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">',
    '<plist version="1.0">',
    '<dict>',
    '\t<key>Label</key>',
    '\t<string>org.talekeeper.Talekeeper</string>',
    '\t<key>ProgramArguments</key>',
    `\t<array><string>${escaped(executable)}</string><string>--hidden</string></array>`,
    ...environment,
    '\t<key>RunAtLoad</key>',
    '\t<true/>',
    '\t<key>ProcessType</key>',
    '\t<string>Interactive</string>',
    '</dict>',
    '</plist>',
    '',
  ].join('\n')
}

const runKey = 'HKCU\\Software\\Microsoft\\Windows\\CurrentVersion\\Run'
/** What the Task Manager turns off stands here, with an odd first byte. */
const approvedKey = 'HKCU\\Software\\Microsoft\\Windows\\CurrentVersion\\Explorer\\StartupApproved\\Run'
const valueName = 'Talekeeper'

/** The same value that the set-up for Windows writes. */
function registryAutostart(executable: string): Autostart {
  return {
    async isOn() {
      if ((await registry('query', runKey, '/v', valueName)) === null) return false
      const approved = await registry('query', approvedKey, '/v', valueName)
      return !isTurnedOff(approved)
    },
    async set(on) {
      const done = on
        ? await registry('add', runKey, '/v', valueName, '/t', 'REG_SZ', '/d', `"${executable}" --hidden`, '/f')
        : await registry('delete', runKey, '/v', valueName, '/f')
      if (done === null && on !== (await this.isOn()))
        throw fail('unavailable', 'Windows did not take the entry for the start at login.')
      if (on) await registry('delete', approvedKey, '/v', valueName, '/f')
    },
  }
}

/** Whether the answer of `reg query` says that the Task Manager turned an entry off. */
export function isTurnedOff(answer: string | null): boolean {
  const [, first = ''] = /REG_BINARY\s+([0-9A-F]{2})/i.exec(answer ?? '') ?? []
  return first !== '' && Number.parseInt(first, 16) % 2 === 1
}

/** What `reg.exe` says; null where it failed. */
function registry(...args: readonly string[]): Promise<string | null> {
  return new Promise((resolve) => {
    execFile('reg.exe', args, { windowsHide: true, timeout: 10_000 }, (error, output) =>
      resolve(error === null ? output : null),
    )
  })
}
