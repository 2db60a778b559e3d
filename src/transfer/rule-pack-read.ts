import { closeSync, openSync, readFileSync, writeSync } from 'node:fs'
import { readBy } from '../domain/read-by.ts'
import { mostEntries, mostEntryBytes, packHead, packLists, readEntry } from '../domain/rule-pack/format.ts'
import { fail } from '../kernel/errors.ts'
import type { KeptEntry, ReadPack } from '../kernel/rule-shelf.ts'
import type { TaskContext } from '../storage/workers.ts'
import { jsonParts } from './json-stream.ts'
import { open5eEntry, open5eHead } from './open5e.ts'

// Reading a rule pack, on a thread of its own:
//
// 1. member after member; the entries one after the other, none of them kept in memory
// 2. each entry is judged by the schema, or, on a page of the Open5e API, made into one first
// 3. what is kept is written to a file, a line for each, for the main thread to take some at a time

export interface ReadPackPayload {
  /** The document. */
  readonly path: string
  /** Where the entries are written. */
  readonly into: string
}

const bounds = { partBytes: mostEntryBytes, depth: 32, elements: mostEntries }
const lists = new Set(['entries', 'results'])
const mostNotes = 100

/** Reads a pack, or a page of Open5e. Throws `validation_failed` with the place of what is wrong. */
export async function readPack({ path, into }: ReadPackPayload, signal: AbortSignal): Promise<ReadPack> {
  const members: Record<string, unknown> = {}
  const [keys, systems, notes] = [new Set<string>(), new Set<string>(), new Set<string>()]
  const kinds: Record<string, number> = {}
  const note = (text: string): void => void (notes.size < mostNotes && notes.add(text.slice(0, 300)))
  const out = linesTo(into)
  let source: string | null = null
  try {
    for (const { member, index, value } of jsonParts(readFileSync(path), lists, bounds)) {
      if (index === null) {
        if (lists.has(member)) readBy(packLists, value, member)
        members[member] = value
        continue
      }
      if (index % 200 === 0) {
        // Only between two of them can it be heard that nobody waits any more.
        await new Promise(setImmediate)
        signal.throwIfAborted()
      }
      if (source !== null && source !== member)
        throw fail('validation_failed', 'Nothing was kept. A document has entries or results, not both.')
      source = member
      const place = `${member}[${index}]`
      const entry = readEntry(member === 'results' ? open5eEntry(value, place, note) : value, place)
      if (keys.has(entry.key))
        throw fail('validation_failed', `Nothing was kept. ${place}.key: "${entry.key}" stands there twice.`, {
          details: [{ path: `${place}.key`, message: 'stands there twice' }],
        })
      keys.add(entry.key)
      systems.add(entry.system)
      kinds[entry.kind] = (kinds[entry.kind] ?? 0) + 1
      out.write(entry)
    }
  } finally {
    out.close()
  }
  const head = readBy(packHead, source === 'results' ? open5eHead(members, note) : members, '')
  if (keys.size === 0)
    throw fail('validation_failed', 'Nothing was kept. entries: a pack has at least one.', {
      details: [{ path: 'entries', message: 'at least one' }],
    })
  return { head, systems: Array.from(systems).sort(), kinds, entryCount: keys.size, notes: Array.from(notes) }
}

/** Lines are gathered, so that not each is a write. */
function linesTo(file: string): { write(entry: KeptEntry): void; close(): void } {
  const handle = openSync(file, 'wx', 0o600)
  let waiting: string[] = []
  let size = 0
  const flush = (): void => {
    if (waiting.length > 0) writeSync(handle, `${waiting.join('\n')}\n`)
    waiting = []
    size = 0
  }
  return {
    write(entry) {
      const line = JSON.stringify(entry)
      waiting.push(line)
      size += line.length
      if (size > 256 * 1024) flush()
    },
    close() {
      flush()
      closeSync(handle)
    },
  }
}

/** The reading as a task of a worker thread. */
export const rulePackTasks = {
  'rules.read': (payload: ReadPackPayload, { signal }: TaskContext) => readPack(payload, signal),
}

export type RulePackTasks = typeof rulePackTasks
