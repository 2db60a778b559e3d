import * as z from 'zod'
import { fail, invalid } from '../kernel/errors.ts'
import { recordChange } from '../kernel/recorded-change.ts'
import { type SettingName, type Settings, settingNames, settingTable } from '../kernel/settings.ts'
import type { System } from '../kernel/system.ts'
import { type AnyTransfer, defineTransfer } from '../kernel/transfer.ts'

interface Parts {
  readonly settings: Settings
  system(): System
  /** Makes sure that backups can be kept in a folder, and makes it. Rejects with a sentence for people. */
  checkBackupFolder(folder: string): Promise<void>
}

const state = (name: SettingName) =>
  z.object({
    value: settingTable[name].chosen,
    /** `environment` wins over what is chosen in the app. */
    source: z.enum(['environment', 'chosen', 'standard']),
    variable: z.string(),
  })
const inApp = settingNames.filter((name) => settingTable[name].inApp)

const answer = z.object({
  settings: z.object(Object.fromEntries(settingNames.map((name) => [name, state(name)]))),
  /** What is wrong with the settings file. */
  problems: z.array(z.string()),
})
const changes = z.strictObject(
  Object.fromEntries(inApp.map((name) => [name, settingTable[name].chosen.nullable().optional()])),
)

/** What an administrator chooses for the server (kernel/settings.ts). It lies in a file, so that no restore brings back another machine's. */
export function settingsTransfers({ settings, system, checkBackupFolder }: Parts): readonly AnyTransfer[] {
  const now = () => ({ settings: settings.states(), problems: settings.problems() })
  return [
    defineTransfer({
      name: 'get_server_settings',
      title: 'Get the settings of the server',
      description: 'Each with who says so: the environment, what was chosen in the app, or the standard.',
      access: 'admin',
      effect: 'read',
      route: 'GET /settings',
      input: z.strictObject({}),
      output: answer,
      example: () => ({}),
      handle: async () => now(),
    }),
    defineTransfer({
      name: 'update_server_settings',
      title: 'Change the settings of the server',
      description:
        'What is named takes effect at once; null takes back what was chosen. What the environment says cannot be changed here.',
      access: 'admin',
      effect: 'write',
      route: 'PATCH /settings',
      input: changes,
      output: answer,
      example: () => ({ backupKeepCount: 14 }),
      async handle({ actor, reason }, given) {
        if (actor === null) throw fail('unauthenticated')
        const { backupDir } = given as { readonly backupDir?: string | null }
        if (typeof backupDir === 'string')
          await checkBackupFolder(backupDir).catch((error: unknown) => {
            throw invalid('backupDir', error instanceof Error ? error.message : String(error))
          })
        system().transaction((unit) => {
          const change = { operation: 'update_server_settings', effect: 'write', reason, facts: given } as const
          recordChange(unit, { ...change, by: unit.recheck(actor) }, () => settings.change(given))
        })
        return now()
      },
    }),
  ] as unknown as readonly AnyTransfer[]
}
