import type { JSX } from 'preact'
import type { Session } from '../../api/contract.ts'
import { EditPage, filled, useDraft } from '../../kit/edit.tsx'
import { TextField } from '../../kit/field.tsx'
import { Failed, Waiting } from '../../kit/page.tsx'
import { WriteField } from '../../kit/write.tsx'
import { useCampaign, useQuery, useTitle } from '../../shell/context.ts'
import { place } from '../../shell/links.ts'

function valuesOf(session: Session | null) {
  return {
    title: session?.title ?? '',
    playedAt: session?.playedAt ?? '',
    prep: session?.prep ?? '',
    dmSecret: session?.dmSecret ?? '',
  }
}

export function SessionEdit({ id }: { id: number | null }): JSX.Element {
  const { data: session, error } = useQuery('get_session', id === null ? null : { sessionId: id })
  if (id !== null && !session) return error ? <Failed error={error} /> : <Waiting />
  return <SessionForm session={session ?? null} />
}

function SessionForm({ session }: { session: Session | null }): JSX.Element {
  const { campaignId } = useCampaign()
  const draft = useDraft(valuesOf(session))
  const { values, set } = draft
  const all = place(campaignId, 'sessions')
  const name = session?.title ?? (session ? `Session ${session.number}` : 'A new session')
  useTitle(session ? `Edit ${name}` : 'New session')
  return (
    <EditPage
      title={name}
      back={session ? place(campaignId, 'sessions', session.id) : all}
      backWord={session ? 'Back to the session' : 'Sessions'}
      draft={draft}
      current={session ? { values: valuesOf(session), revision: session.revision } : null}
      call={(changes, expectedRevision) => {
        if (!session) return { operation: 'create_session', input: { campaignId, ...filled(changes) } }
        if (Object.keys(changes).length === 0) return undefined
        return { operation: 'update_session', input: { sessionId: session.id, expectedRevision, ...changes } }
      }}
      after={(written) => (written.kind === 'done' ? place(campaignId, 'sessions', written.value.id) : all)}
    >
      <div class="two-up">
        <TextField
          label="Title"
          name="title"
          hint="You may leave it empty; it has its number."
          autofocus={!session}
          value={values.title}
          onValue={(value) => set('title', value)}
        />
        <TextField
          label="Day"
          name="playedAt"
          type="date"
          value={values.playedAt}
          onValue={(value) => set('playedAt', value)}
        />
      </div>
      <WriteField
        label="Prepared"
        name="prep"
        secret
        rows={12}
        value={values.prep}
        onValue={(value) => set('prep', value)}
        hint="Where it begins, who wants what, three things that may happen. Players never see it."
      />
      <WriteField
        label="Behind the curtain"
        name="dmSecret"
        secret
        rows={4}
        value={values.dmSecret}
        onValue={(value) => set('dmSecret', value)}
        hint="What really happened, for yourself. Players never see it."
      />
    </EditPage>
  )
}
