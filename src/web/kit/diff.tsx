import type { JSX } from 'preact'
import type { Difference } from '../api/contract.ts'
import { allKinds, idMember, type Kind } from '../kinds.ts'
import { diffWords, markChanges } from './diff-words.ts'
import { capitalize } from './format.ts'
import { fieldLabel, valueLabel } from './labels.ts'
import { Prose } from './prose.tsx'

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

/** Fields of words that are compared word by word; of these the ones that are Markdown are drawn. */
const lines = new Set(['text', 'title', 'name', 'voice', 'reward', 'label', 'role'])
const markdown = new Set(
  'body description recap prep dmSecret summary notes tone lines veils houseRules safetyTools'.split(' '),
)
const isProse = (field: string) => lines.has(field) || markdown.has(field)

/** Nothing, a no and an empty list say the same of a thing that is new or gone: that there is nothing to tell. */
const saysNothing = (value: unknown) =>
  value === null ||
  value === undefined ||
  value === '' ||
  value === false ||
  (Array.isArray(value) && value.length === 0)

/** The kind that a field refers to: `giverNpcId` names an npc. */
function referencedKind(field: string): Kind | undefined {
  return allKinds.find(({ name }) => {
    const member = idMember(name)
    return field === member || field.endsWith(capitalize(member))
  })
}

/** What the ids in a change name today, as an answer brings it along. */
export type Names = readonly { readonly entityType: string; readonly entityId: number; readonly title: string }[]

/** All that a change changes. `names` are for ids that do not bring their own. */
export function Differences({ list, names = [] }: { list: readonly Difference[]; names?: Names }): JSX.Element {
  /** `giverNpcId` 4 -> Marta Quill. */
  const nameOf = (field: string, value: unknown): string | null => {
    if (typeof value !== 'number' || !/Id$/.test(field)) return null
    const kind = referencedKind(field)
    const isIt = (type: string) => kind === undefined || type === kind.name
    const found = names.find(({ entityType, entityId }) => entityId === value && isIt(entityType))
    return found?.title ?? (kind ? `a ${kind.one}` : null)
  }
  const word = (field: string, value: unknown, title?: string | null) =>
    title || (nameOf(field, value) ?? valueLabel(value))
  const shown = list.filter(
    ({ field, before, after, beforeTitle, afterTitle }) =>
      !(saysNothing(before) && saysNothing(after)) &&
      word(field, before, beforeTitle) !== word(field, after, afterTitle),
  )
  return (
    <div class="diff">
      {shown.map(({ field, before, after, beforeTitle, afterTitle }) => {
        const old = word(field, before, beforeTitle)
        const fresh = word(field, after, afterTitle)
        return (
          <div key={field}>
            {(shown.length > 1 || !isProse(field)) && <span class="field-name">{fieldLabel(field)}</span>}
            {markdown.has(field) ? (
              <Prose text={markChanges(old, fresh)} class="prose changed" />
            ) : lines.has(field) ? (
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
