import { arch, freemem, platform, release, totalmem } from 'node:os'
import type { Readable } from 'node:stream'
import yazl from 'yazl'
import * as z from 'zod'
import { type AnyTransfer, defineTransfer } from '../kernel/transfer.ts'

export interface DiagnosticsParts {
  readonly version: string
  clock(): Date
  /** Settings without secrets. */
  readonly settings: Readonly<Record<string, unknown>>
  backupStatus(): Promise<unknown>
  /** How the database fares and how many rows each table has: numbers, no content. */
  database(): {
    readonly check: string
    readonly schemaVersion: number
    readonly rows: Readonly<Record<string, number>>
  }
}

/** What somebody who helps needs to know, and nothing of the tale: no names, texts, tokens or addresses of players. */
export function diagnosticsTransfers(parts: DiagnosticsParts): readonly AnyTransfer[] {
  return [
    defineTransfer({
      name: 'download_diagnostics',
      title: 'Download diagnostics',
      description:
        'A zip for whoever helps: versions, settings, how the database and the backups fare. No content and no secrets.',
      access: 'admin',
      effect: 'read',
      route: 'GET /diagnostics',
      carries: 'bytes',
      input: z.strictObject({}),
      example: () => ({}),
      async handle(context) {
        const zip = new yazl.ZipFile()
        const add = (name: string, content: unknown): void =>
          zip.addBuffer(Buffer.from(`${JSON.stringify(content, null, 2)}\n`), name)
        add('program.json', program(parts))
        add('settings.json', parts.settings)
        add('database.json', parts.database())
        add('backups.json', await parts.backupStatus())
        zip.end()
        await context.send(
          { mimeType: 'application/zip', downloadName: 'talekeeper-diagnostics.zip' },
          zip.outputStream as Readable,
        )
        return undefined
      },
    }),
  ] as unknown as readonly AnyTransfer[]
}

function program({ version, clock }: DiagnosticsParts): object {
  const { rss, heapUsed } = process.memoryUsage()
  return {
    version,
    at: clock().toISOString(),
    node: process.version,
    system: `${platform()} ${release()} ${arch()}`,
    uptimeSeconds: Math.round(process.uptime()),
    memory: { rss, heapUsed, machineFree: freemem(), machineTotal: totalmem() },
  }
}
