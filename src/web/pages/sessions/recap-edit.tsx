import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { RecapDraft, Session } from '../../api/contract.ts'
import { kinds } from '../../kinds.ts'
import { Button } from '../../kit/button.tsx'
import { EditPage, useDraft } from '../../kit/edit-page.tsx'
import { EntityPage } from '../../kit/entity-page.tsx'
import { MarkdownField } from '../../kit/markdown-field.tsx'
import { LoadError, Loading } from '../../kit/page.tsx'
import { excerpt } from '../../kit/prose.tsx'
import { nameOf } from '../../kit/references.tsx'
import { useCampaign, usePageTitle, useQuery } from '../../shell/context.ts'
import { sectionPath } from '../../shell/links.ts'

export function RecapEdit({ id }: { id: number }): JSX.Element {
  return (
    <EntityPage kind="session" id={id}>
      {(session) => <RecapForm session={session} />}
    </EntityPage>
  )
}

const valuesOf = (session: Session) => ({ recap: session.recap ?? '' })

function RecapForm({ session }: { session: Session }): JSX.Element {
  const { campaignId, isDm } = useCampaign()
  const draft = useDraft(valuesOf(session))
  const name = kinds.session.titleOf(session)
  const back = sectionPath(campaignId, 'sessions', session.id)
  usePageTitle(`Recap of ${name}`)
  return (
    <div class="two-columns">
      <EditPage
        title={name}
        back={back}
        backWord="Back to the session"
        draft={draft}
        current={{ values: valuesOf(session), revision: session.revision }}
        proposes={!isDm}
        call={({ recap }) =>
          recap ? { operation: 'publish_session_recap', input: { sessionId: session.id, recap } } : undefined
        }
        after={(written) => (written.kind === 'done' ? `${back}/recap` : back)}
      >
        <MarkdownField
          label="What happened"
          name="recap"
          rows={16}
          autofocus
          value={draft.values.recap}
          onValue={(value) => draft.set('recap', value)}
          hint="Everybody at the table reads this as a chapter of the tale."
        />
      </EditPage>
      {isDm && (
        <aside class="side-column">
          <Source session={session} />
        </aside>
      )}
    </div>
  )
}

/** What the evening left behind, gathered when it is asked for. A person gathers all that they may read; only an AI does not. */
function Source({ session }: { session: Session }): JSX.Element {
  const { campaignId } = useCampaign()
  const [asked, setAsked] = useState(false)
  const { data, error } = useQuery('draft_session_recap', asked ? { campaignId, sessionId: session.id } : null)
  return (
    <section class="stack">
      <h2 class="h3">What there is to go by</h2>
      {!asked && (
        <>
          <p class="small soft">What was passed on and noted since the session before, and the quests that moved.</p>
          <Button icon="book" onClick={() => setAsked(true)}>
            Gather it
          </Button>
        </>
      )}
      {asked && !data && (error ? <LoadError error={error} /> : <Loading word="Gathering" />)}
      {data && <Material draft={data} />}
    </section>
  )
}

function Material({ draft }: { draft: RecapDraft }): JSX.Element {
  const { inboxItems, notes, quests } = draft.sources
  const said = [...inboxItems, ...notes].sort((one, other) => one.createdAt.localeCompare(other.createdAt))
  return (
    <>
      {said.length === 0 && quests.length === 0 && <p class="small soft">Nothing was written down that evening.</p>}
      {said.length > 0 && (
        <ul class="material">
          {said.map((source) => (
            <li key={`${source.id} ${source.createdAt}`}>
              <p class="small faint">{nameOf(source.authorUser)}</p>
              <p>{excerpt(source.body, 400)}</p>
            </li>
          ))}
        </ul>
      )}
      {quests.length > 0 && (
        <ul class="material">
          {quests.map((quest) => (
            <li key={quest.id}>
              <p>
                <strong>{quest.title}</strong>
              </p>
              <p class="small soft">
                {quest.objectives
                  .filter((objective) => objective.done)
                  .map((objective) => objective.text)
                  .join('. ')}
              </p>
            </li>
          ))}
        </ul>
      )}
      {draft.truncated && <p class="small faint">There was more than is shown here: only the newest of each kind.</p>}
    </>
  )
}
