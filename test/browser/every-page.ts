import type { Page } from 'playwright-core'
import { allKinds } from '../../src/web/kinds.ts'
import type { Person } from '../support/world.ts'
import type { SharedApp } from './shared-app.ts'

// The pages that there are, by the table of kinds: the page of a kind that comes tomorrow is among them.

const ofCampaign = ['', '/more', '/statistics', '/search?q=orchard', '/table', '/me', '/export']
const ofDungeonMasters = ['/settings', '/history', '/trash', '/drafts']

/** The id of something in the world of the tests; nothing where it has none of the kind. */
function idsOf(app: SharedApp, entity: string): readonly number[] {
  try {
    return [app.world.id(entity)]
  } catch {
    return []
  }
}

/** The addresses of the pages of the campaign that are read; with `forms` those too on which somebody writes. */
export function pagesOfCampaign(
  app: SharedApp,
  { dm, forms, below = true }: { readonly dm: boolean; readonly forms: boolean; readonly below?: boolean },
): readonly string[] {
  const ofKinds = allKinds.flatMap(({ name, section, pages }) => {
    if (!section) return []
    const ids = idsOf(app, name)
    return [
      ...(pages?.list ? [`/${section}`] : []),
      ...(pages?.one ? ids.map((id) => `/${section}/${id}`) : []),
      ...(forms && pages?.edit ? [`/${section}/new`, ...ids.map((id) => `/${section}/${id}/edit`)] : []),
      ...Object.keys(pages?.below ?? {}).flatMap((page) =>
        below && (forms || !page.endsWith('edit')) ? ids.map((id) => `/${section}/${id}/${page}`) : [],
      ),
    ]
  })
  return [...new Set([...ofCampaign, ...(dm ? ofDungeonMasters : []), ...ofKinds])].map(app.inCampaign)
}

/** Everything that somebody who is signed in may open. */
export function pagesOf(app: SharedApp, role: Person): readonly string[] {
  const outside = ['/campaigns', '/campaigns/new', '/campaigns/notices', '/campaigns/import', '/campaigns/trash']
  const own = ['/account', '/account/connect']
  // A guest sees outside of a campaign what everybody sees there.
  const apart = role === 'viewer' ? [] : [...outside, ...own]
  return [...apart, ...pagesOfCampaign(app, { dm: role === 'dm', forms: role !== 'viewer' })]
}

/** Opens an address and waits until what the page asks for has come, or is said not to come. */
export async function openPage(page: Page, address: string): Promise<void> {
  await page.goto(address)
  await page.locator('main :is(h1, h2, form, [role=alert])').first().waitFor()
  await page.waitForFunction(() => document.querySelector('main .loading, .boot') === null)
  await page.waitForTimeout(120)
}

/** What may be pressed on a page, menus and their entries included: each by its name, with how to come to it. */
export async function buttonsOn(page: Page): Promise<readonly string[]> {
  const names = await page
    .locator('main button:enabled, .phone-strip button, .capture-button')
    .filter({ visible: true })
    .evaluateAll((all) => all.map((each) => (each.getAttribute('aria-label') ?? each.textContent ?? '').trim()))
  return [...new Set(names.filter(Boolean))]
}

/** What is open above the page: dialogs and menus. */
export const openedOn = (page: Page) => page.locator('dialog[open], [role=menu]').filter({ visible: true })
