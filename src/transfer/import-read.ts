import path from 'node:path'
import type * as z from 'zod'
import type { ImportReport } from '../domain/campaign/arrival.ts'
import type { Entity } from '../kernel/entity.ts'
import { Failure, fail, invalid } from '../kernel/errors.ts'
import { inTexts, withChangedIds } from '../kernel/inner-ids.ts'
import { byDependence, travels } from '../kernel/travel.ts'
import type { Files } from '../storage/files.ts'
import type { TaskContext } from '../storage/workers.ts'
import { type ArrivingKind, arrivingKind, leftBehind } from './arriving-schema.ts'
import { documentFormat, documentVersion } from './document-format.ts'
import { createDropLog } from './import-drops.ts'
import { importLimits } from './import-limits.ts'
import { openSource } from './import-source.ts'
import { createJsonReader, type Place, placeText } from './json-values.ts'
import { type LineFile, lineFile } from './line-file.ts'
import { remapMentions } from './mention-text.ts'

// Reads a document on a worker thread, and leaves behind what the main thread has only to insert:
//
// 1. take the document apart as it comes in; judge each row by the fields of its kind, and note its id
// 2. follow every reference, link and mention: an id becomes the place of its target among the rows of that kind (from 1 on),
//    which the main thread adds to the ids that it has reserved
// 3. refuse what no campaign of ours holds: ids that name nothing, two rows with one number, trees that end in themselves
//
// Nothing is kept of a document that is refused: the folder is the caller's, who removes it.

export interface ReadPayload {
  readonly file: string
  /** Where rows are laid down, one file for each kind of thing. */
  readonly folder: string
  /** All pictures are at hand without a zip: those of a copy lie on this server, those of the sample in the program. */
  readonly hasFiles: boolean
}

/** A row as it lies in the folder: values as they are stored, but for ids, which are places among the rows of their kind. */
export interface ArrivedRow {
  readonly place: number
  readonly oldId: number
  readonly createdAt: string | null
  readonly updatedAt: string | null
  readonly values: Readonly<Record<string, unknown>>
  /** Name of its picture in the zip. */
  readonly file: string | null
}

export interface ArrivedKind {
  readonly entityType: string
  /** The last place: as many ids are to be reserved. */
  readonly last: number
  readonly count: number
  readonly file: string
}

export interface ReadDocument {
  readonly report: ImportReport
  readonly campaign: Readonly<Record<string, unknown>>
  readonly kinds: readonly ArrivedKind[]
  /** The zip is of another program. */
  readonly foreign: boolean
}

type OwnDocument = Omit<ReadDocument, 'foreign'>

/** Reads and judges a document. Throws `validation_failed` naming the place, `too_large`, `cancelled`. */
export async function readDocument(
  { file, folder, hasFiles }: ReadPayload,
  { signal, progress }: TaskContext,
  files: Files,
  entities: readonly Entity[],
): Promise<ReadDocument> {
  const source = await openSource(files, file)
  const reading = createReading(entities, folder, files)
  try {
    const reader = createJsonReader(reading, { valueBytes: importLimits.valueBytes, depth: importLimits.depth })
    let done = 0
    for await (const chunk of source.bytes) {
      if (signal.aborted) throw fail('cancelled')
      reader.push(chunk)
      done += chunk.length
      await reading.flush()
      progress({ phase: 'reading', done, total: source.total })
    }
    reader.end()
    await reading.close()
    const hasFile = (name: string | null): boolean => hasFiles || (name !== null && source.names?.has(name) === true)
    const read = await reading.resolve(hasFile, signal)
    const dropped = [...read.report.dropped, ...(source.foreign ?? [])]
    return { ...read, report: { ...read.report, dropped }, foreign: source.foreign !== null }
  } finally {
    await reading.close()
    await source.close()
  }
}

interface Rows {
  readonly kind: ArrivingKind
  /** By the ids of the document. */
  readonly places: Map<number, number>
  readonly raw: LineFile
  last: number
}

