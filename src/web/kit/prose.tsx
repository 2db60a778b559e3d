import type { JSX } from 'preact'
import { useContext, useEffect, useState } from 'preact/hooks'
import { useLocation } from 'wouter-preact'
import { excerptOf } from '../../kernel/excerpt.ts'
import { CampaignContext } from '../shell/context.ts'
import { entityPath } from '../shell/links.ts'
import type { renderMarkdown } from './markdown.ts'

type Render = typeof renderMarkdown

let ready: Render | undefined
let loading: Promise<Render> | undefined

/** The Markdown reader is a chunk of its own, fetched with the first text that needs it. */
function load(): Promise<Render> {
  loading ??= import('./markdown.ts').then((chunk) => {
    ready = chunk.renderMarkdown
    return chunk.renderMarkdown
  })
  return loading
}

/** Text written in Markdown. Until the reader is here its paragraphs are shown as they were typed. */
export function Prose({ text, class: extra = 'prose' }: { text: string; class?: string }): JSX.Element {
  const here = useContext(CampaignContext)
  const [, navigate] = useLocation()
  const [render, setRender] = useState<Render | undefined>(() => ready)
  useEffect(() => {
    if (!render) void load().then((loaded) => setRender(() => loaded))
  }, [render])
  if (render) {
    const campaignId = here?.campaignId
    const html = render(text, (type, id) => (campaignId === undefined ? null : entityPath(campaignId, type, id)))
    /** Links to our own pages stay in the application. */
    const onClick = (event: MouseEvent) => {
      const link = (event.target as Element).closest('a')
      const to = link?.getAttribute('href')
      if (!to?.startsWith('/campaigns/') || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey)
        return
      event.preventDefault()
      navigate(to)
    }
    // renderMarkdown lets only a short list of elements through.
    // biome-ignore lint/a11y/noStaticElementInteractions: the links inside answer the keys themselves
    // biome-ignore lint/a11y/useKeyWithClickEvents: the links inside answer the keys themselves
    return <div class={extra} onClick={onClick} dangerouslySetInnerHTML={{ __html: html }} />
  }
  return (
    <div class={extra}>
      {text
        .replace(/[\ue000-\ue003]/g, '')
        .split(/\n{2,}/)
        .map((paragraph) => (
          <p key={paragraph}>{paragraph}</p>
        ))}
    </div>
  )
}

/** The first words of a text without its Markdown marks, for a line in a list. */
export const excerpt = (text: string | null | undefined, length = 140): string => excerptOf(text ?? '', length)
