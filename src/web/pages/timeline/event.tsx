import type { JSX } from 'preact'
import type { TimelineEventDetail } from '../../api/contract.ts'
import { HiddenBadge } from '../../kit/dm-only.tsx'
import { EntityActions, EntityLayout, EntityPage, EntitySecret } from '../../kit/entity-page.tsx'
import { Fact, PageHeader } from '../../kit/page.tsx'
import { Prose } from '../../kit/prose.tsx'
import { ReferenceLink } from '../../kit/references.tsx'
import { useCampaign } from '../../shell/context.ts'
import { sectionPath } from '../../shell/links.ts'
import { RelatedSections } from '../entity/related.tsx'
import './styles.ts'

export function TimelineEventPage({ id }: { id: number }): JSX.Element {
  const { campaignId } = useCampaign()
  return (
    <EntityPage kind="timeline_event" id={id}>
      {(event, entity) => (
        <EntityLayout
          kind="timeline_event"
          visibility={{ entity, hidden: event.hidden }}
          back={{ to: sectionPath(campaignId, 'timeline'), word: 'Timeline' }}
          header={
            <PageHeader
              title={event.title}
              sub={
                <>
                  <span>{event.worldDateText ?? 'Nobody knows when'}</span>
                  {event.hidden && <HiddenBadge>Only you know this</HiddenBadge>}
                </>
              }
            >
              <EntityActions entity={entity} hidden={event.hidden} />
            </PageHeader>
          }
          facts={<Facts event={event} />}
        >
          {event.body ? <Prose text={event.body} /> : <p class="soft">Nobody has written down more than that.</p>}
          <EntitySecret kind="timeline_event" row={event} />
          <RelatedSections entity={entity} />
        </EntityLayout>
      )}
    </EntityPage>
  )
}

function Facts({ event }: { event: TimelineEventDetail }): JSX.Element {
  return (
    <>
      <Fact name="Era">{event.era}</Fact>
      <Fact name="At our table">{event.session && <ReferenceLink kind="session" reference={event.session} />}</Fact>
      {event.movedFrom && (
        <Fact name="Moved">It was written for {event.movedFrom}. The calendar has no such day any more.</Fact>
      )}
    </>
  )
}