/** What step 1 lays down: the row as its schema reads it. */
type RawRow = Omit<ArrivedRow, 'createdAt' | 'updatedAt'> & {
  readonly createdAt?: string
  readonly updatedAt?: string
  readonly at: string
}

function createReading(entities: readonly Entity[], folder: string, files: Files) {
  const root = entities.find(({ scope }) => scope === 'root') as Entity
  const ordered = byDependence(entities.filter((entity) => entity.scope === 'campaign' && travels(entity)))
  const rows = new Map<string, Rows>()
  for (const [index, entity] of ordered.entries()) {
    const raw = lineFile(files, path.join(folder, `${index}-raw.ndjson`))
    rows.set(entity.name, { kind: arrivingKind(entity), places: new Map(), raw, last: 0 })
  }
  const rootKind = arrivingKind(root)
  const drops = createDropLog()
  const strangers = new Map<string, string>()
  for (const { name } of entities) if (!rows.has(name)) strangers.set(name, 'is of one server, and does not travel')
  let campaign: Record<string, unknown> | null = null
  const head: Record<string, unknown> = {}
  let total = 0

  const parsed = (kind: ArrivingKind, value: unknown, at: string): Record<string, unknown> => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid(at, 'not an object')
    for (const { member, reason } of leftBehind(kind, value as Record<string, unknown>))
      drops.add(kind.entity.name, member, reason, at)
    const result = kind.schema.safeParse(value)
    if (!result.success) throw refusal(at, result.error)
    const row = result.data as Record<string, unknown>
    try {
      return { ...row, ...kind.entity.arriving(row) }
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      const [detail] = error.details ?? []
      throw detail === undefined ? error : invalid(`${at}.${detail.path}`, detail.message)
    }
  }
  const oneRow = (name: string, index: number, value: unknown): void => {
    const at = `rows.${name}[${index}]`
    const known = rows.get(name)
    if (known === undefined) {
      drops.add(name.slice(0, 80), '', strangers.get(name) ?? 'there is no such kind of thing here', at)
      return
    }
    total += 1
    if (total > importLimits.rows) throw fail('too_large', `A document may have at most ${importLimits.rows} rows.`)
    const { id, createdAt, updatedAt, file, ...values } = parsed(known.kind, value, at)
    if (known.places.has(id as number)) throw invalid(`${at}.id`, `another ${known.kind.entity.label} has the id ${id}`)
    known.last += 1
    known.places.set(id as number, known.last)
    known.raw.add({ place: known.last, oldId: id, createdAt, updatedAt, values, file: file ?? null, at })
  }
  return {
    opens: (place: Place): boolean => place.length === 0 || (place[0] === 'rows' && place.length <= 2),
    value(place: Place, value: unknown): void {
      const [first, name, index] = place
      if (first === 'rows' && typeof name === 'string' && typeof index === 'number') {
        oneRow(name, index, value)
        return
      }
      if (first === 'rows' || place.length !== 1)
        throw invalid(placeText(place) || 'document', 'not what stands here: rows holds a list for each kind of thing')
      if (first === 'campaign') {
        if (campaign !== null) throw invalid('campaign', 'stands here twice')
        campaign = parsed(rootKind, value, 'campaign')
      } else head[first as string] = value
    },
    async flush(): Promise<void> {
      for (const { raw } of rows.values()) await raw.flush(false)
    },
    async close(): Promise<void> {
      for (const { raw } of rows.values()) await raw.close()
    },
    async resolve(hasFile: (name: string | null) => boolean, signal: AbortSignal): Promise<OwnDocument> {
      judgeHead(head)
      if (campaign === null) throw invalid('campaign', 'is missing', 'The document has no campaign in it.')
      return resolveRows({ folder, files, rows, rootKind, campaign, head, drops, hasFile, signal })
    },
  }
}

