import * as z from 'zod'
import { fail } from '../kernel/errors.ts'
import { recordChange } from '../kernel/recorded-change.ts'
import type { Settings } from '../kernel/settings.ts'
import type { System } from '../kernel/system.ts'
import { type AnyTransfer, defineTransfer } from '../kernel/transfer.ts'
import type { Autostart } from './autostart.ts'
import type { SystemActions } from './system-actions.ts'

/** What the desktop of this machine does for the program, as far as there is one. */
export interface Computer {
  readonly autostart: Autostart | null
  readonly system: Pick<SystemActions, 'open'>
  /** Null where the log goes to standard output. */
  readonly logDir: string | null
}

interface Parts {
  /** Absent where nobody sits at the machine: a service, a container. */
  readonly computer: Computer | undefined
  readonly dataDir: string
  readonly settings: Settings
  /** Room on the disk with the data, in bytes; null where the system does not tell. */
  freeBytes(): Promise<number | null>
  system(): System
}

const answer = z.object({
  dataDir: z.string(),
  logDir: z.string().nullable(),
  freeBytes: z.number().nullable(),
  /** Null where it cannot be switched from here. */
  startAtLogin: z.boolean().nullable(),
  /** Whether the caller sits at that machine, so that its folders can be opened there. */
  isHere: z.boolean(),
})

/** The computer that the server runs on, for its administrators: what the tray does there can be done in the app too. */
export function computerTransfers({ computer, dataDir, settings, freeBytes, system }: Parts): readonly AnyTransfer[] {
  const told = async (isHere: boolean) => ({
    dataDir,
    logDir: computer?.logDir ?? null,
    freeBytes: await freeBytes(),
    startAtLogin: (await computer?.autostart?.isOn()) ?? null,
    isHere: isHere && computer !== undefined,
  })
  return [
    defineTransfer({
      name: 'get_computer',
      title: 'Get the computer of the server',
      description: 'Where everything lies, the room on its disk, and whether the program starts at login.',
      access: 'admin',
      effect: 'read',
      route: 'GET /computer',
      input: z.strictObject({}),
      output: answer,
      example: () => ({}),
      handle: ({ loopback }) => told(loopback),
    }),
    defineTransfer({
      name: 'set_start_at_login',
      title: 'Start at login',
      description: 'Whether the program starts when its person signs in to the computer.',
      access: 'admin',
      effect: 'write',
      route: 'PUT /computer/start-at-login',
      input: z.strictObject({ on: z.boolean() }),
      output: answer,
      example: () => ({ on: false }),
      async handle({ actor, reason, loopback }, { on }) {
        if (actor === null) throw fail('unauthenticated')
        const autostart = computer?.autostart ?? null
        if (autostart === null)
          throw fail(
            'invalid_state',
            'This program is not started by a person here: the system or its service does that.',
          )
        await autostart.set(on)
        system().transaction((unit) => {
          const change = { operation: 'set_start_at_login', effect: 'write', reason, facts: { on } } as const
          recordChange(unit, { ...change, by: unit.recheck(actor) }, () => {})
        })
        return told(loopback)
      },
    }),
    defineTransfer({
      name: 'open_folder',
      title: 'Open a folder on the computer',
      description: 'Shows the data, the backups or the logs in its file manager. Only for who sits at that computer.',
      access: 'admin',
      effect: 'write',
      route: 'POST /computer/open',
      input: z.strictObject({ folder: z.enum(['data', 'backups', 'logs']) }),
      output: z.object({ opened: z.literal(true) }),
      example: () => ({ folder: 'data' as const }),
      async handle({ loopback }, { folder }) {
        if (!loopback || computer === undefined)
          throw fail('forbidden', 'A folder is opened for whoever sits at the computer that runs Talekeeper.')
        const place = { data: dataDir, backups: settings.get().backupDir, logs: computer.logDir ?? dataDir }[folder]
        await computer.system.open(place).catch((cause: unknown) => {
          throw fail('unavailable', `Nothing here shows folders. It is ${place}.`, { cause })
        })
        return { opened: true as const }
      },
    }),
  ] as unknown as readonly AnyTransfer[]
}
