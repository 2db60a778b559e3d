import { createHash } from 'node:crypto'
import {
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fchmodSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import path from 'node:path'
import { applyEdits, modify } from 'jsonc-parser'
import { fail } from '../kernel/errors.ts'

export interface ClaudeFacts {
  readonly platform: NodeJS.Platform
  readonly home: string
  readonly env: Readonly<Record<string, string | undefined>>
}

/** How Claude Desktop starts a server: a program that speaks the protocol on its standard input and output. */
export interface ClaudeEntry {
  readonly command: string
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

/** What writing would do to a configuration. Nothing of what others have in it is in here. */
export interface ClaudePlan {
  readonly file: string
  /** Lines that would go, and lines that would come. */
  readonly removed: readonly string[]
  readonly added: readonly string[]
  /** It says all this already. */
  readonly isDone: boolean
  /** Of what the plan was made from: what is written is what was shown. */
  readonly fingerprint: string
}

const configName = 'claude_desktop_config.json'
const serverName = 'talekeeper'

/**
 * Configurations of the Claude Desktops on this machine, whether they are there yet or not. On Windows the packaged one reads
 * its own folder and never the classic one, so that counts where it exists; there can be several.
 */
export function claudeConfigFiles({ platform, home, env }: ClaudeFacts): readonly string[] {
  if (platform === 'win32') {
    const packages = path.join(env.LOCALAPPDATA ?? path.join(home, 'AppData', 'Local'), 'Packages')
    const packaged = foldersIn(packages)
      .filter((name) => name.startsWith('Claude_'))
      .map((name) => path.join(packages, name, 'LocalCache', 'Roaming', 'Claude'))
      .filter((folder) => existsSync(folder))
    const classic = path.join(env.APPDATA ?? path.join(home, 'AppData', 'Roaming'), 'Claude')
    const folders = packaged.length > 0 ? packaged : [classic].filter((folder) => existsSync(folder))
    return folders.map((folder) => path.join(folder, configName))
  }
  const settings = platform === 'darwin' ? path.join(home, 'Library', 'Application Support') : linuxSettings(home, env)
  const folder = path.join(settings, 'Claude')
  return existsSync(folder) ? [path.join(folder, configName)] : []
}

function linuxSettings(home: string, env: ClaudeFacts['env']): string {
  const given = env.XDG_CONFIG_HOME
  return given !== undefined && path.isAbsolute(given) ? given : path.join(home, '.config')
}

function foldersIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/**
 * What would change in a configuration, for people to see before it does.
 * @throws invalid_state for a file that is not JSON, or not of that shape: nothing is done to it.
 */
export function planClaudeEntry(file: string, entry: ClaudeEntry): ClaudePlan {
  const before = read(file)
  const after = withEntry(file, before, entry)
  return {
    file,
    ...differenceOf(before, after),
    isDone: before === after,
    fingerprint: createHash('sha256').update(before).digest('hex'),
  }
}

/**
 * Writes our entry, and nothing else. What was there is copied beside it first. Returns the copy's path, or null where there
 * was nothing.
 * @throws invalid_state as `planClaudeEntry`, and where the file has changed since; unavailable where it cannot be written.
 */
export function writeClaudeEntry(file: string, entry: ClaudeEntry, fingerprint: string, now: Date): string | null {
  const plan = planClaudeEntry(file, entry)
  if (plan.fingerprint !== fingerprint)
    throw fail('invalid_state', `${file} has changed since the difference was shown. Look at it again.`)
  if (plan.isDone) return null
  const after = withEntry(file, read(file), entry)
  try {
    // A link stays one: what it leads to is written.
    const target = existsSync(file) ? realpathSync(file) : file
    const copy = existsSync(target) ? copyAside(target, now) : null
    replace(target, after)
    return copy
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw fail('unavailable', `${file} cannot be written (${code}). It is as it was; see to it, then try again.`, {
      cause: error,
    })
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return ''
    throw fail('unavailable', `${file} cannot be read (${code}). Nothing was changed.`, { cause: error })
  }
}

function withEntry(file: string, before: string, entry: ClaudeEntry): string {
  if (before.trim() === '') return `${JSON.stringify({ mcpServers: { [serverName]: entry } }, null, 2)}\n`
  const content = parsed(file, before)
  if (JSON.stringify(content.mcpServers?.[serverName]) === JSON.stringify(entry)) return before
  // The text is edited and not written anew: what others have in it stays to the letter.
  const mark = before.startsWith('\uFEFF') ? '\uFEFF' : ''
  const text = before.slice(mark.length)
  const indent = /^[ \t]+(?=")/m.exec(text)?.[0] ?? '  '
  const edits = modify(text, ['mcpServers', serverName], entry, {
    formattingOptions: {
      insertSpaces: !indent.startsWith('\t'),
      tabSize: indent.startsWith('\t') ? 1 : indent.length,
      eol: text.includes('\r\n') ? '\r\n' : '\n',
    },
  })
  return mark + applyEdits(text, edits)
}

interface ClaudeConfig {
  readonly mcpServers?: Readonly<Record<string, unknown>>
}

function parsed(file: string, text: string): ClaudeConfig {
  const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value)
  let content: unknown
  try {
    content = JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch {
    // Without the parser's word on it: that quotes the file, which may hold keys for other servers.
    throw fail('invalid_state', `${file} is not valid JSON, so nothing was changed. Mend it, then try again.`)
  }
  const servers = isObject(content) ? (content as { readonly mcpServers?: unknown }).mcpServers : null
  if (!isObject(content) || (servers !== undefined && !isObject(servers)))
    throw fail(
      'invalid_state',
      `${file} is JSON, but not as Claude Desktop writes it: "mcpServers" has to be an object in an object. Nothing was changed.`,
    )
  return content as ClaudeConfig
}

/** The lines between what both texts begin and end with. */
function differenceOf(before: string, after: string): Pick<ClaudePlan, 'removed' | 'added'> {
  const [old, young] = [linesOf(before), linesOf(after)]
  const shorter = Math.min(old.length, young.length)
  let head = 0
  while (head < shorter && old[head] === young[head]) head += 1
  let tail = 0
  while (tail < shorter - head && old.at(-1 - tail) === young.at(-1 - tail)) tail += 1
  return { removed: old.slice(head, old.length - tail), added: young.slice(head, young.length - tail) }
}

function linesOf(text: string): readonly string[] {
  return text === '' ? [] : text.replace(/\r?\n$/, '').split(/\r?\n/)
}

function copyAside(file: string, now: Date): string {
  const copy = file.replace(/\.json$/, `.before-talekeeper-${now.toISOString().replaceAll(/[-:]|\.\d+/g, '')}.json`)
  copyFileSync(file, copy, existsSync(copy) ? 0 : constants.COPYFILE_EXCL)
  return copy
}

/** Whole or not at all, with the rights that it had. */
function replace(file: string, text: string): void {
  const temporary = `${file}.talekeeper-new`
  const mode = existsSync(file) ? statSync(file).mode & 0o777 : 0o600
  rmSync(temporary, { force: true })
  const descriptor = openSync(temporary, 'wx', 0o600)
  try {
    // Whatever the account's habits are.
    fchmodSync(descriptor, mode)
    writeSync(descriptor, text)
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
  renameSync(temporary, file)
}
