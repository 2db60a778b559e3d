import type { JSX } from 'preact'
import type { Session } from '../../api/contract.ts'
import { useDraft } from '../../kit/edit-page.tsx'
import { EntityEdit, type EntityKind } from '../../kit/entity-edit.tsx'
import { TextField } from '../../kit/field.tsx'
import { MarkdownField } from '../../kit/markdown-field.tsx'
import { LoadError, Loading } from '../../kit/page.tsx'
import { useQuery } from '../../shell/context.ts'

const kind: EntityKind = {
  place: 'sessions',
  all: 'Sessions',
  fresh: 'A new session',
  create: 'create_session',
  update: 'update_session',
  id: 'sessionId',
}

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
  if (id !== null && !session) return error ? <LoadError error={error} /> : <Loading />
  return <SessionForm session={session ?? null} />
}

function SessionForm({ session }: { session: Session | null }): JSX.Element {
  const draft = useDraft(valuesOf(session))
  const { field } = draft
  return (
    <EntityEdit
      kind={kind}
      thing={
        session && {
          id: session.id,
          revision: session.revision,
          label: session.title ?? `Session ${session.number}`,
          values: valuesOf(session),
        }
      }
      draft={draft}
    >
      <div class="field-pair">
        <TextField
          label="Title"
          hint="You may leave it empty; it has its number."
          autofocus={!session}
          {...field('title')}
        />
        <TextField label="Day" type="date" {...field('playedAt')} />
      </div>
      <MarkdownField
        label="Prepared"
        secret
        rows={12}
        {...field('prep')}
        hint="Where it begins, who wants what, three things that may happen. Players never see it."
      />
      <MarkdownField
        label="Behind the curtain"
        secret
        rows={4}
        {...field('dmSecret')}
        hint="What really happened, for yourself. Players never see it."
      />
    </EntityEdit>
  )
}
