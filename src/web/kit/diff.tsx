import type { JSX } from 'preact'
import type { Difference } from '../api/contract.ts'
import { diffWords } from './diff-words.ts'
import { fieldLabel, valueLabel } from './labels.ts'

/** The words of a change, struck and added in their sentence. */
export function WordDiff({ before, after }: { before: string; after: string }): JSX.Element {
  return (
    <p class="word-diff">
      {diffWords(before, after).map((piece, index) => {
        const key = `${index} ${piece.kind}`
        if (piece.kind === 'gone') return <del key={key}>{piece.text}</del>
        if (piece.kind === 'new') return <ins key={key}>{piece.text}</ins>
        return <span key={key}>{piece.text}</span>
      })}
    </p>
  )
}

const prose = new Set(['body', 'description', 'recap', 'prep', 'text', 'dmSecret', 'title', 'name', 'voice', 'reward'])

/** All that a change changes. `nameOf` gives the word for a reference (place 4 -> The chapel). */
export function Differences({
  list,
  nameOf,
}: {
  list: readonly Difference[]
  nameOf?: (field: string, value: unknown) => string | null
}): JSX.Element {
  const word = (field: string, value: unknown, title?: string | null) =>
    title || (nameOf?.(field, value) ?? valueLabel(value))
  const shown = list.filter(
    ({ field, before, after, beforeTitle, afterTitle }) =>
      word(field, before, beforeTitle) !== word(field, after, afterTitle),
  )
  return (
    <div class="diff">
      {shown.map(({ field, before, after, beforeTitle, afterTitle }) => {
        const old = word(field, before, beforeTitle)
        const fresh = word(field, after, afterTitle)
        return (
          <div key={field}>
            {(shown.length > 1 || !prose.has(field)) && <span class="field-name">{fieldLabel(field)}</span>}
            {prose.has(field) ? (
              <WordDiff before={old} after={fresh} />
            ) : (
              <p>
                {old && <del>{old}</del>} {fresh && <ins>{fresh}</ins>}
              </p>
            )}
          </div>
        )
      })}
    </div>
  )
}
