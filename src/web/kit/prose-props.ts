import type { ProseEditor } from './prose-editor.ts'

/** What a place for prose is told, whichever way it is drawn. */
export interface ProseAreaProps {
  /** The element that a label is for. */
  readonly id: string
  readonly name?: string | undefined
  /** Markdown, as it is stored. */
  readonly value: string
  readonly onValue: (value: string) => void
  readonly rows?: number | undefined
  readonly placeholder?: string | undefined
  readonly maxLength?: number | undefined
  readonly autofocus?: boolean | undefined
  /** Where somebody was typing when the editor came; it goes on there. */
  readonly caret?: number
  readonly 'aria-describedby'?: string | undefined
  readonly 'aria-invalid'?: true | undefined
  /** What buttons beside it do to the text; empty as long as there is no editor. */
  readonly tools?: { current: ProseEditor | null }
}
