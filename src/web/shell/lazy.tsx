import type { ComponentType, JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Button } from '../kit/button.tsx'
import { EmptyState, Loading } from '../kit/page.tsx'

export interface LazyPage<P extends object> {
  (props: P): JSX.Element
  /** Fetches the code ahead of time. Rejects where it does not come. */
  preload(): Promise<unknown>
}

/** A page whose code is fetched when it is first opened, or ahead of that. */
export function lazy<P extends object>(load: () => Promise<ComponentType<P>>): LazyPage<P> {
  let ready: ComponentType<P> | undefined
  const preload = async () => {
    ready ??= await load()
    return ready
  }
  function Lazy(props: P): JSX.Element {
    const [Page, setPage] = useState<ComponentType<P> | undefined>(() => ready)
    const [failed, setFailed] = useState(false)
    useEffect(() => {
      if (Page) return
      preload().then(
        (loaded) => setPage(() => loaded),
        () => setFailed(true),
      )
    }, [Page])
    if (Page) return <Page {...props} />
    if (!failed) return <Loading />
    return (
      <EmptyState
        drawing="road"
        title="This page did not arrive"
        alone
        action={
          <Button variant="primary" onClick={() => location.reload()}>
            Load it again
          </Button>
        }
      >
        The server may have been brought up to date meanwhile, or the connection is gone.
      </EmptyState>
    )
  }
  return Object.assign(Lazy, { preload })
}

const PRELOAD_AFTER_MS = 4000

/** Until the browser has nothing else to do; Safari does not say, so there a moment has to do. */
const untilIdle = () =>
  new Promise<void>((resolve) => {
    if ('requestIdleCallback' in globalThis) requestIdleCallback(() => resolve(), { timeout: 2000 })
    else setTimeout(resolve, 50)
  })

/**
 * Fetches the code of pages once the first one is shown and nothing else is to be done: one turns the page without
 * waiting, also where there is no reception any more. One at a time, so that it never stands in the way of an answer.
 */
export function usePreload(pages: readonly { readonly preload?: () => Promise<unknown> }[]): void {
  useEffect(() => {
    let left = false
    const timer = setTimeout(async () => {
      for (const { preload } of pages) {
        await untilIdle()
        if (left) return
        // A page that does not come now is asked for again when it is opened.
        await preload?.().catch(() => undefined)
      }
    }, PRELOAD_AFTER_MS)
    return () => {
      left = true
      clearTimeout(timer)
    }
  }, [pages])
}
