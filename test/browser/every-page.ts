import type { Page } from 'playwright-core'
import { allKinds } from '../../src/web/kinds.ts'
import { type CampaignPart, campaignParts, paths } from '../../src/web/shell/links.ts'
import { long } from '../support/long.ts'
import type { Person } from '../support/world.ts'
import type { SharedApp } from './shared-app.ts'

// The pages that there are, by the tables of addresses and of kinds: the page of a kind that comes tomorrow is among them.

const searched: Readonly<Partial<Record<CampaignPart, string>>> = { search: 'search?q=orchard' }

/**
 * Something of a kind in the world of the tests, and with `hidden` what of it players do not see; in the long walk several of
 * what the world knows by name.
 */
function idsOf(app: SharedApp, entity: string, hidden: boolean): readonly number[] {
  const { ids } = app.world.record
  const own = Object.keys(ids).filter((key) => key === entity || key.startsWith(`${entity} `))
  if (own.length === 0) throw new Error(`the world of the tests has no ${entity}, whose page is to be looked at`)
  const all = own.includes(entity) ? [entity, ...own.filter((key) => key !== entity)] : own
  const wanted = all.slice(0, long ? 4 : 1)
  if (hidden) wanted.push(...own.filter((key) => key === `${entity} hidden`))
  return [...new Set(wanted.map((key) => ids[key] as number))]
}

/** The addresses of the pages of the campaign that are read; with `forms` those too on which somebody writes. */
export function pagesOfCampaign(
  app: SharedApp,
  {
    dm,
    forms,
    below = true,
    hidden = false,
  }: { readonly dm: boolean; readonly forms: boolean; readonly below?: boolean; readonly hidden?: boolean },
): readonly string[] {
  const ofKinds = allKinds.flatMap(({ name, section, pages }) => {
    if (!section) return []
    const ids = pages && (pages.one || pages.edit || pages.below) ? idsOf(app, name, hidden) : []
    return [
      ...(pages?.list ? [`/${section}`] : []),
      ...(pages?.one ? ids.map((id) => `/${section}/${id}`) : []),
      ...(forms && pages?.edit ? [`/${section}/new`, ...ids.map((id) => `/${section}/${id}/edit`)] : []),
      ...Object.keys(pages?.below ?? {}).flatMap((page) =>
        below && (forms || !page.endsWith('edit')) ? ids.map((id) => `/${section}/${id}/${page}`) : [],
      ),
    ]
  })
  const ofParts = (Object.keys(campaignParts) as CampaignPart[])
    .filter((part) => dm || campaignParts[part] === 'everybody')
    .map((part) => `/${searched[part] ?? part}`)
  return [...new Set(['', ...ofParts, ...ofKinds])].map(app.inCampaign)
}

/** Everything that somebody who is signed in may open; of the keeper of the server what nobody else has. */
export function pagesOf(app: SharedApp, role: Person): readonly string[] {
  const doors: readonly string[] = [paths.login, paths.setup, paths.join]
  const outside = Object.values(paths).filter(
    (path) => !doors.includes(path) && path.startsWith('/admin/') === (role === 'admin'),
  )
  if (role === 'admin') return outside
  // A guest sees outside of a campaign what everybody sees there.
  const apart = role === 'viewer' ? [] : outside
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
