import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import type { Note } from '../../api/contract.ts'
import { Button } from '../../kit/button.tsx'
import { when } from '../../kit/format.ts'
import { Icon } from '../../kit/icon.tsx'
import { visibilities } from '../../kit/labels.ts'
import { excerpt, Prose } from '../../kit/prose.tsx'
import { AboutLink, nameOf } from '../../kit/references.tsx'
import { useCampaign, useMe } from '../../shell/context.ts'
import { sectionPath } from '../../shell/links.ts'
import { AnswerDialog } from './answer-dialog.tsx'

/** Who wrote it, for whom, about what, and when. */
export function Byline({ note, alone }: { note: Note; alone?: boolean }): JSX.Element {
  const { campaignId } = useCampaign()
  const me = useMe()?.id
  const whispered = note.visibility === 'whisper'
  const from = note.authorUserId === me ? 'You' : nameOf(note.authorUser)
  const to = note.recipientUserId === me ? 'you' : nameOf(note.recipientUser)
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
      <AboutLink word="About" entity={note.entity} />
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

/** A whisper is answered by whoever it was whispered to. */
export function AnswerButton({ note }: { note: Note }): JSX.Element | null {
  const { mayWrite } = useCampaign()
  const me = useMe()?.id
  const [answering, setAnswering] = useState(false)
  if (!mayWrite || note.visibility !== 'whisper' || note.recipientUserId !== me) return null
  return (
    <p class="line">
      <Button icon="whisper" onClick={() => setAnswering(true)}>
        Answer
      </Button>
      {answering && <AnswerDialog to={note} name={nameOf(note.authorUser)} onClose={() => setAnswering(false)} />}
    </p>
  )
}

export function NoteEntry({ note }: { note: Note }): JSX.Element {
  const { body = '' } = note
  return (
    <article class="note">
      <p class="by">
        <Byline note={note} />
      </p>
      {body.length > 600 ? <p class="prose">{excerpt(body, 500)}</p> : <Prose text={body} />}
      <AnswerButton note={note} />
    </article>
  )
}
