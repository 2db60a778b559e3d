import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import type { Note, NoteVisibility } from '../../api/contract.ts'
import { Button } from '../../kit/button.tsx'
import { useTrash } from '../../kit/entity-actions.tsx'
import { FilterField, SelectField } from '../../kit/field.tsx'
import { Form, FormError, useSubmit } from '../../kit/form.tsx'
import { when } from '../../kit/format.ts'
import { Icon } from '../../kit/icon.tsx'
import { entityLabel, visibilities } from '../../kit/labels.ts'
import { ListFooter, useFilteredList } from '../../kit/list.tsx'
import { MarkdownField } from '../../kit/markdown-field.tsx'
import { Menu } from '../../kit/menu.tsx'
import { EmptyState, LoadError, Loading, PageHeader, Running } from '../../kit/page.tsx'
import { excerpt, Prose } from '../../kit/prose.tsx'
import { useEntityTitle, useMemberName, useMembers } from '../../kit/references.tsx'
import { ToggleGroup } from '../../kit/toggle-group.tsx'
import { useApp, useCampaign, usePageTitle, useQuery, useWrite } from '../../shell/context.ts'
import { entityPath, sectionPath } from '../../shell/links.ts'

const textOf = (note: Note) => note.body

const views: Readonly<Record<'all' | NoteVisibility, string>> = {
  all: 'All',
  private: 'Mine alone',
  party: 'Everyone’s',
  dm: 'With the DM',
  whisper: 'Whispers',
}

export function Notes(): JSX.Element {
  const { campaignId, campaign, mayWrite } = useCampaign()
  const list = useFilteredList('list_notes', { campaignId, limit: 50 }, textOf)
  const [view, setView] = useState<keyof typeof views>('all')
  const [writing, setWriting] = useState(false)
  usePageTitle('Notes', campaign.name)

  const begin = mayWrite && !writing && (
    <Button variant="primary" icon="pen" onClick={() => setWriting(true)}>
      New note
    </Button>
  )
  if (!list.waiting && !list.error && list.items.length === 0 && !writing) {
    return (
      <>
        <PageHeader title="Notes" />
        <EmptyState title="A blank page" action={begin}>
          Write for yourself, for the DM, for everyone, or whisper to one person. The pen in the corner is always there.
        </EmptyState>
      </>
    )
  }
  const present = (Object.keys(views) as (keyof typeof views)[]).filter(
    (name) => name === 'all' || list.items.some((note) => note.visibility === name),
  )
  const shown = list.shown.filter((note) => view === 'all' || note.visibility === view)
  return (
    <>
      <PageHeader title="Notes">{begin}</PageHeader>
      {writing && <NewNote onDone={() => setWriting(false)} />}
      <div class="filters">
        <FilterField value={list.typed} onValue={list.onType} placeholder="A word you remember" />
        {present.length > 2 && (
          <ToggleGroup
            label="Which notes"
            variant="chips"
            options={present.map((name) => ({ value: name, word: views[name] }))}
            value={view}
            onValue={setView}
          />
        )}
      </div>
      {shown.map((note) => (
        <NoteEntry key={note.id} note={note} />
      ))}
      <ListFooter list={list} typed={list.typed} shown={shown.length} />
    </>
  )
}

/** Who wrote it, for whom, about what, and when. */
function Byline({ note, alone }: { note: Note; alone?: boolean }): JSX.Element {
  const { campaignId } = useCampaign()
  const { session } = useApp()
  const me = session.status.value?.user?.id
  const nameOf = useMemberName()
  const entityTitle = useEntityTitle()
  const whispered = note.visibility === 'whisper'
  const from = note.authorUserId === me ? 'You' : nameOf(note.authorUserId)
  const to = note.recipientUserId === me ? 'you' : nameOf(note.recipientUserId)
  const about = note.entityType && note.entityId ? entityPath(campaignId, note.entityType, note.entityId) : null
  return (
    <>
      <span>
        {from}
        {whispered && ` to ${to}`}
      </span>
      <span class={whispered || note.visibility === 'private' ? 'chip' : 'chip brass'}>
        {whispered && <Icon name="whisper" size="s" />}
        {note.visibility === 'private' && note.authorUserId !== me ? 'Private' : visibilities[note.visibility]}
      </span>
      {about && note.entityType && note.entityId && (
        <Link href={about}>
          About {entityTitle(note.entityType, note.entityId) ?? `a ${entityLabel(note.entityType)}`}
        </Link>
      )}
      {alone ? (
        <span class="faint">{when(note.createdAt)}</span>
      ) : (
        <Link class="faint" href={sectionPath(campaignId, 'notes', note.id)}>
          {when(note.createdAt)}
        </Link>
      )}
    </>
  )
}

export function NoteEntry({ note }: { note: Note }): JSX.Element {
  const long = note.body.length > 600
  return (
    <article class="note">
      <p class="by">
        <Byline note={note} />
      </p>
      {long ? <p class="prose">{excerpt(note.body, 500)}</p> : <Prose text={note.body} />}
    </article>
  )
}

