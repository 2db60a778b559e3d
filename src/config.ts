import { homedir, hostname, tmpdir } from 'node:os'
import path from 'node:path'
import ipaddr from 'ipaddr.js'
import * as z from 'zod'
import { installDir, isPackaged } from './assets.ts'
import { configHome, defaultDataDir, logDir } from './desktop/paths.ts'
import {
  flagText,
  numberText,
  type SettingFacts,
  type SettingValues,
  settingTable,
  settingVariables,
} from './kernel/settings.ts'
import { type BridgeSettings, bridgeSettings } from './mcp/bridge-settings.ts'
import { readSettingsFile, type SettingsFile, settingStates, valuesOf } from './server/settings.ts'

export interface Config {
  readonly dataDir: string
  /** The user named the data folder (DATA_DIR). */
  readonly dataDirIsGiven: boolean
  readonly tempDir: string
  /** Where the log is kept in desktop mode. */
  readonly logDir: string
  readonly home: string
  /** XDG_CONFIG_HOME. */
  readonly configHome: string
  readonly host: string
  /** HOST says so: who may come in is not chosen in the app then. */
  readonly hostIsGiven: boolean
  readonly port: number
  /** The user named the port: when it is taken, that is an error and not a reason to look for another. */
  readonly portIsFixed: boolean
  readonly baseUrl: string | null
  readonly allowedHosts: readonly string[]
  /** Which peers' X-Forwarded-For is believed: how many proxies are in front, or their addresses; false for none. */
  readonly trustProxy: number | readonly string[] | false
  /** Most bytes of all uploaded images together; null is no bound. */
  readonly uploadMaxTotalBytes: number | null
  readonly tls: { readonly certFile: string; readonly keyFile: string } | null
  readonly docs: boolean
  readonly logLevel: string
  readonly oauth: {
    /** Whether clients may register themselves (RFC 7591). */
    readonly registration: boolean
    /** Whether clients may be known by the https address of a document that this server then fetches. */
    readonly documents: boolean
  }
  /** What the AI provider is given counts as staying here (SPEC 8.2). */
  readonly aiProviderIsLocal: boolean
  readonly hostname: string
  /** Whether a browser can be opened. */
  readonly hasScreen: boolean
  readonly backup: BackupConfig
  readonly settings: SettingsConfig
  readonly profile: Profile
}

/** Where the settings of other programs of this account are. */
export interface Profile {
  readonly platform: NodeJS.Platform
  readonly home: string
  /** The variables that say so. */
  readonly env: Readonly<Partial<Record<(typeof profileVariables)[number], string>>>
}

const profileVariables = ['XDG_CONFIG_HOME', 'LOCALAPPDATA', 'APPDATA'] as const

/** What people may choose while the server runs (kernel/settings.ts), as it was at the start. */
export interface SettingsConfig {
  readonly given: Partial<SettingValues>
  readonly facts: SettingFacts
  readonly file: SettingsFile
}

/** SPEC 8.2. */
export interface BackupConfig {
  readonly enabled: boolean
  readonly dir: string
  readonly intervalHours: number
  readonly keepCount: number
  readonly keepDays: number
  readonly maxTotalBytes: number | null
  readonly minFreeBytes: number
  readonly protectLastGood: boolean
  readonly keyPassphrase: string | null
}

export class ConfigError extends Error {}

const onOff = z
  .enum(['on', 'off', '1', '0', 'true', 'false'])
  .transform((value) => value === 'on' || value === '1' || value === 'true')
