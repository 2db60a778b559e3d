import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { pipeline } from 'node:stream/promises'
import * as z from 'zod'
import { mostPackBytes } from '../domain/rule-pack/format.ts'
import { examplePack, installOperation, rulePackOperations } from '../domain/rule-pack/operations.ts'
import { fail, invalid } from '../kernel/errors.ts'
import { execute } from '../kernel/execute.ts'
import type { AnyOperation } from '../kernel/operation.ts'
import { createQueue } from '../kernel/queue.ts'
import type { KeptEntry, PackSource, ReadPack, RulePacks, StagedPack } from '../kernel/rule-shelf.ts'
import type { System } from '../kernel/system.ts'
import { type AnyTransfer, defineTransfer } from '../kernel/transfer.ts'
import { beginEdition, keepEntry } from '../storage/rule-entries.ts'
import type { Store } from '../storage/store.ts'
import type { Workers } from '../storage/workers.ts'
import type { RulePackTasks } from './rule-pack-read.ts'

export interface RulePackParts {
  store(): Store
  clock(): Date
  readonly tempDir: string
  /** Read documents beside the main thread (rule-pack-read.ts). */
  readonly workers: Pick<Workers<RulePackTasks>, 'runTask'>
}

/** How long entries are written in one go, in milliseconds: everybody else waits meanwhile. */
const sliceMs = 6

/** One pack at a time: what it costs is bounded, whoever asks. */
const busy = {
  message: 'Another rule pack is being installed. Try again in a minute.',
  retryAfterSeconds: 30,
}

export function createRulePacks({ store, clock, tempDir, workers }: RulePackParts): RulePacks {
  const queue = createQueue(1, 3, busy)
  return {
    stage: (source, signal) =>
      queue(async () => {
        signal.throwIfAborted()
        // Its name says whose it is, so that the next start can remove it after a crash (archive/recover.ts).
        const folder = await mkdtemp(path.join(tempDir, `talekeeper-upload-${process.pid}-`))
        try {
          const document = await fileOf(source, folder)
          const into = path.join(folder, 'entries')
          const pack = await workers.runTask('rules.read', { path: document, into }, { signal })
          return await keepAll(store, clock, pack, into, signal)
        } finally {
          await rm(folder, { recursive: true, force: true })
        }
      }),
  }
}

async function fileOf(source: PackSource, folder: string): Promise<string> {
  if ('path' in source) return source.path
  const file = path.join(folder, 'document')
  try {
    await writeFile(file, JSON.stringify(source.value), { mode: 0o600 })
  } catch (cause) {
    // A value can be deeper than JSON.stringify goes.
    if (cause instanceof RangeError) throw invalid('document', 'nested too deep')
    throw cause
  }
  return file
}

/** Writes the entries in slices of a few milliseconds, each a transaction. */
async function keepAll(
  store: () => Store,
  clock: () => Date,
  pack: ReadPack,
  file: string,
  signal: AbortSignal,
): Promise<StagedPack> {
  const edition = store().transaction(() => beginEdition(store(), clock().toISOString()))
  const slice: KeptEntry[] = []
  const keep = (): void => {
    const until = performance.now() + sliceMs
    store().transaction(() => {
      while (slice.length > 0 && performance.now() < until) {
        const entry = slice.shift() as KeptEntry
        keepEntry(store(), edition, pack.head.key, entry)
      }
    })
  }
  const lines = createInterface({ input: createReadStream(file, 'utf8'), crlfDelay: Number.POSITIVE_INFINITY })
  for await (const line of lines) {
    slice.push(JSON.parse(line) as KeptEntry)
    if (slice.length < 100) continue
    while (slice.length > 0) {
      keep()
      await new Promise(setImmediate)
      signal.throwIfAborted()
    }
  }
  while (slice.length > 0) {
    keep()
    await new Promise(setImmediate)
  }
  return { ...pack, edition }
}

async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), hash)
  return hash.digest('hex')
}

/** install_rule_pack over REST: the body is the document, up to 64 MiB, and reaches the disk without being parsed. */
export function rulePackTransfers(system: () => System): readonly AnyTransfer[] {
  const { title, description, access, effect, route, output } = rulePackOperations.install_rule_pack
  return [
    defineTransfer({
      name: 'install_rule_pack',
      title,
      description,
      access,
      effect,
      route,
      output,
      carries: 'document',
      carriesBytesOf: 'install_rule_pack',
      creates: true,
      input: z.looseObject({}),
      example: () => examplePack,
      async handle(context) {
        const { path: file } = await context.receive({ fileField: 'file', mostBytes: mostPackBytes })
        if ((await stat(file)).size === 0)
          throw fail('validation_failed', 'The body is the JSON document of a rule pack.')
        const documentSha256 = await sha256Of(file)
        const operation = installOperation({ path: file }) as unknown as AnyOperation
        const { actor, idempotencyKey, reason, requestId, signal } = context
        const call = { actor, idempotencyKey, reason, requestId, signal, door: 'rest' as const }
        return (await execute(system(), operation, { documentSha256 }, call)).output
      },
    }),
  ] as unknown as readonly AnyTransfer[]
}