function judgeHead({ format, version }: Readonly<Record<string, unknown>>): void {
  if (format !== documentFormat)
    throw invalid(
      'format',
      `not ${documentFormat}`,
      'This is not a campaign exported by Talekeeper: its format says something else.',
    )
  if (typeof version !== 'number') throw invalid('version', 'a number')
  if (version > documentVersion)
    throw invalid(
      'version',
      'of a later Talekeeper',
      'This file was made by a later Talekeeper. Update this server first; the file will wait.',
    )
}

function refusal(at: string, error: z.ZodError): Error {
  const details = error.issues.slice(0, 5).map(({ path: steps, message }) => ({
    path: placeText([at, ...(steps as (string | number)[])]),
    message,
  }))
  const [first] = details
  return fail('validation_failed', `${first?.path ?? at}: ${first?.message ?? 'not valid'}`, { details })
}

interface Resolving {
  readonly folder: string
  readonly files: Files
  readonly rows: ReadonlyMap<string, Rows>
  readonly rootKind: ArrivingKind
  readonly campaign: Record<string, unknown>
  readonly head: Readonly<Record<string, unknown>>
  readonly drops: ReturnType<typeof createDropLog>
  readonly signal: AbortSignal
  hasFile(name: string | null): boolean
}

/** Steps 2 and 3. */
async function resolveRows(parts: Resolving): Promise<OwnDocument> {
  const { rows, rootKind, campaign, head, drops, signal } = parts
  const gone = await rowsThatStay(parts)
  const isGone = (kind: string, place: number): boolean => gone.get(kind)?.has(place) === true
  let [plainMentions, unowned] = [0, 0]
  const stay = gone.get(attachmentKind)?.size ?? 0
  const pictures = { found: (rows.get(attachmentKind)?.last ?? 0) - stay, missing: stay }

  /** The place of what an id names; null where that stays behind. Throws where it names nothing. */
  const placeOf = (target: string, id: number, at: string): number | null => {
    const place = rows.get(target)?.places.get(id)
    if (place === undefined) throw invalid(at, `names ${target} ${id}, and there is none in the document`)
    return isGone(target, place) ? null : place
  }
  const settle = (kind: ArrivingKind, values: Record<string, unknown>, at: string): void => {
    for (const { key, target } of kind.references) {
      const id = values[key]
      if (typeof id === 'number') values[key] = placeOf(target, id, `${at}.${key}`)
    }
    for (const { type, id } of kind.links) {
      const [kindOf, target] = [values[type] ?? null, values[id] ?? null]
      if (kindOf === null && target === null) continue
      if (typeof kindOf !== 'string' || typeof target !== 'number') throw invalid(`${at}.${id}`, 'goes with its kind')
      if (rows.get(kindOf)?.kind.entity.title == null)
        throw invalid(`${at}.${type}`, 'not a kind of thing that can be linked to')
      const place = placeOf(kindOf, target, `${at}.${id}`)
      values[id] = place
      if (place === null) values[type] = null
    }
    for (const { key, schema } of kind.inner) {
      if (values[key] === undefined) continue
      values[key] = withChangedIds(schema, values[key], (target, id, inside) =>
        placeOf(target, id, `${at}.${key}${inside}`),
      )
    }
    const mentioned = (type: string, id: number): number | null => {
      const place = rows.get(type)?.places.get(id)
      if (place !== undefined && !isGone(type, place)) return place
      plainMentions += 1
      return null
    }
    for (const key of kind.texts)
      if (values[key] !== undefined) values[key] = inTexts(values[key], (text) => remapMentions(text, mentioned))
  }

  const kinds: ArrivedKind[] = []
  const counts: ImportReport['kinds'] = []
  for (const [name, { kind, raw, last }] of rows) {
    if (last === 0) continue
    const file = path.join(parts.folder, `${kinds.length}-${name}.ndjson`)
    const out = lineFile(parts.files, file)
    const unique = uniqueIn(kind.entity)
    const trees = kind.references
      .filter(({ target }) => target === name)
      .map(({ key }) => ({ key, parents: new Int32Array(last + 1) }))
    try {
      for await (const line of raw.lines()) {
        if (signal.aborted) throw fail('cancelled')
        const { at, createdAt, updatedAt, ...row } = line as RawRow
        const values = { ...row.values }
        settle(kind, values, at)
        if (isGone(name, row.place)) continue
        unique(values, at)
        for (const { key, parents } of trees) parents[row.place] = (values[key] as number | null) ?? 0
        if (kind.people.length > 0) unowned += 1
        out.add({ ...row, values, createdAt: createdAt ?? null, updatedAt: updatedAt ?? null } satisfies ArrivedRow)
        await out.flush(false)
      }
      for (const { key, parents } of trees) refuseCircle(name, key, parents)
    } finally {
      await out.close()
    }
    const leftOut = gone.get(name)?.size ?? 0
    kinds.push({ entityType: name, last, count: last - leftOut, file })
    counts.push({ entityType: name, count: last - leftOut, leftOut })
  }
  const { id: _, createdAt, updatedAt, ...values } = campaign
  settle(rootKind, values, 'campaign')
  const textOf = (value: unknown): string | null => (typeof value === 'string' ? value.slice(0, 120) : null)
  const report = {
    name: String(campaign.name),
    profile: textOf(head.profile),
    madeBy: textOf(head.madeBy),
    kinds: counts,
    pictures,
    dropped: drops.list(),
    plainMentions,
    unowned,
  }
  return { report, campaign: { ...values, createdAt, updatedAt }, kinds }
}

