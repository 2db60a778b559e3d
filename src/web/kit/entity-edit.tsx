import type { ComponentChildren, JSX } from 'preact'
import type { GetOf, Input } from '../api/contract.ts'
import { type EditableKind, idMember, type KindSection, kinds } from '../kinds.ts'
import { useCampaign, usePageTitle, useQuery } from '../shell/context.ts'
import { sectionPath } from '../shell/links.ts'
import { type Draft, EditPage } from './edit-page.tsx'
import type { DetailOf } from './entity-page.tsx'
import { Switch } from './field.tsx'
import { capitalize } from './format.ts'
import { MarkdownField } from './markdown-field.tsx'
import { LoadError, Loading } from './page.tsx'

interface EntityEditProps<T extends object> {
  readonly kind: EditableKind
  /** What is edited, as the server has it now; null for a new one. */
  readonly thing: { readonly id: number; readonly revision: number; readonly label: string; readonly values: T } | null
  readonly draft: Draft<T>
  /** What a new one is sent with, changed or not. */
  readonly always?: Partial<T>
  /** A player's changes go to the DM first. */
  readonly proposes?: boolean
  readonly children: ComponentChildren
}

/** Reads what a form is about, if there is such a thing yet (`id` is null for a new one). */
export function EntityFormPage<N extends EditableKind>({
  kind,
  id,
  children,
}: {
  kind: N
  id: number | null
  children: (row: DetailOf<N> | null) => JSX.Element
}): JSX.Element {
  const input = id === null ? null : ({ [idMember(kind)]: id } as Input<GetOf<N>>)
  const { data: row, error, retry } = useQuery(kinds[kind].get as GetOf<N>, input)
  if (id === null) return children(null)
  if (row === undefined) return error ? <LoadError error={error} retry={retry} /> : <Loading />
  return children(row)
}

/** The page on which a thing is made or changed. */
export function EntityEdit<T extends object>(props: EntityEditProps<T>): JSX.Element {
  const { kind, thing, draft, always, proposes = false, children } = props
  const { campaignId, isDm } = useCampaign()
  const { one, many, section, create, update } = kinds[kind]
  const newTitle = `A new ${one}`
  const own = (...rest: readonly (string | number)[]) => sectionPath(campaignId, section as KindSection, ...rest)
  const back = thing ? own(thing.id) : own()
  // What nobody says of a new thing the campaign says: whoever was asked here has said it.
  const seen = isDm && 'hidden' in draft.values ? { hidden: draft.values.hidden } : {}
  usePageTitle(thing ? `Edit ${thing.label}` : newTitle)
  return (
    <EditPage
      title={thing?.label ?? newTitle}
      back={back}
      backWord={thing ? `Back to ${thing.label}` : capitalize(many)}
      draft={draft}
      current={thing}
      proposes={proposes}
      operation={thing ? update : create}
      call={(changes, expectedRevision) => {
        if (!thing) return { operation: create, input: { campaignId, ...always, ...filled(changes), ...seen } }
        if (Object.keys(changes).length === 0) return undefined
        return { operation: update, input: { [idMember(kind)]: thing.id, expectedRevision, ...changes } }
      }}
      after={(written) => (written.kind === 'done' ? own(written.value.id) : back)}
    >
      {children}
    </EditPage>
  )
}

/** What a new thing begins with; for a DM it begins hidden where their campaign keeps new things to itself. */
export function useBegun<T extends object>(
  thing: object | null,
  begun: T = {} as T,
): T | Record<string, never> | (T & { hidden: boolean }) {
  const { campaign, isDm } = useCampaign()
  if (thing !== null) return {}
  return isDm && campaign.hidesNewThings ? { ...begun, hidden: true } : begun
}

/** Whether players see a thing: the first thing that its form says. Nothing for anybody but a DM. */
export function VisibilityField<T extends { hidden: boolean }>({
  draft,
  hint,
}: {
  draft: Draft<T>
  /** What players do not know while it is hidden. */
  hint: string
}): JSX.Element | null {
  const { isDm } = useCampaign()
  if (!isDm) return null
  const { value: hidden, onValue } = draft.field('hidden')
  return (
    <div class={hidden ? 'visibility-field hidden' : 'visibility-field'}>
      <Switch
        label="Players can see this"
        hint={hidden ? hint : 'They find it, and read all of it that is not blue.'}
        checked={!hidden}
        onValue={(seen) => onValue(!seen)}
      />
    </div>
  )
}

/** The DM's own words about a thing; nothing for anybody else. */
export function DmFields<T extends { dmSecret: string }>({ draft }: { draft: Draft<T> }): JSX.Element | null {
  const { isDm } = useCampaign()
  if (!isDm) return null
  return (
    <MarkdownField
      label="Only for you"
      secret
      rows={5}
      {...draft.field('dmSecret')}
      hint="Players never see these words."
    />
  )
}

/** The changes of a new thing: what was left empty is not sent. */
function filled<T extends object>(changes: Partial<T>): Partial<T> {
  return Object.fromEntries(
    Object.entries(changes).filter(([, value]) => value !== null && value !== undefined),
  ) as Partial<T>
}
