import type { ComponentChildren, JSX } from 'preact'
import { useContext, useLayoutEffect, useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import type { CallError } from '../api/call.ts'
import { CampaignContext, useApp } from '../shell/context.ts'
import { Button } from './button.tsx'
import { Icon } from './icon.tsx'

/** The way back, above the title. */
export function BackLink({ to, children }: { to: string; children: ComponentChildren }): JSX.Element {
  return (
    <p class="back-link">
      <Link href={to}>
        <Icon name="left" size="s" />
        {children}
      </Link>
    </p>
  )
}

export function PageHeader({
  title,
  sub,
  children,
}: {
  title: ComponentChildren
  sub?: ComponentChildren
  /** What can be done here. */
  children?: ComponentChildren
}): JSX.Element {
  return (
    <header class="head">
      <div>
        <h1>{title}</h1>
        {sub && <p class="sub line">{sub}</p>}
      </div>
      {children && <div class="actions">{children}</div>}
    </header>
  )
}

export function Section({
  title,
  end,
  children,
  class: extra,
}: {
  title: string
  end?: ComponentChildren
  children: ComponentChildren
  class?: string
}): JSX.Element {
  return (
    <section class={extra ? `section ${extra}` : 'section'}>
      <div class="section-head">
        <h2>{title}</h2>
        {end && <span class="end">{end}</span>}
      </div>
      {children}
    </section>
  )
}

/** The three drawings of an empty place: a book, an empty window, a road. */
const drawings = {
  book: 'M48 22c-10-7-22-8-38-6v46c16-2 28-1 38 6 10-7 22-8 38-6V16c-16-2-28-1-38 6Zm0 0v46M20 30c6-.6 12 0 18 2M20 40c6-.6 12 0 18 2',
  window: 'M30 66V30c0-12 8-20 18-20s18 8 18 20v36ZM48 10v56M30 38h36M22 66h52M40 66v-6h16v6',
  road: 'M40 66c-2-14 12-18 6-28S30 30 40 20s20-4 26-10M58 66c0-14 10-18 8-28M14 66h68M20 50l6-12 6 12ZM26 50v8M72 34l5-10 5 10ZM77 34v7',
} as const

export type Drawing = keyof typeof drawings

/** Nothing here yet: one drawing, one sentence that teaches, one button. */
export function EmptyState({
  drawing = 'book',
  title,
  alone,
  children,
  action,
}: {
  drawing?: Drawing
  title: string
  /** It is the whole page, so its title is the page's. */
  alone?: boolean
  children: ComponentChildren
  action?: ComponentChildren
}): JSX.Element {
  return (
    <div class="empty">
      <svg
        viewBox="0 0 96 72"
        fill="none"
        stroke="currentColor"
        stroke-width="2"
        stroke-linecap="round"
        stroke-linejoin="round"
        aria-hidden="true"
      >
        <path d={drawings[drawing]} />
      </svg>
      {alone ? <h1 class="h3">{title}</h1> : <p class="h3">{title}</p>}
      <p class="soft">{children}</p>
      {action}
    </div>
  )
}

/** Stands where something will be in a moment; it shows itself only when the moment is long. */
export function Loading({ word = 'Turning the page' }: { word?: string }): JSX.Element {
  return (
    <p class="loading" role="status">
      <span class="word brass">{word}</span>
    </p>
  )
}

/** What was asked for did not come, and what to do about it. `within`: it was only a part of a page that has its title. */
export function LoadError({
  error,
  retry,
  within,
}: {
  error: CallError
  retry?: () => void
  within?: boolean
}): JSX.Element {
  if (error.status === 404 || error.status === 403) {
    return (
      <EmptyState drawing="road" title="There is nothing here for you" alone={!within}>
        It may have been moved to the trash, or it is not yours to see yet.
      </EmptyState>
    )
  }
  return <Failed error={error} retry={retry} />
}

/** A part of a page that did not come. The first of them says it for all, and asks for all again. */
function Failed({ error, retry }: { error: CallError; retry: (() => void) | undefined }): JSX.Element | null {
  const { failures } = useApp()
  const here = useContext(CampaignContext)
  const [own] = useState(() => ({ retry: () => {} }))
  own.retry = () => retry?.()
  useLayoutEffect(() => failures.add(own), [])
  if (failures.first.value !== own) return null
  return (
    <div class="banner bad" role="alert">
      <Icon name="warn" />
      <span class="grow">{failureWords(error, here?.isDm)}</span>
      {retry && <Button onClick={failures.retryAll}>Try again</Button>}
    </div>
  )
}

/** Why something did not come, and what this person can do about it. */
function failureWords({ status, message }: CallError, isDm: boolean | undefined): string {
  const isTheServers = status === 0 || status >= 500
  return isTheServers && isDm === false ? `${message} If it stays so, tell your DM.` : message
}

/** One fact in the margin; nothing is shown when there is none. */
export function Fact({ name, children }: { name: string; children: ComponentChildren }): JSX.Element | null {
  if (children === null || children === undefined || children === '' || children === false) return null
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

/** A thin line of diamonds between two parts of a tale. */
export function Fleuron(): JSX.Element {
  return (
    <svg class="fleuron" viewBox="0 0 112 16" aria-hidden="true">
      <path fill="none" stroke="currentColor" stroke-width="1.2" d="M0 8h38M74 8h38" />
      <path fill="currentColor" d="m56 2 6 6-6 6-6-6Z" />
      <circle cx="43" cy="8" r="1.6" fill="currentColor" />
      <circle cx="69" cy="8" r="1.6" fill="currentColor" />
    </svg>
  )
}

export function Logo(): JSX.Element {
  return (
    <svg viewBox="4 3 56 58" class="mark" aria-hidden="true">
      <path
        fill="currentColor"
        d="M7 26.4c7.5-3.3 14.2-2.7 19.6.9 1 1.8 2.2 3 2.2 3l-2.200 23.1C20.6 50.5 13.8 50 7 52.3Zm50 0c-7.5-3.300-14.200-2.700-19.6.9-1 1.8-2.200 3-2.200 3l2.200 23.1c6-2.900 12.8-3.400 19.6-1.100Z"
      />
      <path
        fill="none"
        stroke="currentColor"
        stroke-width="2.6"
        d="M5.5 56.3c9.8-2.700 18.7-1.300 26.5 3.2 7.8-4.500 16.7-5.900 26.5-3.2"
      />
      <path class="flame" d="M32 5.5c2.2 5.8 7.5 8.8 7.5 15a7.5 7.5 0 0 1-15 0c0-6.2 5.3-9.200 7.5-15Z" />
    </svg>
  )
}

/** How far a thing has come, as diamonds. */
export function ProgressDots({ done, total }: { done: number; total: number }): JSX.Element | null {
  if (total === 0) return null
  if (total > 8) return <span class="small soft nowrap">{`${done} of ${total}`}</span>
  return (
    <span class="progress-dots" role="img" aria-label={`${done} of ${total} done`}>
      {Array.from({ length: total }, (_, index) => (
        <i key={index} class={index < done ? 'on' : undefined} />
      ))}
    </span>
  )
}

/** Long work with a sentence and a number. */
export function Progress({ said, part }: { said: string; part: number | null }): JSX.Element {
  const percent = part === null ? null : `${Math.round(Math.min(1, part) * 100)}%`
  return (
    <div class="progress">
      <div class="said">
        <span role="status">{said}</span>
        <span>{percent}</span>
      </div>
      <div class="track">
        <i class={percent === null ? 'wander' : undefined} style={{ '--done': percent ?? '30%' }} />
      </div>
    </div>
  )
}

/** The tags of a thing, as a fact beside it; each leads to all in `list` that have it. */
export function Tags({ tags, list }: { tags: readonly string[]; list: string }): JSX.Element {
  return (
    <Fact name="Tags">
      {tags.length > 0 && (
        <span class="chips">
          {tags.map((tag) => (
            <Link key={tag} class="chip" href={`${list}?tag=${encodeURIComponent(tag)}`}>
              {tag}
            </Link>
          ))}
        </span>
      )}
    </Fact>
  )
}
