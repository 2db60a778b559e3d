import type { JSX } from 'preact'
import { Route, Switch } from 'wouter-preact'
import { lazy } from './lazy.tsx'
import { Lost } from './lost.tsx'

const quests = () => import('../pages/quests/quests.tsx')
const people = () => import('../pages/people/people.tsx')
const places = () => import('../pages/places/places.tsx')
const sessions = () => import('../pages/sessions/sessions.tsx')
const notes = () => import('../pages/notes/notes.tsx')
const inbox = () => import('../pages/inbox/inbox.tsx')
const keep = () => import('../pages/keep/keep.tsx')

const Home = lazy(async () => (await import('../pages/home/home.tsx')).Home)
const More = lazy(async () => (await import('../pages/home/more.tsx')).More)
const Quests = lazy(async () => (await quests()).Quests)
const QuestPage = lazy(async () => (await import('../pages/quests/quest.tsx')).QuestPage)
const QuestEdit = lazy(async () => (await import('../pages/quests/edit.tsx')).QuestEdit)
const People = lazy(async () => (await people()).People)
const Person = lazy(async () => (await import('../pages/people/person.tsx')).Person)
const PersonEdit = lazy(async () => (await import('../pages/people/edit.tsx')).PersonEdit)
const Places = lazy(async () => (await places()).Places)
const PlacePage = lazy(async () => (await import('../pages/places/place.tsx')).PlacePage)
const PlaceEdit = lazy(async () => (await import('../pages/places/edit.tsx')).PlaceEdit)
const Sessions = lazy(async () => (await sessions()).Sessions)
const SessionPage = lazy(async () => (await import('../pages/sessions/session.tsx')).SessionPage)
const SessionEdit = lazy(async () => (await import('../pages/sessions/edit.tsx')).SessionEdit)
const RecapEdit = lazy(async () => (await import('../pages/sessions/recap-edit.tsx')).RecapEdit)
const RecapRead = lazy(async () => (await import('../pages/sessions/recap.tsx')).RecapRead)
const Notes = lazy(async () => (await notes()).Notes)
const NotePage = lazy(async () => (await notes()).NotePage)
const Inbox = lazy(async () => (await inbox()).Inbox)
const InboxItemPage = lazy(async () => (await inbox()).InboxItemPage)
const ProposalPage = lazy(async () => (await import('../pages/inbox/proposal.tsx')).ProposalPage)
const Members = lazy(async () => (await import('../pages/members/members.tsx')).Members)
const Settings = lazy(async () => (await keep()).Settings)
const History = lazy(async () => (await import('../pages/keep/history.tsx')).History)
const Trash = lazy(async () => (await import('../pages/keep/trash.tsx')).Trash)
const Search = lazy(async () => (await import('../pages/search/search.tsx')).Search)

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
