// Mentions in texts that leave and come home: `[Nettie](npc:12)`, as kernel/mentions.ts reads them.

const mention = /\[([^\]\n]{1,200})\]\(([a-z_]{1,40}):([1-9][0-9]{0,14})\)/g

/** The text with the words alone of what is mentioned and does not go along. */
export function withoutMentions(text: string, goes: (entityType: string, entityId: number) => boolean): string {
  if (!text.includes('](')) return text
  return text.replace(mention, (whole, label: string, type: string, id: string) =>
    goes(type, Number(id)) ? whole : label,
  )
}

/** The text with other ids; where there is none, with the words alone. */
export function remapMentions(text: string, idOf: (entityType: string, entityId: number) => number | null): string {
  if (!text.includes('](')) return text
  return text.replace(mention, (_, label: string, type: string, id: string) => {
    const remapped = idOf(type, Number(id))
    return remapped === null ? label : `[${label}](${type}:${remapped})`
  })
}
