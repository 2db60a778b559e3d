import * as z from 'zod'
import { linkedThingOutput } from './entity.ts'

/** A thing that a search or a mention has found. */
export const searchHit = z.object({
  entityType: z.string(),
  entityId: z.int(),
  /** The thing that it is a part of: the quest of a step. Null for what stands by itself. */
  partOf: linkedThingOutput.nullable(),
  title: z.string(),
  /** Text around the match; matched words stand between U+0002 and U+0003. */
  snippet: z.string(),
})

export type SearchHit = z.output<typeof searchHit>
