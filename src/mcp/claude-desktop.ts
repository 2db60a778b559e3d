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
import { type Edit, modify } from 'jsonc-parser'
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
  const edit = editFor(file, before, entry)
  const gone = edit === null ? '' : before.slice(edit.offset, edit.offset + edit.length)
  return {
    file,
    removed: linesOf(gone),
    added: linesOf(edit?.content ?? ''),
    isDone: edit === null,
    fingerprint: createHash('sha256').update(before).digest('hex'),
  }
}

/**
 * Writes our entry, and nothing else. What was there is copied beside it first. Returns the copy's path, or null where there
 * was nothing.
 * @throws invalid_state as `planClaudeEntry`, and where the file has changed since; unavailable where it cannot be written.
 */
export function writeClaudeEntry(file: string, entry: ClaudeEntry, fingerprint: string, now: Date): string | null {
  const before = read(file)
  const edit = editFor(file, before, entry)
  if (createHash('sha256').update(before).digest('hex') !== fingerprint)
    throw fail('invalid_state', `${file} has changed since the difference was shown. Look at it again.`)
  if (edit === null) return null
  const after = before.slice(0, edit.offset) + edit.content + before.slice(edit.offset + edit.length)
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

/**
 * What has to be put where; null where it says so already. The text is edited and not written anew, so that what others have
 * in it stays to the letter, and is in no difference that is shown.
 */
function editFor(file: string, before: string, entry: ClaudeEntry): Edit | null {
  if (before.trim() === '') {
    const content = `${JSON.stringify({ mcpServers: { [serverName]: entry } }, null, 2)}\n`
    return { offset: 0, length: before.length, content }
  }
  const { mcpServers } = parsed(file, before)
  if (JSON.stringify(mcpServers?.[serverName]) === JSON.stringify(entry)) return null
  const mark = before.startsWith('\uFEFF') ? 1 : 0
  const text = before.slice(mark)
  const [edit] = modify(text, ['mcpServers', serverName], entry, {})
  if (edit === undefined) return null
  return { ...edit, offset: edit.offset + mark, content: asWritten(edit, text, mcpServers, entry) }
}

/** The inserted text with lines and indents as the rest of the file has them; as it is in a file of one line. */
function asWritten(edit: Edit, text: string, servers: ClaudeConfig['mcpServers'], entry: ClaudeEntry): string {
  if (!text.trim().includes('\n')) return edit.content
  const eol = text.includes('\r\n') ? '\r\n' : '\n'
  const indent = /^[ \t]+(?=")/m.exec(text)?.[0] ?? '  '
  const pretty = (value: unknown, depth: number): string =>
    JSON.stringify(value, null, indent).replaceAll('\n', eol + indent.repeat(depth))
  if (edit.length > 0) return pretty(entry, 2)
  const depth = servers === undefined ? 1 : 2
  const [name, value] = servers === undefined ? ['mcpServers', { [serverName]: entry }] : [serverName, entry]
  const line = `${eol}${indent.repeat(depth)}"${name}": ${pretty(value, depth)}`
  // Behind others there is a line end already, before the bracket.
  return edit.content.startsWith(',') ? `,${line}` : `${line}${eol}${indent.repeat(depth - 1)}`
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

function linesOf(text: string): readonly string[] {
  return text.split(/\r?\n/).filter((line) => line.trim() !== '' && line.trim() !== ',')
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