const attachmentKind = 'attachment'

/** Places of rows that cannot come in: pictures without their files, and what cannot be without one of those. */
async function rowsThatStay({ rows, hasFile }: Resolving): Promise<ReadonlyMap<string, ReadonlySet<number>>> {
  const stay = new Map<string, Set<number>>()
  for (const [name, { kind, raw, last }] of rows) {
    const needs = kind.references.filter(({ isNeeded, target }) => isNeeded && (stay.get(target)?.size ?? 0) > 0)
    if (last === 0 || (needs.length === 0 && name !== attachmentKind)) continue
    const places = new Set<number>()
    for await (const line of raw.lines()) {
      const { place, values, file } = line as RawRow
      const isLost = ({ key, target }: (typeof needs)[number]): boolean => {
        const at = rows.get(target)?.places.get(values[key] as number)
        return at !== undefined && stay.get(target)?.has(at) === true
      }
      if ((name === attachmentKind && !hasFile(file)) || needs.some(isLost)) places.add(place)
    }
    stay.set(name, places)
  }
  return stay
}

/** Remembers what must be unique, and throws where it is there twice. */
function uniqueIn({ unique, label }: Entity): (values: Readonly<Record<string, unknown>>, at: string) => void {
  const seen = unique.map(() => new Map<string, string>())
  return (values, at) => {
    for (const [index, keys] of unique.entries()) {
      const parts = keys.map((key) => values[key] ?? null)
      if (parts.includes(null)) continue
      const text = JSON.stringify(parts)
      const other = seen[index]?.get(text)
      if (other !== undefined)
        throw invalid(`${at}.${keys[0]}`, `${other} is a ${label} with the same ${keys.join(' and ')}`)
      seen[index]?.set(text, at)
    }
  }
}

/** Throws where a row is, by some way, below itself. */
function refuseCircle(name: string, key: string, parents: Int32Array): void {
  /** 0 not looked at, 1 on the way, 2 known to end. */
  const known = new Uint8Array(parents.length)
  for (let start = 1; start < parents.length; start += 1) {
    const way: number[] = []
    for (let at = start; at !== 0 && known[at] !== 2; at = parents[at] ?? 0) {
      if (known[at] === 1) throw invalid(`rows.${name}[${at - 1}].${key}`, 'leads in a circle')
      known[at] = 1
      way.push(at)
    }
    for (const at of way) known[at] = 2
  }
}
