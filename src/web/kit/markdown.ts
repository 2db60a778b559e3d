import DOMPurify from 'dompurify'
import { Marked, type Tokens } from 'marked'
import { marks } from './diff-words.ts'

/** A link of the form `[Nettie](npc:12)` mentions a thing of the campaign. */
const mention = /^([a-z_]{1,40}):([1-9][0-9]{0,14})$/

const ownPicture = /^\/api\/v1\/attachments\/[1-9][0-9]*\/file(\?size=(thumb|medium|original))?$/

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escaped = (text: string): string => text.replace(/[&<>"]/g, (letter) => entities[letter] ?? letter)

export type EntityPath = (entityType: string, id: number) => string | null

const allowed = {
  ALLOWED_TAGS:
    'p br strong em del a ul ol li blockquote h1 h2 h3 h4 hr code pre table thead tbody tr th td img sup sub'.split(
      ' ',
    ),
  ALLOWED_ATTR: ['href', 'title', 'src', 'alt', 'start', 'colspan', 'rowspan', 'align'],
  ALLOWED_URI_REGEXP: /^(?:https?:|mailto:|\/(?![/\\])|#)/i,
}

DOMPurify.addHook('afterSanitizeAttributes', (node) => {
  if (node.tagName === 'A' && !node.getAttribute('href')?.startsWith('/')) {
    node.setAttribute('rel', 'noopener noreferrer')
    node.setAttribute('target', '_blank')
  }
  if (node.tagName === 'IMG') node.setAttribute('loading', 'lazy')
})

/**
 * Markdown to HTML that holds nothing but text, lists, tables, links and pictures of this server. A mention becomes a
 * link to the page of its thing, and plain words when it has none.
 */
export function renderMarkdown(text: string, entityPath: EntityPath): string {
  const reader = new Marked({
    gfm: true,
    breaks: true,
    async: false,
    renderer: {
      // The page's own title is its first heading; those of a text stand below it.
      heading({ tokens, depth }) {
        const level = Math.min(depth + 1, 4)
        return `<h${level}>${this.parser.parseInline(tokens)}</h${level}>`
      },
      // Tags that somebody typed are words like others.
      html: ({ text: typed }) => escaped(typed),
      // What is to be done, and what is: ticked where it is written, or beside the session.
      checkbox: ({ checked }) => (checked ? '☑ ' : '☐ '),
      // Pictures come from this server; others are a link to follow or not.
      image: ({ href, text: words }) =>
        ownPicture.test(href)
          ? `<img src="${escaped(href)}" alt="${escaped(words)}">`
          : `<a href="${escaped(href)}">${escaped(words || href)}</a>`,
    },
    walkTokens(token) {
      if (token.type !== 'link') return
      const link = token as Tokens.Link
      const found = mention.exec(link.href)
      if (found) link.href = entityPath(found[1] ?? '', Number(found[2])) ?? ''
    },
  })
  const html = reader.parse(text, { async: false })
  return drawChanges(DOMPurify.sanitize(html, allowed))
}

/** The signs of `markChanges` as what is struck and what is added; a text without a change has none. */
function drawChanges(html: string): string {
  if (!html.includes(marks.gone[0]) && !html.includes(marks.new[0])) return html
  return html
    .replaceAll(marks.gone[0], '<del>')
    .replaceAll(marks.gone[1], '</del>')
    .replaceAll(marks.new[0], '<ins>')
    .replaceAll(marks.new[1], '</ins>')
}
