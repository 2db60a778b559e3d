import { useEffect, useState } from 'preact/hooks'
import type { Size } from './view.ts'

export interface Loaded {
  readonly url: string
  /** Null where there is no image. */
  readonly size: Size | null
}

/** The last image that has come: while a newer one is on its way, the one before it is shown. */
export function useLoaded(url: string | null): Loaded | null {
  const [loaded, setLoaded] = useState<Loaded | null>(null)
  useEffect(() => {
    if (url === null) return setLoaded(null)
    const image = new Image()
    image.onload = () => setLoaded({ url, size: { width: image.naturalWidth, height: image.naturalHeight } })
    image.onerror = () => setLoaded({ url, size: null })
    image.src = url
    return () => {
      image.onload = null
      image.onerror = null
    }
  }, [url])
  return loaded
}
