import * as z from 'zod'

// What people choose for a server, declared once: what the settings file may hold, which environment variable wins over it,
// and what the app says. config.ts reads it at the start, server/settings.ts keeps it, domain/server changes it.

/** `1`, `true`, `0` or `false` in an environment variable. */
export const flagText = z.enum(['0', '1', 'true', 'false']).transform((value) => value === '1' || value === 'true')

/** A whole number in an environment variable. */
export const numberText = (least: number, most: number) =>
  z
    .string()
    .regex(/^[0-9]{1,15}$/, 'a whole number')
    .transform(Number)
    .pipe(z.number().min(least).max(most))

/** Whether only this machine reaches a server that listens there. */
export function isLoopbackHost(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.')
}

/** What a setting's value depends on where nobody chose one. */
export interface SettingFacts {
  /** The data folder is the volume of a container, which only its port mapping opens. */
  readonly isContainer: boolean
  readonly backupDir: string
}

interface Setting<V extends string, T> {
  /** The environment variable that wins over what was chosen. */
  readonly variable: V
  /** That variable's text -> value. */
  readonly given: z.ZodType<T>
  /** What may be chosen. */
  readonly chosen: z.ZodType<T>
  /** Where nobody chose and the environment is silent. */
  readonly standard: (facts: SettingFacts) => T
  /** For people. */
  readonly text: string
  /** False for what the program remembers by itself, or takes up at its next start only. */
  readonly inApp: boolean
}

const setting = <const V extends string, T>(declared: Setting<V, T>): Setting<V, T> => declared

const bytes = Number.MAX_SAFE_INTEGER

export const settingTable = {
  lan: setting<'HOST', boolean>({
    variable: 'HOST',
    given: z
      .string()
      .min(1)
      .transform((host) => !isLoopbackHost(host)),
    chosen: z.boolean(),
    standard: ({ isContainer }) => isContainer,
    text: 'Phones on this network may come in',
    inApp: true,
  }),
  port: setting<'PORT', number>({
    variable: 'PORT',
    given: numberText(0, 65_535),
    chosen: z.int().min(1).max(65_535),
    standard: () => 8020,
    text: 'The port on which it listens',
    inApp: false,
  }),
  scheduledBackups: setting<'BACKUP_SCHEDULE_ENABLED', boolean>({
    variable: 'BACKUP_SCHEDULE_ENABLED',
    given: flagText,
    chosen: z.boolean(),
    standard: () => false,
    text: 'Backups are made by themselves',
    inApp: true,
  }),
  backupIntervalHours: setting<'BACKUP_INTERVAL_HOURS', number>({
    variable: 'BACKUP_INTERVAL_HOURS',
    given: numberText(1, 8760),
    chosen: z.int().min(1).max(8760),
    standard: () => 24,
    text: 'Hours from one backup to the next',
    inApp: true,
  }),
  backupKeepCount: setting<'BACKUP_KEEP_COUNT', number>({
    variable: 'BACKUP_KEEP_COUNT',
    given: numberText(0, 100_000),
    chosen: z.int().min(0).max(100_000),
    standard: () => 14,
    text: 'How many backups are kept; 0 is no bound',
    inApp: true,
  }),
  backupKeepDays: setting<'BACKUP_KEEP_DAYS', number>({
    variable: 'BACKUP_KEEP_DAYS',
    given: numberText(0, 100_000),
    chosen: z.int().min(0).max(100_000),
    standard: () => 30,
    text: 'For how many days backups are kept; 0 is no bound',
    inApp: true,
  }),
  backupDir: setting<'BACKUP_DIR', string>({
    variable: 'BACKUP_DIR',
    given: z.string().min(1),
    chosen: z
      .string()
      .max(4000)
      .regex(/^(\/|[A-Za-z]:[\\/]|\\\\)/, 'a whole path, from the root of the disk on'),
    standard: ({ backupDir }) => backupDir,
    text: 'The folder in which backups are kept',
    inApp: true,
  }),
  uploadMaxTotalBytes: setting<'UPLOAD_MAX_TOTAL_BYTES', number | null>({
    variable: 'UPLOAD_MAX_TOTAL_BYTES',
    given: numberText(0, bytes),
    chosen: z.int().min(0).nullable(),
    standard: () => null,
    text: 'Most bytes of all uploaded images together',
    inApp: false,
  }),
} as const

type Table = typeof settingTable
export type SettingName = keyof Table
export type SettingValues = { readonly [N in SettingName]: z.output<Table[N]['chosen']> }

export const settingNames = Object.keys(settingTable) as readonly SettingName[]

type GivenShape = { [N in SettingName as Table[N]['variable']]: z.ZodOptional<Table[N]['given']> }

/** Schemas of the environment variables, by their names. */
export const settingVariables = Object.fromEntries(
  Object.values(settingTable).map(({ variable, given }) => [variable, given.optional()]),
) as GivenShape

/** Who says what a setting is. */
export type SettingSource = 'environment' | 'chosen' | 'standard'

/** A setting as it is in force. */
export interface SettingState<T = unknown> {
  readonly value: T
  readonly source: SettingSource
  /** The environment variable that wins over what is chosen in the app. */
  readonly variable: string
}

export type SettingStates = { readonly [N in SettingName]: SettingState<SettingValues[N]> }

/** New values; null takes back what was chosen. */
export type SettingChanges = { readonly [N in SettingName]?: SettingValues[N] | null | undefined }

/** The settings of the running server. */
export interface Settings {
  /** The values in force. */
  get(): SettingValues
  /** The same, and who says so. */
  states(): SettingStates
  /** What is wrong with the settings file, as sentences. */
  problems(): readonly string[]
  /**
   * Chooses. It is on the disk when this returns, and in force at once.
   * @throws invalid_state for what the environment says, naming the variable; unavailable where the file cannot be written.
   */
  change(changes: SettingChanges): SettingValues
  /** Told after each change, outside of whatever made it. Returns how to end it. */
  watch(listener: (now: SettingValues, before: SettingValues) => void): () => void
}
