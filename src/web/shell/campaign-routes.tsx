import type { JSX } from 'preact'
import { Route, Switch } from 'wouter-preact'
import { Home } from '../pages/home/home.tsx'
import { More } from '../pages/home/more.tsx'
import { Inbox, InboxItemPage } from '../pages/inbox/inbox.tsx'
import { ProposalPage } from '../pages/inbox/proposal.tsx'
import { Members } from '../pages/members/members.tsx'
import { NotePage, Notes } from '../pages/notes/notes.tsx'
import { PersonEdit } from '../pages/people/edit.tsx'
import { People } from '../pages/people/people.tsx'
import { Person } from '../pages/people/person.tsx'
import { PlaceEdit } from '../pages/places/edit.tsx'
import { PlacePage } from '../pages/places/place.tsx'
import { Places } from '../pages/places/places.tsx'
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
import { Lost } from './lost.tsx'

// What is read at the table comes in one piece; what a DM opens now and then comes when it is opened.
const Settings = lazy(async () => (await import('../pages/keep/keep.tsx')).Settings)
const History = lazy(async () => (await import('../pages/keep/history.tsx')).History)
const Trash = lazy(async () => (await import('../pages/keep/trash.tsx')).Trash)

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
        <People />
      </Route>
      <Route path={`${root}/people/new`}>
        <PersonEdit id={null} />
      </Route>
      <Route path={`${root}/people/:id/edit`}>{({ id }) => <PersonEdit key={id} id={Number(id)} />}</Route>
      <Route path={`${root}/people/:id`}>{({ id }) => <Person key={id} id={Number(id)} />}</Route>
      <Route path={`${root}/places`}>
        <Places />
      </Route>
      <Route path={`${root}/places/new`}>
        <PlaceEdit id={null} />
      </Route>
      <Route path={`${root}/places/:id/edit`}>{({ id }) => <PlaceEdit key={id} id={Number(id)} />}</Route>
      <Route path={`${root}/places/:id`}>{({ id }) => <PlacePage key={id} id={Number(id)} />}</Route>
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
        <Lost />
      </Route>
    </Switch>
  )
}
