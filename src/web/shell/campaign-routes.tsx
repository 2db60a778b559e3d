import type { JSX } from 'preact'
import { Route, Switch } from 'wouter-preact'
import { Home } from '../pages/home/home.tsx'
import { More } from '../pages/home/more.tsx'
import { Inbox, InboxItemPage } from '../pages/inbox/inbox.tsx'
import { ProposalPage } from '../pages/inbox/proposal.tsx'
import { Members } from '../pages/members/members.tsx'
import { NotePage, Notes } from '../pages/notes/notes.tsx'
import { NpcEdit } from '../pages/people/edit.tsx'
import { NpcsPage } from '../pages/people/people.tsx'
import { NpcPage } from '../pages/people/person.tsx'
import { LocationEdit } from '../pages/places/edit.tsx'
import { LocationPage } from '../pages/places/place.tsx'
import { LocationsPage } from '../pages/places/places.tsx'
import { QuestEdit } from '../pages/quests/edit.tsx'
import { QuestPage } from '../pages/quests/quest.tsx'
import { Quests } from '../pages/quests/quests.tsx'
import { Search } from '../pages/search/search.tsx'
import { SessionEdit } from '../pages/sessions/edit.tsx'
import { RecapRead } from '../pages/sessions/recap.tsx'
import { RecapEdit } from '../pages/sessions/recap-edit.tsx'
import { SessionPage } from '../pages/sessions/session.tsx'
import { Sessions } from '../pages/sessions/sessions.tsx'
import { lazy } from './lazy.tsx'
import { NotFound } from './not-found.tsx'

// What is read at the table comes in one piece; what a DM opens now and then comes when it is opened.
const Settings = lazy(async () => (await import('../pages/campaign/settings.tsx')).Settings)
const History = lazy(async () => (await import('../pages/campaign/history.tsx')).History)
const Trash = lazy(async () => (await import('../pages/campaign/trash.tsx')).Trash)

const root = '/campaigns/:campaignId'

/** The pages of a campaign by address. The campaign itself comes from CampaignContext. */
export function CampaignRoutes(): JSX.Element {
  return (
    <Switch>
      <Route path={root}>
        <Home />
      </Route>
      <Route path={`${root}/more`}>
        <More />
      </Route>
      <Route path={`${root}/quests`}>
        <Quests />
      </Route>
      <Route path={`${root}/quests/new`}>
        <QuestEdit id={null} />
      </Route>
      <Route path={`${root}/quests/:id/edit`}>{({ id }) => <QuestEdit key={id} id={Number(id)} />}</Route>
      <Route path={`${root}/quests/:id`}>{({ id }) => <QuestPage key={id} id={Number(id)} />}</Route>
      <Route path={`${root}/people`}>
        <NpcsPage />
      </Route>
      <Route path={`${root}/people/new`}>
        <NpcEdit id={null} />
      </Route>
      <Route path={`${root}/people/:id/edit`}>{({ id }) => <NpcEdit key={id} id={Number(id)} />}</Route>
      <Route path={`${root}/people/:id`}>{({ id }) => <NpcPage key={id} id={Number(id)} />}</Route>
      <Route path={`${root}/places`}>
        <LocationsPage />
      </Route>
      <Route path={`${root}/places/new`}>
        <LocationEdit id={null} />
      </Route>
      <Route path={`${root}/places/:id/edit`}>{({ id }) => <LocationEdit key={id} id={Number(id)} />}</Route>
      <Route path={`${root}/places/:id`}>{({ id }) => <LocationPage key={id} id={Number(id)} />}</Route>
      <Route path={`${root}/sessions`}>
        <Sessions />
      </Route>
      <Route path={`${root}/sessions/new`}>
        <SessionEdit id={null} />
      </Route>
      <Route path={`${root}/sessions/:id/edit`}>{({ id }) => <SessionEdit key={id} id={Number(id)} />}</Route>
      <Route path={`${root}/sessions/:id/recap/edit`}>{({ id }) => <RecapEdit key={id} id={Number(id)} />}</Route>
      <Route path={`${root}/sessions/:id/recap`}>{({ id }) => <RecapRead key={id} id={Number(id)} />}</Route>
      <Route path={`${root}/sessions/:id`}>{({ id }) => <SessionPage key={id} id={Number(id)} />}</Route>
      <Route path={`${root}/notes`}>
        <Notes />
      </Route>
      <Route path={`${root}/notes/:id`}>{({ id }) => <NotePage key={id} id={Number(id)} />}</Route>
      <Route path={`${root}/inbox`}>
        <Inbox />
      </Route>
      <Route path={`${root}/inbox/:id`}>{({ id }) => <InboxItemPage key={id} id={Number(id)} />}</Route>
      <Route path={`${root}/proposals/:id`}>{({ id }) => <ProposalPage key={id} id={Number(id)} />}</Route>
      <Route path={`${root}/members`}>
        <Members />
      </Route>
      <Route path={`${root}/settings`}>
        <Settings />
      </Route>
      <Route path={`${root}/history`}>
        <History />
      </Route>
      <Route path={`${root}/trash`}>
        <Trash />
      </Route>
      <Route path={`${root}/search`}>
        <Search />
      </Route>
      <Route>
        <NotFound />
      </Route>
    </Switch>
  )
}
