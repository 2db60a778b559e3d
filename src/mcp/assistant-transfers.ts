import { Readable } from 'node:stream'
import * as z from 'zod'
import { Failure, fail } from '../kernel/errors.ts'
import { execute } from '../kernel/execute.ts'
import { idOf } from '../kernel/fields.ts'
import type { System } from '../kernel/system.ts'
import { type AnyTransfer, defineTransfer, type TransferContext } from '../kernel/transfer.ts'
import { roles, writeModes } from '../kernel/viewer.ts'
import { type AssistantKey, type KeyFacts, readAssistantKey, writeAssistantKey } from './assistant-key.ts'
import { type ClaudeEntry, claudeConfigFiles, planClaudeEntry, writeClaudeEntry } from './claude-desktop.ts'
import { makeConnector } from './connector.ts'

export interface AssistantTransferParts {
  system(): System
  clock(): Date
  readonly version: string
  readonly config: {
    readonly dataDir: string
    readonly dataDirIsGiven: boolean
    /** Where the settings of other programs of this account are. */
    readonly profile: Omit<KeyFacts, 'dataDir'>
  }
  /** How this program is started as a bridge. */
  readonly bridge: ClaudeEntry
  asset(name: string): Buffer | undefined
}

const place = z.object({
  file: z.string(),
  /** Lines that would go, and lines that would come; none where it is done already, or cannot be. */
  removed: z.array(z.string()),
  added: z.array(z.string()),
  isDone: z.boolean(),
  fingerprint: z.string().nullable(),
  /** Why nothing can be written there. */
  problem: z.string().nullable(),
})

/** What makes AI clients on this computer ours: the connector, and the configuration of Claude Desktop. */
export function assistantTransfers(parts: AssistantTransferParts): readonly AnyTransfer[] {
  const { config, version, asset, clock } = parts
  const facts: KeyFacts = { ...config.profile, dataDir: config.dataDir }
  const bridge = { ...parts.bridge, ...(config.dataDirIsGiven ? { env: { DATA_DIR: config.dataDir } } : {}) }
  const placeOf = (file: string): z.output<typeof place> => {
    try {
      const { fingerprint, isDone, removed, added } = planClaudeEntry(file, bridge)
      return { file, removed: [...removed], added: [...added], isDone, fingerprint, problem: null }
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      return { file, removed: [], added: [], isDone: false, fingerprint: null, problem: error.message }
    }
  }
  return [
    defineTransfer({
      name: 'download_connector',
      title: 'Download the connector for Claude Desktop',
      description: 'talekeeper.mcpb, with the address of this server and without a key.',
      access: 'session',
      effect: 'read',
      route: 'GET /assistants/talekeeper.mcpb',
      carries: 'bytes',
      input: z.strictObject({}),
      example: () => ({}),
      async handle(context) {
        const [program, icon] = [asset('assistant/bridge.cjs'), asset('assistant/icon.png')]
        if (program === undefined || icon === undefined)
          throw fail('unavailable', 'The connector was not built. Run "npm run build".')
        const bytes = await makeConnector({ version, url: context.origin, bridge: program, icon })
        const head = { mimeType: 'application/octet-stream', downloadName: 'talekeeper.mcpb', byteSize: bytes.length }
        await context.send(head, Readable.from([bytes]))
        return undefined
      },
    }),
    defineTransfer({
      name: 'plan_claude_desktop',
      title: 'See what adding Talekeeper to Claude Desktop would change',
      description: 'For each Claude Desktop on the server’s computer, the lines of its settings that would change.',
      access: 'admin',
      effect: 'read',
      route: 'GET /assistants/claude-desktop',
      input: z.strictObject({}),
      output: z.object({ places: z.array(place) }),
      example: () => ({}),
      async handle(context) {
        requireHere(context)
        return { places: claudeConfigFiles(facts).map(placeOf) }
      },
    }),
    defineTransfer({
      name: 'write_claude_desktop',
      title: 'Add Talekeeper to Claude Desktop',
      description:
        'Makes a key for it, keeps that in a file of this account, copies the settings of Claude Desktop aside and adds the lines that were shown.',
      access: 'admin',
      effect: 'write',
      route: 'POST /assistants/claude-desktop',
      input: z.strictObject({
        file: z.string().min(1).max(4000),
        /** Of the plan that was shown. */
        fingerprint: z.string().max(100),
        scope: z.enum(roles),
        campaignId: idOf('campaign').optional(),
        writeMode: z.enum(writeModes),
        expiresInDays: z.int().min(1).max(3650).optional(),
      }),
      output: z.object({ file: z.string(), copy: z.string().nullable() }),
      example: () => ({
        file: '/home/ellen/.config/Claude/claude_desktop_config.json',
        fingerprint: '',
        scope: 'dm' as const,
        writeMode: 'propose' as const,
      }),
      async handle(context, { file, fingerprint, ...rights }) {
        requireHere(context)
        if (!claudeConfigFiles(facts).includes(file))
          throw fail('not_found', 'There is no Claude Desktop with that file on this computer.')
        if (planClaudeEntry(file, bridge).fingerprint !== fingerprint)
          throw fail('invalid_state', `${file} has changed since the difference was shown. Look at it again.`)
        const earlier = readAssistantKey(facts)
        const key = await mint(parts, context, rights)
        try {
          writeKey(facts, key)
          const copy = writeClaudeEntry(file, bridge, fingerprint, clock())
          // One key at a time: nobody sees the earlier one any more.
          if (earlier !== null) await revoke(parts, context, earlier)
          return { file, copy }
        } catch (error) {
          await revoke(parts, context, key)
          throw error
        }
      },
    }),
  ] as unknown as readonly AnyTransfer[]
}

/** Files of this computer are for who sits at it. */
function requireHere({ loopback }: TransferContext): void {
  if (!loopback)
    throw fail('forbidden', 'Open this page on the computer on which Talekeeper runs: its files are there.')
}

interface Rights {
  readonly scope: (typeof roles)[number]
  readonly writeMode: (typeof writeModes)[number]
  readonly campaignId?: number | undefined
  readonly expiresInDays?: number | undefined
}

async function mint(
  { system }: AssistantTransferParts,
  context: TransferContext,
  rights: Rights,
): Promise<AssistantKey> {
  const asked = { tokenName: 'Claude Desktop', admin: false, ...rights }
  const minted = (await run(system(), 'create_token', asked, context)) as {
    readonly id: number
    readonly token: string
  }
  return { token: minted.token, tokenId: minted.id }
}

/** As far as that can be done: it may be revoked already, or of somebody else by now. */
async function revoke({ system }: AssistantTransferParts, context: TransferContext, key: AssistantKey): Promise<void> {
  await run(system(), 'revoke_token', { tokenId: key.tokenId }, context).catch(() => {})
}

async function run(system: System, name: string, input: object, context: TransferContext): Promise<unknown> {
  const operation = system.operations.get(name)
  const { actor, reason, requestId, signal } = context
  if (operation === undefined || actor === null) throw fail('unauthenticated')
  const call = { actor, reason, requestId, signal, door: 'rest', idempotencyKey: null } as const
  return (await execute(system, operation, input, call)).output
}

function writeKey(facts: KeyFacts, key: AssistantKey): void {
  try {
    writeAssistantKey(facts, key)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw fail(
      'unavailable',
      `The key cannot be kept (${code}): see to the settings folder of this account, then try again.`,
      {
        cause: error,
      },
    )
  }
}
