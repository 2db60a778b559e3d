import { setImmediate } from 'node:timers/promises'
import { campaign } from '../domain/campaign/entity.ts'
import type { Entity } from '../kernel/entity.ts'
import { fail } from '../kernel/errors.ts'
import { documentFormat, documentVersion } from './document-format.ts'
import { type ExportedRow, type Exporting, exportedRow } from './exported-row.ts'
import type { LeftOut } from './left-out.ts'

/** Rows that are read before others get their turn, and bytes that are sent at once. */
const [rowsAtOnce, bytesAtOnce] = [40, 64 * 1024]

/** The rows of one kind of thing, in the order of their ids. */
export async function* rowsOf(exporting: Exporting, entity: Entity, signal: AbortSignal): AsyncGenerator<ExportedRow> {
  const selected = exporting.selection.get(entity.name)
  if (selected === undefined) return
  let read = 0
  for (const id of selected.ids) {
    const row = exportedRow(exporting, entity, selected.eyes, id)
    if (row !== null) yield row
    read += 1
    if (read % rowsAtOnce !== 0) continue
    signal.throwIfAborted()
    await setImmediate()
  }
}

/** The campaign's own fields. */
export function campaignRow(exporting: Exporting): ExportedRow {
  const row = exportedRow(exporting, campaign as unknown as Entity, exporting.eyes, exporting.campaignId)
  if (row === null) throw fail('not_found')
  return row
}

export interface DocumentHead {
  readonly madeBy: string
  readonly exportedAt: string
  /** Names of the pictures that go along, by the ids of their rows. */
  readonly files: ReadonlyMap<number, string>
  /** The pictures that do not. */
  readonly leftOut: readonly LeftOut[]
}

/** A campaign as JSON, piece by piece. */
export async function* documentText(
  exporting: Exporting,
  { madeBy, exportedAt, files, leftOut }: DocumentHead,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  let text = ''
  const { profile, selection } = exporting
  const known = { format: documentFormat, version: documentVersion, profile, madeBy, exportedAt }
  const head = leftOut.length === 0 ? known : { ...known, leftOut }
  text += `${JSON.stringify(head).slice(0, -1)},\n"campaign":${JSON.stringify(campaignRow(exporting))},\n"rows":{`
  let isFirstKind = true
  for (const { entity } of selection.values()) {
    text += `${isFirstKind ? '' : ','}\n${JSON.stringify(entity.name)}:[`
    isFirstKind = false
    let isFirst = true
    for await (const row of rowsOf(exporting, entity, signal)) {
      const file = entity.name === 'attachment' ? files.get(row.id) : undefined
      text += `${isFirst ? '' : ','}\n${JSON.stringify(file === undefined ? row : { ...row, file })}`
      isFirst = false
      if (text.length < bytesAtOnce) continue
      yield Buffer.from(text)
      text = ''
    }
    text += ']'
  }
  yield Buffer.from(`${text}}}\n`)
}
