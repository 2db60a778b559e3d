import { type ComponentChildren, createContext, type JSX } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { useUniqueId } from './hooks.ts'

/** What the dialog around is called: it tells the forms of one page apart. */
export const DialogTitle = createContext('')

interface DialogProps {
  readonly title: string
  readonly onClose: () => void
  readonly class?: string
  /** The title is for assistive technology only. */
  readonly quietTitle?: boolean
  readonly children: ComponentChildren
}

/** A native modal dialog; Escape and a press outside close it, and the focus goes back to where it was. */
export function Dialog({ title, onClose, class: extra, quietTitle, children }: DialogProps): JSX.Element {
  const self = useRef<HTMLDialogElement>(null)
  const id = useUniqueId()
  // With what is drawn: the next key is meant for what is shown.
  useLayoutEffect(() => {
    const dialog = self.current
    const before = document.activeElement
    dialog?.showModal()
    return () => {
      dialog?.close()
      if (before instanceof HTMLElement) before.focus({ preventScroll: true })
    }
  }, [])
  return (
    <dialog
      ref={self}
      class={extra ?? 'dialog'}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      onMouseDown={(event) => {
        if (event.target === self.current) onClose()
      }}
    >
      <h2 id={id} class={quietTitle ? 'visually-hidden' : undefined}>
        {title}
      </h2>
      <DialogTitle.Provider value={title}>{children}</DialogTitle.Provider>
    </dialog>
  )
}
