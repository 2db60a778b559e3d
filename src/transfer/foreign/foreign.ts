import type { ForeignZip } from '../../archive/foreign-zip.ts'
import { invalid } from '../../kernel/errors.ts'
import { documentName } from '../document-format.ts'
import type { ForeignDocument } from './book.ts'
import { kankaDocument } from './kanka.ts'
import { vaultDocument } from './obsidian.ts'

export type Foreign = 'kanka' | 'obsidian'

/** Which other program a zip is of; null where it is one of ours, or of nothing that is known. */
export function foreignKind({ entries }: Pick<ForeignZip, 'entries'>): Foreign | null {
  if (entries.has('info.json') && entries.has(documentName)) return 'kanka'
  if (entries.has(documentName)) return null
  return [...entries.keys()].some((name) => /\.md$/i.test(name)) ? 'obsidian' : null
}

/** The zip of another program as a document of ours. Throws `validation_failed` where it is not what it seems. */
export async function foreignDocument(zip: ForeignZip, kind: Foreign): Promise<ForeignDocument> {
  try {
    return await (kind === 'kanka' ? kankaDocument(zip) : vaultDocument(zip))
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw invalid('file', 'too deep', 'Something in this zip is nested more deeply than anybody writes.')
  }
}
