import type { ComponentChildren, JSX } from 'preact'
import type { OperationName } from '../api/contract.ts'
import { useCampaign, usePageTitle } from '../shell/context.ts'
import { type CampaignSection, sectionPath } from '../shell/links.ts'
import { type Draft, EditPage } from './edit-page.tsx'
import { Switch } from './field.tsx'
import { MarkdownField } from './markdown-field.tsx'

/** A kind of thing with pages of its own. */
export interface EntityKind {
  readonly place: CampaignSection
  /** The word for all of them. */
  readonly all: string
  /** The title of the page for a new one. */
  readonly fresh: string
  readonly create: OperationName
  readonly update: OperationName
  /** The member of the update's input that names one. */
  readonly id: string
}

interface ThingEditProps<T extends object> {
  readonly kind: EntityKind
  /** What is edited, as the server has it now; null for a new one. */
  readonly thing: { readonly id: number; readonly revision: number; readonly label: string; readonly values: T } | null
  readonly draft: Draft<T>
  /** What a new one is sent with, changed or not. */
  readonly always?: Partial<T>
  /** A player's changes go to the DM first. */
  readonly proposes?: boolean
  readonly children: ComponentChildren
}

/** The page on which a thing is made or changed. */
export function EntityEdit<T extends object>(props: ThingEditProps<T>): JSX.Element {
  const { kind, thing, draft, always, proposes = false, children } = props
  const { campaignId } = useCampaign()
  const all = sectionPath(campaignId, kind.place)
  const back = thing ? sectionPath(campaignId, kind.place, thing.id) : all
  usePageTitle(thing ? `Edit ${thing.label}` : kind.fresh)
  return (
    <EditPage
      title={thing?.label ?? kind.fresh}
      back={back}
      backWord={thing ? `Back to ${thing.label}` : kind.all}
      draft={draft}
      current={thing}
      proposes={proposes}
      call={(changes, expectedRevision) => {
        if (!thing) return { operation: kind.create, input: { campaignId, ...always, ...filled(changes) } }
        if (Object.keys(changes).length === 0) return undefined
        return { operation: kind.update, input: { [kind.id]: thing.id, expectedRevision, ...changes } }
      }}
      after={(written) => (written.kind === 'done' ? sectionPath(campaignId, kind.place, written.value.id) : back)}
    >
      {children}
    </EditPage>
  )
}

/** What the DM keeps from the players of a thing; nothing for anybody else. */
export function DmFields<T extends { dmSecret: string; hidden: boolean }>({
  draft,
  hiddenHint,
}: {
  draft: Draft<T>
  hiddenHint: string
}): JSX.Element | null {
  const { isDm } = useCampaign()
  if (!isDm) return null
  const { value: checked, onValue } = draft.field('hidden')
  return (
    <>
      <MarkdownField
        label="Only for you"
        secret
        rows={5}
        {...draft.field('dmSecret')}
        hint="Players never see these words."
      />
      <Switch label="Hidden from players" hint={hiddenHint} checked={checked} onValue={onValue} />
    </>
  )
}

/** The changes of a new thing: what was left empty is not sent. */
function filled<T extends object>(changes: Partial<T>): Partial<T> {
  return Object.fromEntries(
    Object.entries(changes).filter(([, value]) => value !== null && value !== undefined),
  ) as Partial<T>
}