/** `0` or `false`; a number of proxies; or their addresses and networks, separated by commas. */
const proxies = z.string().transform((value, context): number | readonly string[] | false => {
  const text = value.trim()
  if (text === '0' || text === 'false') return false
  if (/^[1-9]$/.test(text)) return Number(text)
  const addresses = text.split(',').map((each) => each.trim())
  if (addresses.every((each) => ipaddr.isValid(each) || ipaddr.isValidCIDR(each))) return addresses
  context.addIssue({
    code: 'custom',
    message: 'how many proxies are in front (1 to 9), or their addresses such as 10.0.0.2, 192.168.0.0/24',
  })
  return z.NEVER
})
const origin = z.string().transform((value, context) => {
  const url = URL.canParse(value) ? new URL(value) : null
  if (
    url &&
    (url.protocol === 'http:' || url.protocol === 'https:') &&
    url.pathname === '/' &&
    url.search === '' &&
    url.username === ''
  )
    return url.origin
  context.addIssue({ code: 'custom', message: 'an address such as https://tale.example.org, without a path' })
  return z.NEVER
})

const environment = z.object({
  ...settingVariables,
  // Where exactly it listens; that phones may come in, or not, follows from it.
  HOST: z.string().min(1).optional(),
  DATA_DIR: z.string().min(1).optional(),
  BASE_URL: origin.optional(),
  ALLOWED_HOSTS: z
    .string()
    .transform((value) =>
      value
        .split(',')
        .map((host) => host.trim().toLowerCase())
        .filter((host) => host !== ''),
    )
    .optional(),
  TRUST_PROXY: proxies.optional(),
  TLS_CERT_FILE: z.string().min(1).optional(),
  TLS_KEY_FILE: z.string().min(1).optional(),
  API_DOCS: flagText.optional(),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).optional(),
  TALEKEEPER_DEV: flagText.optional(),
  OAUTH_DCR: onOff.optional(),
  OAUTH_CIMD: onOff.optional(),
  AI_PROVIDER_ENDPOINT_IS_LOCAL: flagText.optional(),
  BACKUP_MAX_TOTAL_BYTES: numberText(0, Number.MAX_SAFE_INTEGER).optional(),
  BACKUP_MIN_FREE_BYTES: numberText(0, Number.MAX_SAFE_INTEGER).optional(),
  BACKUP_PROTECT_LAST_GOOD: flagText.optional(),
  BACKUP_KEY_PASSPHRASE: z.string().min(12).optional(),
})

/** Names of the environment variables that are read. */
export const variableNames: readonly string[] = Object.keys(environment.shape)

/**
 * Reads environment and settings file into one frozen, validated configuration. The only reader of process.env.
 * Throws ConfigError with one sentence for each value that cannot be used.
 */
