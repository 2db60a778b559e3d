import type { JSX } from 'preact'
import type { NoteVisibility } from '../../api/contract.ts'
import { Button } from '../../kit/button.tsx'
import { SelectField } from '../../kit/field.tsx'
import { Form, FormError, useSubmit } from '../../kit/form.tsx'
import { useKept } from '../../kit/hooks.ts'
import { visibilities } from '../../kit/labels.ts'
import { useSearchedList } from '../../kit/list.tsx'
import { ListPage } from '../../kit/list-page.tsx'
import { MarkdownField } from '../../kit/markdown-field.tsx'
import { useMembers } from '../../kit/references.tsx'
import { ToggleGroup } from '../../kit/toggle-group.tsx'
import { WindowedList } from '../../kit/windowed-list.tsx'
import { useOpened, useWords } from '../../kit/words.ts'
import { useWrite } from '../../shell/actions.ts'
import { useCampaign, useMe, usePageTitle } from '../../shell/context.ts'

import { NoteEntry } from './note-entry.tsx'

const views: Readonly<Record<'all' | NoteVisibility, string>> = {
  all: 'All',
  private: 'Mine alone',
  party: 'Everyone’s',
  dm: 'With the DM',
  whisper: 'Whispers',
}

export function NotesPage(): JSX.Element {
  const { campaignId, campaign, mayWrite } = useCampaign()
  const [view, setView] = useKept<keyof typeof views>('view', 'all')
  const list = useSearchedList(
    'list_notes',
    { campaignId, view: 'full', limit: 50 },
    { by: view === 'all' ? {} : { visibility: view } },
  )
  const [writing, setWriting] = useOpened('note')
  usePageTitle('Notes', campaign.name)

  const begin = mayWrite && !writing && (
    <Button variant="primary" icon="pen" onClick={() => setWriting(true)}>
      New note
    </Button>
  )
  const present = (Object.keys(views) as (keyof typeof views)[]).filter(
    (name) => name === 'all' || name === view || list.items.some((note) => note.visibility === name),
  )
  return (
    <ListPage
      title="Notes"
      actions={begin}
      tabs={writing && <NewNote onDone={() => setWriting(false)} />}
      list={list}
      shown={list.shown}
      one="note"
      many="notes"
      placeholder="A word you remember"
      views={
        present.length > 2 && (
          <ToggleGroup
            label="Which notes"
            variant="chips"
            options={present.map((name) => ({ value: name, word: views[name] }))}
            value={view}
            onValue={setView}
          />
        )
      }
      empty={
        writing
          ? undefined
          : {
              title: 'A blank page',
              text: 'Write for yourself, for the DM, for everyone, or whisper to one person. The pen in the corner is always there.',
              action: begin,
            }
      }
    >
      <WindowedList items={list.shown} narrowed={`${list.typed} ${view}`}>
        {(note) => <NoteEntry key={note.id} note={note} />}
      </WindowedList>
    </ListPage>
  )
}

function NewNote({ onDone }: { onDone: () => void }): JSX.Element {
  const { campaignId, isDm } = useCampaign()
  const write = useWrite()
  const submitting = useSubmit()
  const me = useMe()?.id
  const others = useMembers().filter((member) => member.userId !== me)
  const words = useWords('note', { body: '', visibility: 'private' as NoteVisibility, recipient: '' })
  const { body, visibility, recipient } = words.values
  const to = recipient || String(others[0]?.userId ?? '')

  const close = () => {
    words.forget()
    onDone()
  }
  const save = async () => {
    const went = await submitting.run(() =>
      visibility === 'whisper'
        ? write('send_whisper', { campaignId, body: body.trim(), recipientUserId: Number(to) })
        : write('create_note', { campaignId, body: body.trim(), visibility }),
    )
    if (went) close()
  }
  const readers = (['private', 'dm', 'party', 'whisper'] as const)
    .filter((name) => !(name === 'dm' && isDm) && !(name === 'whisper' && others.length === 0))
    .map((value) => ({ value, word: value === 'whisper' ? 'One person, as a whisper' : visibilities[value] }))

  return (
    <Form
      submitting={submitting}
      onSubmit={() => void save()}
      onCancel={close}
      operation="create_note"
      ownWords
      class="stack form panel"
    >
      <MarkdownField
        label="Note"
        name="body"
        rows={6}
        autofocus
        value={body}
        onValue={(text) => words.set({ body: text })}
      />
      <div class="field-pair">
        <SelectField
          label="Who reads it"
          value={visibility}
          onValue={(reader) => words.set({ visibility: reader })}
          options={readers}
        />
        {visibility === 'whisper' && (
          <SelectField
            label="To whom"
            name="recipientUserId"
            value={to}
            onValue={(person) => words.set({ recipient: person })}
            options={others.map((member) => ({ value: String(member.userId), word: member.username }))}
          />
        )}
      </div>
      <FormError error={submitting.error} />
      <div class="line">
        <Button variant="primary" type="submit" icon="check" busy={submitting.busy} disabled={!body.trim()}>
          {visibility === 'whisper' ? 'Whisper it' : 'Keep it'}
        </Button>
        <Button variant="quiet" onClick={close}>
          Cancel
        </Button>
      </div>
    </Form>
  )
}
