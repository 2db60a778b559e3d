import type { JSX } from 'preact'
import type { NoteDetail } from '../../api/contract.ts'
import { Button } from '../../kit/button.tsx'
import { useTrash } from '../../kit/entity-actions.tsx'
import { EntityPage } from '../../kit/entity-page.tsx'
import { SelectField } from '../../kit/field.tsx'
import { Form, FormError, useSubmit } from '../../kit/form.tsx'
import { visibilities } from '../../kit/labels.ts'
import { MarkdownField } from '../../kit/markdown-field.tsx'
import { Menu } from '../../kit/menu.tsx'
import { BackLink } from '../../kit/page.tsx'
import { excerpt, Prose } from '../../kit/prose.tsx'
import { useSeen } from '../../kit/seen.ts'
import { useOpened, useWords } from '../../kit/words.ts'
import { useSave } from '../../shell/actions.ts'
import { type EntityRef, useCampaign, useMe } from '../../shell/context.ts'
import { sectionPath } from '../../shell/links.ts'
import { AnswerButton, Byline } from './note-entry.tsx'

export function NotePage({ id }: { id: number }): JSX.Element {
  return (
    <EntityPage kind="note" id={id} title={(note) => excerpt(note.body, 40)}>
      {(note, entity) => <NoteBody note={note} entity={entity} />}
    </EntityPage>
  )
}

function NoteBody({ note, entity }: { note: NoteDetail; entity: EntityRef }): JSX.Element {
  const { campaignId, mayWrite } = useCampaign()
  const me = useMe()?.id
  const [editing, setEditing] = useOpened('note')
  const trash = useTrash()
  useSeen('note', note.id)
  const mine = note.authorUserId === me
  return (
    <>
      <BackLink to={sectionPath(campaignId, 'notes')}>Notes</BackLink>
      <h1 class="visually-hidden">Note</h1>
      {editing ? (
        <EditNote note={note} onDone={() => setEditing(false)} />
      ) : (
        <article class="note">
          <p class="by">
            <Byline note={note} alone />
          </p>
          <Prose text={note.body} />
          <AnswerButton note={note} />
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
                    run: () => trash({ ...entity, label: 'The note' }, sectionPath(campaignId, 'notes')),
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

function EditNote({ note, onDone }: { note: NoteDetail; onDone: () => void }): JSX.Element {
  const save = useSave()
  const submitting = useSubmit()
  const whispered = note.visibility === 'whisper'
  const words = useWords('note', {
    body: note.body,
    visibility: note.visibility === 'whisper' ? ('private' as const) : note.visibility,
  })
  const { body, visibility } = words.values
  const close = () => {
    words.forget()
    onDone()
  }

  const keep = async () => {
    const went = await submitting.run(() =>
      save('update_note', {
        noteId: note.id,
        expectedRevision: note.revision,
        body: body.trim(),
        ...(whispered ? {} : { visibility }),
      }),
    )
    if (went) close()
  }
  return (
    <Form submitting={submitting} onSubmit={() => void keep()} onCancel={close} operation="update_note" ownWords>
      <MarkdownField
        label="Note"
        name="body"
        rows={10}
        autofocus
        value={body}
        onValue={(text) => words.set({ body: text })}
      />
      {!whispered && (
        <SelectField
          label="Who reads it"
          name="visibility"
          value={visibility}
          onValue={(reader) => words.set({ visibility: reader })}
          options={(['private', 'dm', 'party'] as const).map((value) => ({ value, word: visibilities[value] }))}
        />
      )}
      <FormError error={submitting.error} />
      <div class="line">
        <Button variant="primary" type="submit" icon="check" busy={submitting.busy} disabled={!body.trim()}>
          Save
        </Button>
        <Button variant="quiet" onClick={close}>
          Cancel
        </Button>
      </div>
    </Form>
  )
}
