import * as z from 'zod'

/** What a reference brings with it: the target by the name it has for this viewer. */
export interface Reference {
  readonly id: number
  /** At most 120 characters on one line; empty where the target has none, or where its text is withheld. */
  readonly title: string
}
/** The same for a link to any kind of thing. */
export interface LinkedThing {
  readonly entityType: string
  readonly entityId: number
  readonly title: string
}

/** A reference in an answer. */
export const referenceOutput = z.object({ id: z.int(), title: z.string() })
export const linkedThingOutput = z.object({ entityType: z.string(), entityId: z.int(), title: z.string() })
