import type { ComponentChildren, JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { GetOf, Input, Output } from '../api/contract.ts'
import { idMember, type KindSection, kinds, lineOf, type PagedKind, type UpdatableKind } from '../kinds.ts'
import { useAction } from '../shell/actions.ts'
import { type EntityRef, useCampaign, useCurrentEntity, usePageTitle, useQuery } from '../shell/context.ts'
import { entityPath, sectionPath } from '../shell/links.ts'
import { Button, LinkButton } from './button.tsx'
import { DmOnly } from './dm-only.tsx'
import { useReveal, useTrash } from './entity-actions.tsx'
import { capitalize } from './format.ts'
import { Icon } from './icon.tsx'
import { Menu } from './menu.tsx'
import { BackLink, LoadError, Loading } from './page.tsx'
import { ProposeDialog } from './propose-dialog.tsx'
import { Prose } from './prose.tsx'

export type DetailOf<N extends PagedKind> = Output<GetOf<N>>

/**
 * The page of one thing: reads it and keeps it fresh, names the page after it, lets the pen be about it, and says what is
 * wrong where it does not come. `title` names a thing whose kind has no names.
 */
export function EntityPage<N extends PagedKind>({
  kind,
  id,
  title,
  children,
}: {
  kind: N
  id: number
  title?: (row: DetailOf<N>) => string
  children: (row: DetailOf<N>, entity: EntityRef) => ComponentChildren
}): JSX.Element {
  const { campaign } = useCampaign()
  const operation = kinds[kind].get as GetOf<N>
  const { data: row, error, retry } = useQuery(operation, { [idMember(kind)]: id } as Input<GetOf<N>>)
  const label = row && (title ?? titleOf(kind))(row)
  usePageTitle(label, campaign.name)
  // What cannot be mentioned is nothing that notes are about.
  useCurrentEntity(kind, id, lineOf(kind).mentionable ? label : undefined)
  if (row === undefined || label === undefined) return error ? <LoadError error={error} retry={retry} /> : <Loading />
  return <>{children(row, { entityType: kind, entityId: id, label })}</>
}

/** What one of a kind is called. */
function titleOf<N extends PagedKind>(kind: N): (row: DetailOf<N>) => string {
  const line = lineOf(kind)
  return (row) => line.titleOf?.(row as never) ?? capitalize(line.one)
}

/** What stands around the words about a thing: the way back above, its header, and its facts at the side. */
export function EntityLayout({
  kind,
  back,
  visibility,
  header,
  facts,
  children,
}: {
  kind: PagedKind
  /** Where the way back leads, if not to all of the kind. */
  back?: { readonly to: string; readonly word: string } | undefined
  /** Of what can be hidden: whether players see it, the first thing that a DM reads of it. */
  visibility?: { readonly entity: EntityRef; readonly hidden: boolean }
  header: ComponentChildren
  /** `<Fact>`s. */
  facts: ComponentChildren
  children: ComponentChildren
}): JSX.Element {
  const { campaignId } = useCampaign()
  const { section, many } = kinds[kind]
  return (
    <>
      <BackLink to={back?.to ?? sectionPath(campaignId, section as KindSection)}>
        {back?.word ?? capitalize(many)}
      </BackLink>
      {visibility && <Visibility {...visibility} />}
      {header}
      <div class="two-columns">
        <div>{children}</div>
        <aside class="side-column">
          <dl class="facts">{facts}</dl>
        </aside>
      </div>
    </>
  )
}

/** Whether players see a thing, in words, and the press that changes it; nothing for anybody but a DM. */
export function Visibility({ entity, hidden }: { entity: EntityRef; hidden: boolean }): JSX.Element | null {
  const { isDm, mayWrite } = useCampaign()
  const { reveal, hide } = useReveal()
  if (!isDm) return null
  return (
    <p class={hidden ? 'visibility hidden' : 'visibility'}>
      <Icon name={hidden ? 'eyeoff' : 'eye'} size="s" />
      {hidden ? 'Players: do not see this' : 'Players: can see this'}
      {mayWrite && (
        <Button variant="quiet" class="small" onClick={() => void (hidden ? reveal(entity) : hide(entity))}>
          {hidden ? 'Show it' : 'Hide it'}
        </Button>
      )}
    </p>
  )
}

/** What may be done with a thing on its page: changing it, and for the DM showing, hiding and throwing it away. */
export function EntityActions({ entity, hidden }: { entity: EntityRef; hidden: boolean }): JSX.Element {
  const { campaignId, isDm, mayEdit, mayWrite } = useCampaign()
  const [proposing, setProposing] = useState(false)
  const visibility = useReveal()
  const trash = useTrash()
  const { section, pronoun: them = 'it' } = lineOf(entity.entityType)
  return (
    <>
      {mayEdit && !isDm && (
        <Button variant="primary" icon="pen" aria-haspopup="dialog" onClick={() => setProposing(true)}>
          Propose a change
        </Button>
      )}
      {proposing && <ProposeDialog entity={entity} onClose={() => setProposing(false)} />}
      {mayEdit && isDm && (
        <LinkButton
          variant="primary"
          icon="pen"
          to={`${entityPath(campaignId, entity.entityType, entity.entityId)}/edit`}
        >
          Edit
        </LinkButton>
      )}
      {isDm && mayWrite && (
        <Menu
          label={`More about ${entity.label}`}
          items={[
            hidden
              ? { icon: 'eye', word: `Show ${them} to the party`, run: () => visibility.reveal(entity) }
              : { icon: 'eyeoff', word: `Hide ${them} from players`, run: () => visibility.hide(entity) },
            {
              icon: 'trash',
              word: 'Move to trash',
              danger: true,
              run: () => trash(entity, sectionPath(campaignId, section as KindSection)),
            },
          ]}
        />
      )}
    </>
  )
}

/** The DM's words about a thing, and the way to put them into the open text; nothing for anybody else. */
export function EntitySecret<N extends UpdatableKind>({
  kind,
  row,
}: {
  kind: N
  row: {
    readonly id: number
    readonly revision: number
    readonly body: string | null
    readonly dmSecret?: string | null | undefined
  }
}): JSX.Element | null {
  const { isDm, mayWrite } = useCampaign()
  const act = useAction()
  const visibility = useReveal()
  const { id, revision, body, dmSecret } = row
  if (!isDm || !dmSecret) return null
  const publish = async () => {
    if (!(await visibility.confirmPublish())) return
    const change = { body: [body, dmSecret].filter(Boolean).join('\n\n'), dmSecret: null }
    const operation = kinds[kind].update
    await act(operation, { [idMember(kind)]: id, expectedRevision: revision, ...change } as Input<typeof operation>, {
      message: 'The party can read it.',
    })
  }
  return (
    <DmOnly onReveal={mayWrite ? () => void publish() : undefined}>
      <Prose text={dmSecret} />
    </DmOnly>
  )
}
