/** Text that is HTML already. Only `html` and `icon` make it. */
export interface Html {
  readonly html: string
}

type Part = Html | string | number | false | null | readonly Html[]

/** HTML from a template: every value is escaped, unless it is HTML itself. `false` and null are nothing. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return {
    html: strings.map((text, index) => text + (index < parts.length ? rendered(parts[index] ?? null) : '')).join(''),
  }
}

function rendered(part: Part): string {
  if (part === null || part === false) return ''
  if (typeof part === 'number') return String(part)
  if (typeof part === 'string') return escaped(part)
  return 'html' in part ? part.html : part.map((each) => each.html).join('')
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>"'`]/g, (char) => entities[char] ?? '')
}