export function readConfig(env: Readonly<Record<string, string | undefined>> = process.env): Config {
  const present = Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== ''),
  )
  const given = parse(environment, present, 'environment')
  const portableDir = isPackaged() ? installDir() : null
  const places = { platform: process.platform, home: homedir(), env, portableDir }
  const dataDir = path.resolve(given.DATA_DIR ?? defaultDataDir(places))
  const file = readSettingsFile(dataDir)
  const facts = { isContainer: dataDir === '/data', backupDir: path.join(dataDir, 'backups') }
  const givenSettings = givenBy(present)
  const values = valuesOf(settingStates(givenSettings, file.chosen, facts))
  if ((given.TLS_CERT_FILE === undefined) !== (given.TLS_KEY_FILE === undefined))
    throw new ConfigError('TLS_CERT_FILE and TLS_KEY_FILE go together.')
  // What a proxy says of the host and the scheme is not asked: the address that people use is said here.
  if (given.TRUST_PROXY !== undefined && given.TRUST_PROXY !== false && given.BASE_URL === undefined)
    throw new ConfigError('TRUST_PROXY needs BASE_URL: the address under which the proxy is reached.')
  return Object.freeze({
    dataDir,
    dataDirIsGiven: given.DATA_DIR !== undefined,
    tempDir: tmpdir(),
    logDir: logDir(places, dataDir),
    home: places.home,
    configHome: configHome(places),
    // Local networks have listeners of their own, which come and go (network/lan-access.ts).
    host: given.HOST ?? (facts.isContainer ? '0.0.0.0' : '127.0.0.1'),
    hostIsGiven: given.HOST !== undefined,
    port: values.port,
    portIsFixed: given.PORT !== undefined,
    baseUrl: given.BASE_URL ?? null,
    allowedHosts: given.ALLOWED_HOSTS ?? [],
    trustProxy: given.TRUST_PROXY ?? false,
    tls:
      given.TLS_CERT_FILE !== undefined && given.TLS_KEY_FILE !== undefined
        ? { certFile: given.TLS_CERT_FILE, keyFile: given.TLS_KEY_FILE }
        : null,
    uploadMaxTotalBytes: values.uploadMaxTotalBytes,
    docs: given.API_DOCS ?? given.TALEKEEPER_DEV ?? false,
    logLevel: given.LOG_LEVEL ?? 'info',
    oauth: { registration: given.OAUTH_DCR ?? true, documents: given.OAUTH_CIMD ?? false },
    aiProviderIsLocal: given.AI_PROVIDER_ENDPOINT_IS_LOCAL ?? false,
    hostname: hostname(),
    hasScreen: process.platform !== 'linux' || env.DISPLAY !== undefined || env.WAYLAND_DISPLAY !== undefined,
    backup: {
      ...chosenBackup(values),
      maxTotalBytes: given.BACKUP_MAX_TOTAL_BYTES ?? null,
      minFreeBytes: given.BACKUP_MIN_FREE_BYTES ?? 512 * 1024 * 1024,
      protectLastGood: given.BACKUP_PROTECT_LAST_GOOD ?? true,
      keyPassphrase: given.BACKUP_KEY_PASSPHRASE ?? null,
    },
    settings: { given: givenSettings, facts, file },
    profile: {
      platform: process.platform,
      home: env.HOME ?? homedir(),
      env: Object.fromEntries(
        profileVariables.flatMap((name) => (present[name] === undefined ? [] : [[name, present[name]]])),
      ),
    },
  })
}

/** The part of the backup settings that people choose, as it is in force. */
export function chosenBackup(values: SettingValues) {
  const { scheduledBackups, backupDir, backupIntervalHours, backupKeepCount, backupKeepDays } = values
  return {
    enabled: scheduledBackups,
    dir: backupDir,
    intervalHours: backupIntervalHours,
    keepCount: backupKeepCount,
    keepDays: backupKeepDays,
  }
}

/** What the environment, whose values can be used, says of the settings. */
function givenBy(env: Readonly<Record<string, string>>): Partial<SettingValues> {
  const found = Object.entries(settingTable).flatMap(([name, { variable, given }]) => {
    const text = env[variable]
    return text === undefined ? [] : [[name, given.parse(text)]]
  })
  const { backupDir, ...rest } = Object.fromEntries(found) as Partial<SettingValues>
  return backupDir === undefined ? rest : { ...rest, backupDir: path.resolve(backupDir) }
}

function parse<S extends z.ZodType>(schema: S, value: unknown, where: string): z.output<S> {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  throw new ConfigError(
    result.error.issues.map((issue) => `${where}: ${issue.path.join('.')}: ${issue.message}`).join('\n'),
  )
}

/** What a bridge of an AI client is told. */
export function readBridgeSettings(env: Readonly<Record<string, string | undefined>> = process.env): BridgeSettings {
  return bridgeSettings(env)
}

/** Whether somebody looks for a fault in the program and wants its stacks. */
export function wantsStacks(env: Readonly<Record<string, string | undefined>> = process.env): boolean {
  return env.LOG_LEVEL === 'debug' || env.LOG_LEVEL === 'trace'
}

/** The configuration as it may be shown to whoever helps. */
export function settingsWithoutSecrets({ backup, profile: _, ...rest }: Config): Readonly<Record<string, unknown>> {
  return { ...rest, backup: { ...backup, keyPassphrase: backup.keyPassphrase === null ? null : 'set' } }
}
