/** A mention in Markdown text: a link of the form `[Nettie](npc:12)`. */
export interface Mention {
  readonly entityType: string
  readonly entityId: number
}

const pattern = /\[[^\]\n]{1,200}\]\(([a-z_]{1,40}):([1-9][0-9]{0,14})\)/g

/** The distinct things a text mentions, in the order of their first mention. */
export function mentionsIn(text: string): readonly Mention[] {
  const found = new Map<string, Mention>()
  for (const match of text.matchAll(pattern)) {
    const mention = { entityType: match[1] as string, entityId: Number(match[2]) }
    found.set(`${mention.entityType}:${mention.entityId}`, mention)
  }
  return Array.from(found.values())
}
