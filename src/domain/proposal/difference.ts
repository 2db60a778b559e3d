import * as z from 'zod'
import { referenceName } from '../../kernel/audience.ts'
import type { Context, ProposedChange, ProposedInput } from '../../kernel/context.ts'
import type { Entity, VisibleRowOf } from '../../kernel/entity.ts'
import { nameIn } from '../../kernel/named-results.ts'
import { type proposal, proposedChange } from './entity.ts'
import { readRows } from './rules.ts'

// What proposals would change, as the reader sees it: what is asked for beside what is there now.

const fieldChange = z.object({
  field: z.string(),
  before: z.unknown(),
  after: z.unknown(),
  /** What a link names, for this reader; null where it names nothing that they see. */
  beforeTitle: z.string().nullish(),
  afterTitle: z.string().nullish(),
})

/** One change of a proposal, in words. */
export const shownChange = proposedChange.extend({
  /** What the operation is called. */
  title: z.string(),
  /** It makes something new; what it is about, if anything, is what that belongs to. */
  makes: z.boolean(),
  /** What it makes is called so. */
  name: z.string().nullable(),
  /** What it is about; id and title are null where that does not exist yet, or is not to be seen. */
  entityType: z.string().nullable(),
  entityId: z.int().nullable(),
  thing: z.string().nullable(),
  /** The change of this proposal, counted from 1, that makes what this one is about. */
  madeBy: z.int().nullable(),
  difference: z.array(fieldChange),
})

type Row = VisibleRowOf<typeof proposal>
type Plain = Readonly<Record<string, unknown>>
type Shown = z.input<typeof shownChange>

/** Rows through the reader's eyes, of any kind and read at once. */
interface Seen {
  row(kind: string, id: number): Plain | null
  title(kind: string, id: number): string | null
}

/** What each of some proposals would change. */
export function changesOf(context: Context, rows: readonly Row[]): (row: Row) => Shown[] {
  const described = new Map<string, ProposedInput>()
  const describe = (operation: string): ProposedInput => {
    const known = described.get(operation) ?? context.pipeline.describe(operation)
    described.set(operation, known)
    return known
  }
  const all = rows.flatMap(({ changes }) => changes)
  const seen = readAll(
    context,
    all.flatMap((change) => namedBy(change, describe(change.operation))),
  )
  return ({ changes }) => changes.map((change) => shown(change, changes, describe, seen))
}

interface Named {
  readonly kind: string
  readonly id: number
}

/** Everything that a change names by an id. */
function namedBy({ input }: ProposedChange, { references }: ProposedInput): readonly Named[] {
  return Object.entries(input).flatMap(([key, value]): Named[] => {
    const kind = kindOf(key, input, references)
    return typeof value === 'number' && kind !== undefined ? [{ kind, id: value }] : []
  })
}

/** The kind of thing that a member with an id names, be it told by the member beside it. */
function kindOf(key: string, input: Plain, references: ProposedInput['references']): string | undefined {
  const beside = key.endsWith('Id') ? input[`${key.slice(0, -2)}Type`] : undefined
  return references[key] ?? (typeof beside === 'string' ? beside : undefined)
}

function readAll(context: Context, named: readonly Named[]): Seen {
  const rows = new Map<string, { readonly entity: Entity; readonly row: Plain }>()
  for (const [kind, group] of Map.groupBy(named, (each) => each.kind)) {
    const entity = context.findEntity(kind)
    if (entity === null) continue
    const ids = group.map(({ id }) => id)
    for (const row of readRows(context, entity, ids)) rows.set(`${kind} ${row.id}`, { entity, row })
  }
  return {
    row: (kind, id) => rows.get(`${kind} ${id}`)?.row ?? null,
    title(kind, id) {
      if (kind === 'user') return context.users.find(id)?.username ?? null
      const found = rows.get(`${kind} ${id}`)
      if (found === undefined) return null
      const { title, untitled } = found.entity
      const named = title === null ? null : found.row[title]
      return String(named ?? (untitled === null ? '' : `${untitled.word} ${String(found.row[untitled.field])}`))
    },
  }
}

function shown(
  change: ProposedChange,
  changes: readonly ProposedChange[],
  describe: (operation: string) => ProposedInput,
  seen: Seen,
): Shown {
  const { operation, input, as } = change
  const declared = describe(operation)
  const about = aboutOf(input, declared)
  const id = about === null ? null : input[about.member]
  const named = nameIn(id)
  const row = about !== null && typeof id === 'number' ? seen.row(about.entity, id) : null
  const madeBy = named === null ? -1 : changes.findIndex((each) => each.as === named)
  const theirs =
    about !== null && typeof id === 'number'
      ? seen.title(about.entity, id)
      : madeBy < 0
        ? null
        : ownName(changes[madeBy]?.input ?? {})
  const difference = Object.entries(input)
    .filter(([field]) => field !== about?.member && field !== 'campaignId' && field !== 'expectedRevision')
    .map(([field, after]) => ({ field, before: declared.creates ? null : (row?.[field] ?? null), after }))
    .filter((each) => JSON.stringify(each.before) !== JSON.stringify(each.after))
    .map((each) => {
      const kind = kindOf(each.field, input, declared.references)
      const result = nameIn(each.after)
      if (kind === undefined && result === null) return each
      const beside = row?.[referenceName(each.field)] as { readonly title?: string } | null | undefined
      const afterTitle =
        result !== null
          ? ownName(changes.find((other) => other.as === result)?.input ?? {})
          : kind !== undefined && typeof each.after === 'number'
            ? seen.title(kind, each.after)
            : null
      return { ...each, beforeTitle: declared.creates ? null : (beside?.title ?? null), afterTitle }
    })
  return {
    operation,
    input,
    ...(as === undefined ? {} : { as }),
    title: declared.title,
    makes: declared.creates,
    name: declared.creates ? ownName(input) : null,
    entityType: about?.entity ?? null,
    entityId: typeof id === 'number' ? id : null,
    thing: theirs,
    madeBy: madeBy < 0 ? null : madeBy + 1,
    difference,
  }
}

/** The thing of the path, else the one that the input links to; a campaign is where a change is, not what it is about. */
function aboutOf(input: Plain, { about }: ProposedInput): ProposedInput['about'] {
  if (about !== null && about.entity !== 'campaign') return about
  const { entityType } = input
  return typeof entityType === 'string' && 'entityId' in input ? { member: 'entityId', entity: entityType } : null
}

/** What something new is called, in the input that makes it. */
function ownName({ name, title, text, label }: Plain): string | null {
  const named = [name, title, text, label].find((each) => typeof each === 'string')
  return typeof named === 'string' ? named.slice(0, 120) : null
}
