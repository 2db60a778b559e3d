import type { ComponentType, JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Button } from '../kit/button.tsx'
import { EmptyState, Loading } from '../kit/page.tsx'

/** A page whose code is fetched when it is first opened. */
export function lazy<P extends object>(load: () => Promise<ComponentType<P>>): (props: P) => JSX.Element {
  let ready: ComponentType<P> | undefined
  return function Lazy(props: P) {
    const [Page, setPage] = useState<ComponentType<P> | undefined>(() => ready)
    const [failed, setFailed] = useState(false)
    useEffect(() => {
      if (Page) return
      load().then(
        (loaded) => {
          ready = loaded
          setPage(() => loaded)
        },
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
}
