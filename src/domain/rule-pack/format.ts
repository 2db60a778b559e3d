import * as z from 'zod'
import { line, name, prose } from '../../kernel/fields.ts'
import type { KeptEntry } from '../../kernel/rule-shelf.ts'
import { readBy } from '../read-by.ts'
import { blockOf, entryKind, ruleSystemKey, summaryOf } from '../stat-block.ts'

// The rule-pack format: one JSON document with who wrote it and under which licence, and its entries. The schema in
// assets/packs/rule-pack.schema.json is made from these declarations.

export const packFormat = 'talekeeper-rules/1'
/** Entries of a pack, bytes of a document, and bytes of one entry in it. */
export const mostEntries = 50_000
export const mostPackBytes = 64 * 1024 * 1024
export const mostEntryBytes = 256 * 1024

const key = z
  .string()
  .max(80)
  .regex(/^[a-z0-9][a-z0-9-]*$/, 'a key: small letters, digits and hyphens')

/** All of a pack but its entries. */
export const packHead = z.strictObject({
  format: z.literal(packFormat),
  /** The same through all versions: by it a newer one takes the place of an older. */
  key,
  title: name(),
  version: z
    .string()
    .max(40)
    .regex(/^\d+(\.\d+){0,3}$/, 'a version, as in 1.2.0'),
  description: prose(4000).optional(),
  authors: z.array(name()).max(50).optional(),
  /** Required: rules that nobody may pass on are not kept. */
  licence: z.strictObject({ name: name(), url: z.url({ protocol: /^https?$/ }).max(500) }),
  /** Required: whose words and numbers these are, as the licence asks for it. */
  attribution: prose(8000).refine(
    (text) => text.trim() !== '',
    'whose work this is, in the words that its licence asks for',
  ),
  source: z
    .url({ protocol: /^https?$/ })
    .max(500)
    .optional(),
})
export type PackHead = z.output<typeof packHead>

const entryMembers = {
  /** One of its own within the pack; the same in every version. */
  key,
  name: name(),
  system: ruleSystemKey,
  text: prose(20_000).optional(),
  /** One line for lists; made from the numbers where it is absent. */
  summary: line(160).optional(),
}

/** One entry, by its kind. */
export const packEntry = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('creature'), ...entryMembers, statblock: blockOf.creature.optional() }),
  z.strictObject({ kind: z.literal('spell'), ...entryMembers, statblock: blockOf.spell.optional() }),
  z.strictObject({ kind: z.literal('item'), ...entryMembers, statblock: blockOf.item.optional() }),
  z.strictObject({ kind: z.literal('condition'), ...entryMembers, statblock: blockOf.condition.optional() }),
  z.strictObject({ kind: z.literal('rule'), ...entryMembers }),
])
export type PackEntry = z.output<typeof packEntry>

/** `entries` of a document is a list, whatever stands in it. */
export const packLists = z.array(z.unknown())

/** The whole document, for its JSON schema. It is read entry by entry and never as one. */
export const packDocument = packHead.extend({ entries: z.array(packEntry).min(1).max(mostEntries) })

/** An entry of a document; `place` says where it stands. Throws `validation_failed` naming what in it is wrong. */
export function readEntry(value: unknown, place: string): KeptEntry {
  const { kind } = readBy(z.looseObject({ kind: entryKind }), value, place)
  const entry = readBy(packEntry.def.options.find(({ shape }) => shape.kind.value === kind) ?? packEntry, value, place)
  const statblock = 'statblock' in entry ? (entry.statblock ?? null) : null
  return {
    key: entry.key,
    kind,
    system: entry.system,
    name: entry.name,
    summary: entry.summary || summaryOf(kind, statblock, entry.system),
    body: entry.text ?? null,
    statblock,
  }
}

/** Below 0 where the first is older. */
export function compareVersions(one: string, other: string): number {
  const [left, right] = [one, other].map((version) => version.split('.').map(Number)) as [number[], number[]]
  for (let part = 0; part < Math.max(left.length, right.length); part++) {
    const difference = (left[part] ?? 0) - (right[part] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}
