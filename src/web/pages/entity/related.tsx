import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import { entityLabel } from '../../kinds.ts'
import { Button } from '../../kit/button.tsx'
import { Dialog } from '../../kit/dialog.tsx'
import { Differences } from '../../kit/diff.tsx'
import { when } from '../../kit/format.ts'
import { Icon } from '../../kit/icon.tsx'
import { fieldLabel } from '../../kit/labels.ts'
import { ListFooter } from '../../kit/list.tsx'
import { LoadError, Loading, Section } from '../../kit/page.tsx'
import { excerpt } from '../../kit/prose.tsx'
import { Snippet } from '../../kit/snippet.tsx'
import { useAction } from '../../shell/actions.ts'
import { type EntityRef, useCampaign, usePages, useQuery } from '../../shell/context.ts'
import { hitPath } from '../../shell/links.ts'
import { NoteEntry } from '../notes/note-entry.tsx'
import { WithTheOthers } from '../relations/section.tsx'

/** What others say of a thing: where it is spoken of, the notes about it, and for a DM its earlier versions. */
export function RelatedSections({ entity }: { entity: EntityRef }): JSX.Element {
  const { isDm } = useCampaign()
  return (
    <>
      <WithTheOthers entity={entity} />
      <Mentions entity={entity} />
      <NotesAbout entity={entity} />
      {isDm && <Revisions entity={entity} />}
    </>
  )
}

function Mentions({ entity: { entityType, entityId } }: { entity: EntityRef }): JSX.Element | null {
  const { campaignId } = useCampaign()
  const list = usePages('list_mentions', { campaignId, entityType, entityId, limit: 20 })
  if (list.items.length === 0) return null
  return (
    <Section title="Spoken of in">
      <ul class="rows">
        {list.items.map((hit) => {
          const to = hitPath(campaignId, hit)
          const title = hit.title || entityLabel(hit.entityType)
          return (
            <li key={`${hit.entityType} ${hit.entityId}`} class="mention">
              {to ? <Link href={to}>{title}</Link> : title}
              <p class="soft small">
                <Snippet text={hit.snippet} />
              </p>
            </li>
          )
        })}
      </ul>
      <ListFooter list={list} shown={list.items.length} />
    </Section>
  )
}

function NotesAbout({ entity: { entityType, entityId } }: { entity: EntityRef }): JSX.Element | null {
  const { campaignId } = useCampaign()
  const list = usePages('list_notes', { campaignId, entityType, entityId, view: 'full', limit: 20 })
  if (list.items.length === 0) return null
  return (
    <Section title="Notes about it">
      {list.items.map((note) => (
        <NoteEntry key={note.id} note={note} />
      ))}
      <ListFooter list={list} shown={list.items.length} />
    </Section>
  )
}

const kinds = {
  create: 'wrote down',
  update: 'changed',
  trash: 'threw away',
  restore: 'brought back',
  purge: '',
}

/** Read only when they are unfolded. */
function Revisions({ entity }: { entity: EntityRef }): JSX.Element {
  const [open, setOpen] = useState(false)
  return (
    <section class="section">
      <details class="disclosure" open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          <Icon name="right" size="s" />
          Earlier versions
        </summary>
        {open && <RevisionList entity={entity} />}
      </details>
    </section>
  )
}

function RevisionList({ entity: { entityType, entityId } }: { entity: EntityRef }): JSX.Element {
  const { campaignId } = useCampaign()
  const list = usePages('list_revisions', { campaignId, entityType, entityId, withOwned: true, limit: 20 })
  const [compared, setCompared] = useState<number | null>(null)
  const newest = list.items[0]
  return (
    <>
      <ol class="timeline">
        {list.items.map((revision) => (
          <li key={revision.id} class={revision.id === newest?.id ? 'big' : undefined}>
            <span class="when">{when(revision.at)}</span>
            <span>
              {revision.actorUser?.title ?? 'Somebody'} {kinds[revision.kind]}
              {revision.entityType !== entityType &&
                ` the ${entityLabel(revision.entityType)} “${excerpt(revision.title ?? '', 60)}”`}
              {revision.entityType === entityType && revision.kind !== 'update' && ' it'}
              {revision.kind === 'update' &&
                `${revision.entityType === entityType ? ' ' : ': '}${revision.fields.map((field) => fieldLabel(field).toLowerCase()).join(', ')}`}
            </span>{' '}
            {revision.id !== newest?.id && (
              <button type="button" class="more plain-button" onClick={() => setCompared(revision.id)}>
                Compare with now
              </button>
            )}
          </li>
        ))}
      </ol>
      <ListFooter list={list} shown={list.items.length} />
      {compared !== null && <Compare id={compared} onClose={() => setCompared(null)} />}
    </>
  )
}

function Compare({ id, onClose }: { id: number; onClose: () => void }): JSX.Element {
  const { mayWrite } = useCampaign()
  const act = useAction()
  const { data: revision, error } = useQuery('get_revision', { revisionId: id })
  const restore = async () => {
    onClose()
    await act(
      'restore_revision',
      { revisionId: id },
      { message: 'This version counts again. The one before it is kept too.' },
    )
  }
  return (
    <Dialog title={revision ? `As it was ${when(revision.at)}` : 'As it was'} onClose={onClose}>
      {!revision && (error ? <LoadError error={error} /> : <Loading />)}
      {revision && (
        <>
          {revision.changes.length === 0 ? (
            <p class="soft">It is the same as now.</p>
          ) : (
            <>
              <p class="soft small">Struck is what stands there now, underlined what would come back.</p>
              <Differences
                names={revision.names}
                list={revision.changes.map(({ field, before, after }) => ({ field, before: after, after: before }))}
              />
            </>
          )}
          <div class="actions">
            <Button onClick={onClose}>Close</Button>
            {mayWrite && revision.changes.length > 0 && (
              <Button variant="primary" icon="undo" onClick={() => void restore()}>
                Bring this version back
              </Button>
            )}
          </div>
        </>
      )}
    </Dialog>
  )
}
