import type { ForeignZip } from '../../archive/foreign-zip.ts'
import { invalid } from '../../kernel/errors.ts'
import { type Json, listOf, numberOf, recordOf } from './book.ts'

// Records of Kanka's export as all of its readers look at them.

export interface Thing {
  readonly folder: string
  readonly place: string
  readonly record: Json
  readonly entity: Json
  readonly kind: string
  readonly name: string
  readonly isHidden: boolean
  row: { readonly id: number } | null
}

export interface Known {
  readonly byEntity: ReadonlyMap<number, Thing>
  /** By the folder and the id of the record. */
  readonly byRecord: ReadonlyMap<string, Thing>
}

/** A file of the zip. Throws `validation_failed` naming it where it is no JSON. */
export async function parsed(zip: ForeignZip, name: string): Promise<Json> {
  try {
    return recordOf(JSON.parse(await zip.text(name)))
  } catch (error) {
    if (error instanceof SyntaxError)
      throw invalid('file', 'not valid JSON', `${name.slice(0, 120)} is not valid JSON.`)
    throw error
  }
}

/** Visible to everybody at the table: all, or members. */
export const isOpen = (value: unknown): boolean => [null, 1, 5].includes(numberOf(value))
export const isSet = (value: unknown): boolean => value === true || value === 1 || value === '1'

/** A list that may have come as JSON inside of a text. */
export function inText(value: unknown): readonly Json[] {
  if (typeof value !== 'string') return listOf(value).map(recordOf)
  try {
    return listOf(JSON.parse(value)).map((each) => (typeof each === 'string' ? { name: each } : recordOf(each)))
  } catch {
    return []
  }
}
