import type { JSX } from 'preact'
import { Link } from 'wouter-preact'
import type { Difference, EntityName, ProposedChange } from '../../api/contract.ts'
import { kinds } from '../../kinds.ts'
import { Differences } from '../../kit/diff.tsx'
import { capitalize, count, joinNames } from '../../kit/format.ts'
import { Icon } from '../../kit/icon.tsx'
import { fieldLabel, operationLabel, valueLabel } from '../../kit/labels.ts'
import { excerpt } from '../../kit/prose.tsx'
import { useCampaign } from '../../shell/context.ts'
import { entityPath } from '../../shell/links.ts'
import { groupChanges, type Thing } from './things.ts'

/** Which changes are left out, by their place; absent where nobody chooses. */
export interface LeavingOut {
  readonly out: ReadonlySet<number>
  toggle(places: readonly number[], leave: boolean): void
}

type Words = (typeof kinds)[EntityName]
const kindOf = (name: string | null): Words | undefined => (name === null ? undefined : kinds[name as EntityName])

/** `33 new people, 10 new places and 2 changed quests`. */
export function summaryOf(changes: readonly ProposedChange[]): string {
  const counts = new Map<string, { readonly kind: Words | undefined; readonly isNew: boolean; many: number }>()
  for (const { kind, isNew } of groupChanges(changes)) {
    const key = `${kind} ${isNew}`
    const known = counts.get(key) ?? { kind: kindOf(kind), isNew, many: 0 }
    known.many += 1
    counts.set(key, known)
  }
  return joinNames(
    Array.from(counts.values(), ({ kind, isNew, many }) =>
      count(
        many,
        `${isNew ? 'new' : 'changed'} ${kind?.one ?? 'thing'}`,
        `${isNew ? 'new' : 'changed'} ${kind?.many ?? 'things'}`,
      ),
    ),
  )
}

/**
 * Many changes, a line for each thing, so that somebody sees at a glance what they are: new things by kind, with what they
 * begin with; then what changes of those that exist, word by word.
 */
export function ProposedChanges({
  changes,
  leaving,
}: {
  changes: readonly ProposedChange[]
  leaving?: LeavingOut | undefined
}): JSX.Element {
  const things = groupChanges(changes)
  const fresh = Map.groupBy(
    things.filter(({ isNew }) => isNew),
    ({ kind }) => kind,
  )
  const touched = things.filter(({ isNew }) => !isNew)
  return (
    <div class="proposed">
      {touched.length > 0 && (
        <section>
          <h3>{touched.length === 1 ? 'Changed' : `Changed, ${touched.length}`}</h3>
          <ul>
            {touched.map((thing) => (
              <ThingLine key={thing.key} thing={thing} leaving={leaving} />
            ))}
          </ul>
        </section>
      )}
      {Array.from(fresh, ([kind, group]) => (
        <section key={kind}>
          <h3>
            New {kindOf(kind)?.many ?? 'things'}, {group.length}
          </h3>
          <ul>
            {group.map((thing) => (
              <ThingLine key={thing.key} thing={thing} leaving={leaving} />
            ))}
          </ul>
        </section>
      ))}
    </div>
  )
}

function ThingLine({ thing, leaving }: { thing: Thing; leaving?: LeavingOut | undefined }): JSX.Element {
  const { campaignId } = useCampaign()
  const { isNew, kind, id, changes } = thing
  const icon = kindOf(kind)?.icon
  const path = id === null || kind === null ? null : entityPath(campaignId, kind, id)
  const name = thing.name ?? capitalize(kindOf(kind)?.one ?? 'something')
  const places = changes.map(({ place }) => place)
  const isOut = places.every((place) => leaving?.out.has(place))
  const title = (
    <b>
      {icon && <Icon name={icon} size="s" />} {path === null ? name : <Link href={path}>{name}</Link>}
    </b>
  )
  return (
    <li class={isOut ? 'left-out' : undefined}>
      {leaving && (
        <label class="checkbox">
          <input
            type="checkbox"
            checked={!isOut}
            aria-label={`Take ${name}`}
            onChange={(event) => leaving.toggle(places, !event.currentTarget.checked)}
          />
        </label>
      )}
      {isNew ? (
        <details>
          <summary>
            {title}
            <span class="soft">{gist(changes.flatMap(({ change }) => change.difference))}</span>
          </summary>
          <Parts thing={thing} />
        </details>
      ) : (
        <div>
          <p class="line">{title}</p>
          <Parts thing={thing} />
        </div>
      )}
    </li>
  )
}

function Parts({ thing: { changes, isNew } }: { thing: Thing }): JSX.Element {
  return (
    <>
      {changes.map(({ change, place }, index) => (
        <div key={place}>
          {(index > 0 || !isNew) && <p class="deed">{capitalize(operationLabel(change.operation))}</p>}
          <Differences list={isNew && index === 0 ? withoutName(change) : change.difference} />
        </div>
      ))}
    </>
  )
}

/** It is called so in the line above. */
function withoutName({ difference, name }: ProposedChange): readonly Difference[] {
  return difference.filter(({ after }) => after !== name)
}

/** What a new thing begins with, in one line: where it belongs and what it is, ahead of its text. */
function gist(list: readonly Difference[]): string {
  const words = list.flatMap(({ field, after, afterTitle }) => {
    if (['name', 'title', 'label', 'text', 'hidden'].includes(field))
      return field === 'hidden' && after ? ['hidden'] : []
    if (afterTitle) return [`${fieldLabel(field).toLowerCase()}: ${afterTitle}`]
    return typeof after === 'object' ? [] : [valueLabel(after)]
  })
  return excerpt(words.filter((word) => word !== '').join(' · '), 110)
}
