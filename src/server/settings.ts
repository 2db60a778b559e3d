import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs'
import path from 'node:path'
import { fail } from '../kernel/errors.ts'
import {
  type SettingChanges,
  type SettingFacts,
  type SettingName,
  type SettingSource,
  type SettingStates,
  type Settings,
  type SettingValues,
  settingNames,
  settingTable,
} from '../kernel/settings.ts'

/** What the settings file holds. */
export interface SettingsFile {
  readonly chosen: Partial<SettingValues>
  /** Members that this version does not know: a newer one may have written them. They stay. */
  readonly unknown: Readonly<Record<string, unknown>>
  /** What cannot be used of it, as sentences. The rest of it counts all the same. */
  readonly problems: readonly string[]
  /** Something in it would be lost by writing it anew. */
  readonly isBroken: boolean
}

export const settingsFileName = 'settings.json'

/** Reads what people chose. Whatever is wrong with the file is said and left aside; it never throws. */
export function readSettingsFile(dataDir: string): SettingsFile {
  const file = path.join(dataDir, settingsFileName)
  const nothing = { chosen: {}, unknown: {}, problems: [], isBroken: false }
  if (!existsSync(file)) return nothing
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    return { ...nothing, problems: [`${file} cannot be read (${code}): ${standards}`], isBroken: true }
  }
  let content: unknown
  try {
    content = JSON.parse(text)
  } catch {
    content = undefined
  }
  if (typeof content !== 'object' || content === null || Array.isArray(content))
    return { ...nothing, problems: [`${file} is not valid JSON: ${standards}`], isBroken: true }
  return judge(file, content as Readonly<Record<string, unknown>>)
}

const standards = 'the standard settings count. Choose anew in the app; the broken file is kept beside the new one.'

function judge(file: string, content: Readonly<Record<string, unknown>>): SettingsFile {
  const chosen: Record<string, unknown> = {}
  const unknown: Record<string, unknown> = {}
  const problems: string[] = []
  let isBroken = false
  for (const [name, value] of Object.entries(content)) {
    if (!isSettingName(name)) {
      unknown[name] = value
      problems.push(`${file} has a setting "${name}", which this version does not know. It is left as it is.`)
      continue
    }
    const judged = settingTable[name].chosen.safeParse(value)
    if (judged.success) chosen[name] = judged.data
    else {
      isBroken = true
      const why = judged.error.issues.map(({ message }) => message).join('; ')
      problems.push(`${file}: ${name} cannot be used (${why}). The standard counts until it is chosen anew in the app.`)
    }
  }
  return { chosen: chosen as Partial<SettingValues>, unknown, problems, isBroken }
}

function isSettingName(name: string): name is SettingName {
  return Object.hasOwn(settingTable, name)
}

/** The values in force: the environment's, else the chosen ones, else the standard ones. */
export function settingStates(
  given: Partial<SettingValues>,
  chosen: Partial<SettingValues>,
  facts: SettingFacts,
): SettingStates {
  const states = settingNames.map((name) => {
    const { variable, standard } = settingTable[name]
    const found: readonly [SettingSource, unknown] =
      given[name] !== undefined
        ? ['environment', given[name]]
        : chosen[name] !== undefined
          ? ['chosen', chosen[name]]
          : ['standard', standard(facts)]
    return [name, { value: found[1], source: found[0], variable }]
  })
  return Object.fromEntries(states) as SettingStates
}

export function valuesOf(states: SettingStates): SettingValues {
  return Object.fromEntries(settingNames.map((name) => [name, states[name].value])) as SettingValues
}

export interface SettingsParts {
  readonly dataDir: string
  /** What the environment says. */
  readonly given: Partial<SettingValues>
  readonly facts: SettingFacts
  /** As it was read at the start. */
  readonly file: SettingsFile
  readonly clock: () => Date
  /** A listener failed. */
  readonly onError: (error: unknown) => void
}

/** The settings of the running server, kept in `settings.json` of the data folder. */
export function createSettings({ dataDir, given, facts, file: atStart, clock, onError }: SettingsParts): Settings {
  const listeners = new Set<(now: SettingValues, before: SettingValues) => void>()
  let known = atStart
  const states = (): SettingStates => settingStates(given, known.chosen, facts)
  const get = (): SettingValues => valuesOf(states())

  return {
    get,
    states,
    problems: () => known.problems,
    change(changes) {
      refuseGiven(given, changes)
      const before = get()
      // What somebody wrote there by hand meanwhile is kept, and counts from now on.
      const found = readSettingsFile(dataDir)
      const next: Record<string, unknown> = { ...found.chosen }
      for (const [name, value] of Object.entries(changes)) {
        if (value === null) delete next[name]
        else if (value !== undefined) next[name] = value
      }
      writeSettings(dataDir, { ...found.unknown, ...next }, found.isBroken ? clock() : null)
      known = readSettingsFile(dataDir)
      const now = get()
      for (const listener of Array.from(listeners)) {
        setImmediate(() => {
          try {
            listener(now, before)
          } catch (error) {
            onError(error)
          }
        })
      }
      return now
    },
    watch(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

/** Where the usual port was taken, the one that was found instead is the usual one from now on: people have its address. */
export function rememberPort(
  settings: Settings,
  address: string,
  log: { warn(facts: object, message: string): void },
): void {
  const port = Number(new URL(address).port)
  if (port === settings.get().port) return
  try {
    settings.change({ port })
  } catch (error) {
    log.warn({ err: error }, 'The port could not be written down: the next start may have another address.')
  }
}

function refuseGiven(given: Partial<SettingValues>, changes: SettingChanges): void {
  for (const name of settingNames) {
    if (changes[name] === undefined || given[name] === undefined) continue
    const { text, variable } = settingTable[name]
    throw fail(
      'invalid_state',
      `"${text}" is said by the environment variable ${variable}, which wins over the app. Take it away there and start anew to choose here.`,
    )
  }
}

/**
 * Whole or not at all, also in a power cut. `brokenAt` is when a file was found from which something would be lost: it is
 * kept under a name of its own. Throws unavailable, with why.
 */
function writeSettings(dataDir: string, content: object, brokenAt: Date | null): void {
  const file = path.join(dataDir, settingsFileName)
  const temporary = `${file}.new`
  try {
    rmSync(temporary, { recursive: true, force: true })
    const descriptor = openSync(temporary, 'wx', 0o600)
    try {
      writeSync(descriptor, `${JSON.stringify(content, null, 2)}\n`)
      fsyncSync(descriptor)
    } finally {
      closeSync(descriptor)
    }
    if (brokenAt !== null) renameSync(file, brokenName(file, brokenAt))
    renameSync(temporary, file)
    syncFolder(dataDir)
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error'
    const why = code === 'ENOSPC' || code === 'EDQUOT' ? 'the disk is full. Make room on it' : `${code}. See to it`
    throw fail('unavailable', `The settings file ${file} cannot be written: ${why}, then try again.`, { cause: error })
  }
}

function brokenName(file: string, at: Date): string {
  return file.replace(/json$/, `broken-${at.toISOString().replaceAll(/[-:]|\.\d+/g, '')}.json`)
}

/** Windows has no such thing. */
function syncFolder(folder: string): void {
  if (process.platform === 'win32') return
  const descriptor = openSync(folder, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
