import type { JSX } from 'preact'
import type { Difference, Input, OperationName } from '../api/contract.ts'
import { allKinds, idMember, type Kind } from '../kinds.ts'
import { useQueries } from '../shell/context.ts'
import { diffWords } from './diff-words.ts'
import { capitalize } from './format.ts'
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

/** The kind that a field refers to: `giverNpcId` names an npc. */
function referencedKind(field: string): Kind | undefined {
  return allKinds.find(({ name }) => {
    const member = idMember(name)
    return field === member || field.endsWith(capitalize(member))
  })
}

/**
 * The words for the ids in a change: `giverNpcId` 4 -> Marta Quill. A change keeps what it changed as it was, by ids; what
 * they name today is asked, once for each of them.
 */
function useReferenceName(list: readonly Difference[]): (field: string, value: unknown) => string | null {
  const named = list.flatMap(({ field, before, after, beforeTitle, afterTitle }) => {
    const kind = referencedKind(field)
    if (kind?.get === undefined || kind.titleOf === undefined) return []
    const unnamed = [...(beforeTitle ? [] : [before]), ...(afterTitle ? [] : [after])]
    const ids = unnamed.filter((value): value is number => typeof value === 'number')
    return ids.map((id) => ({ kind, id, ask: [kind.get, { [idMember(kind.name)]: id }] as unknown as Asked }))
  })
  const rows = useQueries(named.map(({ ask }) => ask))
  return (field, value) => {
    const kind = typeof value === 'number' ? referencedKind(field) : undefined
    if (kind === undefined) return null
    const row = rows[named.findIndex((one) => one.kind === kind && one.id === value)]
    return (row && kind.titleOf?.(row as never)) ?? `a ${kind.one}`
  }
}

type Asked = readonly [OperationName, Input<OperationName>]

/** All that a change changes. */
export function Differences({ list }: { list: readonly Difference[] }): JSX.Element {
  const nameOf = useReferenceName(list)
  const word = (field: string, value: unknown, title?: string | null) =>
    title || (nameOf(field, value) ?? valueLabel(value))
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
