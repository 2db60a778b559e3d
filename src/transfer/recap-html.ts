import { lexer, type Token, type Tokens } from 'marked'

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** A text as it stands in HTML, between tags or in an attribute. */
export function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (char) => entities[char] ?? '')
}

/** The name that a thing has for whoever reads; null where it is not theirs to see. */
export type NameOf = (entityType: string, entityId: number) => string | null

const mention = /^([a-z_]{1,40}):([1-9][0-9]{0,14})$/

/**
 * Markdown as HTML that is only read: paragraphs, headings, lists, quotes and emphasis. Whatever else somebody typed is
 * words: tags, links and pictures too. A mention is the name that its thing has for the reader, and the words that were
 * typed where they do not see it.
 */
export function recapHtml(text: string, nameOf: NameOf): string {
  return blocks(lexer(text, { gfm: true, breaks: true }), nameOf)
}

function blocks(tokens: readonly Token[], nameOf: NameOf): string {
  return tokens.map((token) => block(token as Tokens.Generic, nameOf)).join('\n')
}

function block(token: Tokens.Generic, nameOf: NameOf): string {
  const within = (): string => inline(token.tokens ?? [], nameOf)
  switch (token.type) {
    case 'space':
    case 'def':
      return ''
    case 'hr':
      return '<hr>'
    case 'paragraph':
      return `<p>${within()}</p>`
    case 'heading':
      // The title of the page is its first heading.
      return token.depth <= 2 ? `<h2>${within()}</h2>` : `<h3>${within()}</h3>`
    case 'blockquote':
      return `<blockquote>${blocks(token.tokens ?? [], nameOf)}</blockquote>`
    case 'list': {
      const { ordered, items } = token as Tokens.List
      const tag = ordered ? 'ol' : 'ul'
      return `<${tag}>${items.map((item) => `<li>${blocks(item.tokens, nameOf)}</li>`).join('')}</${tag}>`
    }
    case 'text':
      return token.tokens === undefined ? escaped(token.text) : within()
    default:
      return `<p>${escaped(String(token.text ?? token.raw))}</p>`
  }
}

function inline(tokens: readonly Token[], nameOf: NameOf): string {
  return tokens.map((token) => span(token as Tokens.Generic, nameOf)).join('')
}

function span(token: Tokens.Generic, nameOf: NameOf): string {
  const within = (): string => inline(token.tokens ?? [], nameOf)
  switch (token.type) {
    case 'strong':
      return `<strong>${within()}</strong>`
    case 'em':
      return `<em>${within()}</em>`
    case 'del':
      return `<del>${within()}</del>`
    case 'br':
      return '<br>'
    case 'link': {
      const [, entityType = '', id = ''] = mention.exec(String(token.href)) ?? []
      const name = entityType === '' ? null : nameOf(entityType, Number(id))
      return name === null ? within() : escaped(name)
    }
    default:
      // `raw` of an escape holds the backslash; its text is the letter that was meant.
      return escaped(String(token.text ?? token.raw))
  }
}
