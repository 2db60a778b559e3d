import type { JSX } from 'preact'
import { Route, Switch } from 'wouter-preact'
import { allKinds, type Kind } from '../kinds.ts'
import { loadEditor } from '../kit/prose-area.tsx'
import { Home } from '../pages/home/home.tsx'
import { More } from '../pages/home/more.tsx'
import { type LazyPage, lazy, usePreload } from './lazy.tsx'
import type { CampaignPart } from './links.ts'
import { NotFound } from './not-found.tsx'

const root = '/campaigns/:campaignId'

interface CampaignRoute {
  readonly path: string
  /** `id` is that of the address; NaN where the address has none. */
  readonly render: (id: number) => JSX.Element
  readonly preload?: () => Promise<unknown>
}

const parts: Readonly<Record<CampaignPart, CampaignRoute>> = {
  more: { path: `${root}/more`, render: () => <More /> },
  settings: withoutId('settings', async () => (await import('../pages/campaign/settings.tsx')).Settings),
  history: withoutId('history', async () => (await import('../pages/campaign/history.tsx')).History),
  trash: withoutId('trash', async () => (await import('../pages/campaign/trash.tsx')).Trash),
  export: withoutId('export', async () => (await import('../pages/travel/take-along.tsx')).TakeAlong),
  drafts: withoutId('drafts', async () => (await import('../pages/ai/drafts.tsx')).Drafts),
  statistics: withoutId('statistics', async () => (await import('../pages/travel/statistics.tsx')).StatisticsPage),
  table: withoutId('table', async () => (await import('../pages/fights/at-table.tsx')).AtTable),
  me: withoutId('me', async () => (await import('../pages/party/me.tsx')).Me),
  search: withoutId('search', async () => (await import('../pages/search/search.tsx')).Search),
}

// What comes first wins: `new` is no id.
const routes: readonly CampaignRoute[] = [
  { path: root, render: () => <Home /> },
  ...Object.values(parts),
  ...allKinds.flatMap(routesOf),
]

function routesOf({ section, pages }: Kind): readonly CampaignRoute[] {
  const found: CampaignRoute[] = []
  const withId = (path: string, Page: LazyPage<{ readonly id: number }>) =>
    found.push({ path: `${root}/${path}`, render: (id) => <Page key={id} id={id} />, preload: Page.preload })

  if (pages?.list) found.push(withoutId(`${section}`, pages.list))
  if (pages?.edit) {
    const Page = lazy(pages.edit)
    found.push({ path: `${root}/${section}/new`, render: () => <Page key="new" id={null} />, preload: Page.preload })
    withId(`${section}/:id/edit`, Page)
  }
  for (const [below, page] of Object.entries(pages?.below ?? {})) withId(`${section}/:id/${below}`, lazy(page))
  if (pages?.one) withId(`${section}/:id`, lazy(pages.one))
  return found
}

function withoutId(path: string, load: Parameters<typeof lazy<object>>[0]): CampaignRoute {
  const Page = lazy(load)
  return { path: `${root}/${path}`, render: () => <Page />, preload: Page.preload }
}

const preloaded = [{ preload: loadEditor }, ...routes]

/** The pages of a campaign by address. The campaign itself comes from CampaignContext. */
export function CampaignRoutes(): JSX.Element {
  usePreload(preloaded)
  return (
    <Switch>
      {routes.map(({ path, render }) => (
        <Route key={path} path={path}>
          {(params: Readonly<Record<string, string | undefined>>) => render(Number(params.id))}
        </Route>
      ))}
      <Route>
        <NotFound />
      </Route>
    </Switch>
  )
}
