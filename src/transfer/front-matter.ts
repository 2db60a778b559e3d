// Front matter as Obsidian shows it: flat YAML, links in quotes, lists of texts. JSON strings are YAML's double-quoted ones.

export type Property = readonly [key: string, value: string | number | boolean | readonly unknown[]]

/** What YAML reads as a plain text and nothing else. */
const plainText = /^[\p{L}][\p{L}\p{N} '’_-]*$/u
const reserved = /^(true|false|yes|no|on|off|null|y|n|nan|inf)$/i

export function frontMatter(properties: readonly Property[]): string {
  const lines = properties.flatMap(([key, value]) =>
    Array.isArray(value) ? [`${key}:`, ...value.map((each) => `  - ${scalar(each)}`)] : [`${key}: ${scalar(value)}`],
  )
  return ['---', ...lines, '---'].join('\n')
}

function scalar(value: unknown): string {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  const text = String(value)
  // Days and instants as Obsidian knows them.
  if (/^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}:\d{2}((\.\d+)?Z)?)?$/.test(text)) return text.replace(/(\.\d+)?Z$/, '')
  return plainText.test(text) && !reserved.test(text) && text.trimEnd() === text ? text : JSON.stringify(text)
}

/** A link as the value of a property. */
export function quotedLink(path: string, title: string): string {
  return `[[${path}|${title.replaceAll(/[|[\]]/g, ' ')}]]`
}
