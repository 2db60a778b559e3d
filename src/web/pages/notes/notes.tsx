import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import type { Note, NoteVisibility } from '../../api/contract.ts'
import { Button } from '../../kit/button.tsx'
import { Choice } from '../../kit/choice.tsx'
import { Find, SelectField } from '../../kit/field.tsx'
import { Complaint, Form, useSubmit } from '../../kit/form.tsx'
import { when } from '../../kit/format.ts'
import { Icon } from '../../kit/icon.tsx'
import { ListEnd, useNarrowed } from '../../kit/list.tsx'
import { Menu } from '../../kit/menu.tsx'
import { Empty, Failed, Head, Running, Waiting } from '../../kit/page.tsx'
import { opening, Prose } from '../../kit/prose.tsx'
import { useMemberName, useMembers, useTitleOf } from '../../kit/refs.tsx'
import { useTrash } from '../../kit/things.tsx'
import { kindOf, visibilities } from '../../kit/words.ts'
import { WriteField } from '../../kit/write.tsx'
import { useApp, useCampaign, useQuery, useTitle, useWrite } from '../../shell/context.ts'
import { pageOf, place } from '../../shell/links.ts'

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
  const list = useNarrowed('list_notes', { campaignId, limit: 50 }, textOf)
  const [view, setView] = useState<keyof typeof views>('all')
  const [writing, setWriting] = useState(false)
  useTitle('Notes', campaign.name)

  const begin = mayWrite && !writing && (
    <Button look="act" icon="pen" onClick={() => setWriting(true)}>
      New note
    </Button>
  )
  if (!list.waiting && !list.error && list.items.length === 0 && !writing) {
    return (
      <>
        <Head title="Notes" />
        <Empty title="A blank page" action={begin}>
          Write for yourself, for the DM, for everyone, or whisper to one person. The pen in the corner is always there.
        </Empty>
      </>
    )
  }
  const present = (Object.keys(views) as (keyof typeof views)[]).filter(
    (name) => name === 'all' || list.items.some((note) => note.visibility === name),
  )
  const shown = list.shown.filter((note) => view === 'all' || note.visibility === view)
  return (
    <>
      <Head title="Notes">{begin}</Head>
      {writing && <NewNote onDone={() => setWriting(false)} />}
      <div class="narrow">
        <Find value={list.typed} onValue={list.onType} placeholder="A word you remember" />
        {present.length > 2 && (
          <Choice
            label="Which notes"
            look="chips"
            options={present.map((name) => ({ value: name, word: views[name] }))}
            value={view}
            onValue={setView}
          />
        )}
      </div>
      {shown.map((note) => (
        <NoteEntry key={note.id} note={note} />
      ))}
      <ListEnd list={list} typed={list.typed} shown={shown.length} />
    </>
  )
}

/** Who wrote it, for whom, about what, and when. */
function Byline({ note, alone }: { note: Note; alone?: boolean }): JSX.Element {
  const { campaignId } = useCampaign()
  const { session } = useApp()
  const me = session.status.value?.user?.id
  const nameOf = useMemberName()
  const titleOf = useTitleOf()
  const whispered = note.visibility === 'whisper'
  const from = note.authorUserId === me ? 'You' : nameOf(note.authorUserId)
  const to = note.recipientUserId === me ? 'you' : nameOf(note.recipientUserId)
  const about = note.entityType && note.entityId ? pageOf(campaignId, note.entityType, note.entityId) : null
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
        <Link href={about}>About {titleOf(note.entityType, note.entityId) ?? `a ${kindOf(note.entityType)}`}</Link>
      )}
      {alone ? (
        <span class="faint">{when(note.createdAt)}</span>
      ) : (
        <Link class="faint" href={place(campaignId, 'notes', note.id)}>
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
      {long ? <p class="prose">{opening(note.body, 500)}</p> : <Prose text={note.body} />}
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
    <Form submitting={submitting} onSubmit={() => void save()} class="stack form leaf-up">
      <WriteField label="Note" name="body" rows={6} autofocus value={body} onValue={setBody} />
      <div class="two-up">
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
      <Complaint error={submitting.error} />
      <div class="line">
        <Button look="act" type="submit" icon="check" busy={submitting.busy} disabled={!body.trim()}>
          {visibility === 'whisper' ? 'Whisper it' : 'Keep it'}
        </Button>
        <Button look="quiet" onClick={onDone}>
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
  useTitle(note && opening(note.body, 40), campaign.name)
  if (!note) return error ? <Failed error={error} /> : <Waiting />
  const mine = note.authorUserId === session.status.value?.user?.id
  const thing = { entityType: 'note', entityId: note.id, label: 'The note' }
  return (
    <>
      <Running to={place(campaignId, 'notes')}>Notes</Running>
      <h1 class="vh">Note</h1>
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
              <Button look="act" icon="pen" onClick={() => setEditing(true)}>
                Edit
              </Button>
              <Menu
                label="More about this note"
                items={[
                  {
                    icon: 'trash',
                    word: 'Move to trash',
                    harm: true,
                    run: () => trash('delete_note', { noteId: note.id }, thing, place(campaignId, 'notes')),
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
      <WriteField label="Note" name="body" rows={10} autofocus value={body} onValue={setBody} />
      {!whispered && (
        <SelectField
          label="Who reads it"
          name="visibility"
          value={visibility}
          onValue={setVisibility}
          options={(['private', 'dm', 'party'] as const).map((value) => ({ value, word: visibilities[value] }))}
        />
      )}
      <Complaint error={submitting.error} />
      <div class="line">
        <Button look="act" type="submit" icon="check" busy={submitting.busy} disabled={!body.trim()}>
          Save
        </Button>
        <Button look="quiet" onClick={onDone}>
          Leave it
        </Button>
      </div>
    </Form>
  )
}
