import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
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
import { useWrite } from '../../shell/actions.ts'
import { type EntityRef, useCampaign, useMe } from '../../shell/context.ts'
import { sectionPath } from '../../shell/links.ts'
import { Byline } from './note-entry.tsx'

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
  const [editing, setEditing] = useState(false)
  const trash = useTrash()
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
    <Form submitting={submitting} onSubmit={() => void save()} onCancel={onDone} operation="update_note">
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
          Cancel
        </Button>
      </div>
    </Form>
  )
}