function NewNote({ onDone }: { onDone: () => void }): JSX.Element {
  const { campaignId, isDm } = useCampaign()
  const { session } = useApp()
  const write = useWrite()
  const submitting = useSubmit()
  const me = session.status.value?.user?.id
  const others = useMembers().filter((member) => member.userId !== me)
  const [body, setBody] = useState('')
  const [visibility, setVisibility] = useState<NoteVisibility>('private')
  const [recipient, setRecipient] = useState('')
  const to = recipient || String(others[0]?.userId ?? '')

  const save = async () => {
    const went = await submitting.run(() =>
      visibility === 'whisper'
        ? write('send_whisper', { campaignId, body: body.trim(), recipientUserId: Number(to) })
        : write('create_note', { campaignId, body: body.trim(), visibility }),
    )
    if (went) onDone()
  }
  const readers = (['private', 'dm', 'party', 'whisper'] as const)
    .filter((name) => !(name === 'dm' && isDm) && !(name === 'whisper' && others.length === 0))
    .map((value) => ({ value, word: value === 'whisper' ? 'One person, as a whisper' : visibilities[value] }))

  return (
    <Form submitting={submitting} onSubmit={() => void save()} class="stack form panel">
      <MarkdownField label="Note" name="body" rows={6} autofocus value={body} onValue={setBody} />
      <div class="field-pair">
        <SelectField label="Who reads it" value={visibility} onValue={setVisibility} options={readers} />
        {visibility === 'whisper' && (
          <SelectField
            label="To whom"
            name="recipientUserId"
            value={to}
            onValue={setRecipient}
            options={others.map((member) => ({ value: String(member.userId), word: member.username }))}
          />
        )}
      </div>
      <FormError error={submitting.error} />
      <div class="line">
        <Button variant="primary" type="submit" icon="check" busy={submitting.busy} disabled={!body.trim()}>
          {visibility === 'whisper' ? 'Whisper it' : 'Keep it'}
        </Button>
        <Button variant="quiet" onClick={onDone}>
          Leave it
        </Button>
      </div>
    </Form>
  )
}

export function NotePage({ id }: { id: number }): JSX.Element {
  const { campaignId, campaign, mayWrite } = useCampaign()
  const { session } = useApp()
  const { data: note, error } = useQuery('get_note', { noteId: id })
  const [editing, setEditing] = useState(false)
  const trash = useTrash()
  usePageTitle(note && excerpt(note.body, 40), campaign.name)
  if (!note) return error ? <LoadError error={error} /> : <Loading />
  const mine = note.authorUserId === session.status.value?.user?.id
  const thing = { entityType: 'note', entityId: note.id, label: 'The note' }
  return (
    <>
      <Running to={sectionPath(campaignId, 'notes')}>Notes</Running>
      <h1 class="visually-hidden">Note</h1>
      {editing ? (
        <EditNote note={note} onDone={() => setEditing(false)} />
      ) : (
        <article class="note">
          <p class="by">
            <Byline note={note} alone />
          </p>
          <Prose text={note.body} />
          {mine && mayWrite && (
            <div class="line section">
              <Button variant="primary" icon="pen" onClick={() => setEditing(true)}>
                Edit
              </Button>
              <Menu
                label="More about this note"
                items={[
                  {
                    icon: 'trash',
                    word: 'Move to trash',
                    danger: true,
                    run: () => trash('delete_note', { noteId: note.id }, thing, sectionPath(campaignId, 'notes')),
                  },
                ]}
              />
            </div>
          )}
        </article>
      )}
    </>
  )
}

function EditNote({ note, onDone }: { note: Note; onDone: () => void }): JSX.Element {
  const write = useWrite()
  const submitting = useSubmit()
  const [body, setBody] = useState(note.body)
  const whispered = note.visibility === 'whisper'
  const [visibility, setVisibility] = useState(note.visibility === 'whisper' ? 'private' : note.visibility)

  const save = async () => {
    const went = await submitting.run(() =>
      write('update_note', {
        noteId: note.id,
        expectedRevision: note.revision,
        body: body.trim(),
        ...(whispered ? {} : { visibility }),
      }),
    )
    if (went) onDone()
  }
  return (
    <Form submitting={submitting} onSubmit={() => void save()}>
      <MarkdownField label="Note" name="body" rows={10} autofocus value={body} onValue={setBody} />
      {!whispered && (
        <SelectField
          label="Who reads it"
          name="visibility"
          value={visibility}
          onValue={setVisibility}
          options={(['private', 'dm', 'party'] as const).map((value) => ({ value, word: visibilities[value] }))}
        />
      )}
      <FormError error={submitting.error} />
      <div class="line">
        <Button variant="primary" type="submit" icon="check" busy={submitting.busy} disabled={!body.trim()}>
          Save
        </Button>
        <Button variant="quiet" onClick={onDone}>
          Leave it
        </Button>
      </div>
    </Form>
  )
}
