import type { Browser, Page } from 'playwright-core'
import { desk, newPage, phone } from '../browser/chromium.ts'
import { cookieOf } from '../browser/shared-app.ts'
import type { Seat } from '../support/played.ts'
import type { Person, TestWorld } from '../support/world.ts'

// Who sits at the table of the evening (evening.ts), what each of them does it with, and who they play.

/** Browsers at the table. */
export interface Browsers {
  /** The Dungeon Master's, at an address. */
  desk(path: string): Promise<Page>
  /** The first player's phone. */
  phone(path: string): Promise<Page>
}

export interface Table {
  readonly world: TestWorld
  readonly dm: Seat
  readonly ash: Seat
  readonly bo: Seat
  readonly cass: Seat
  /** Null where this machine has none: then what is done in them is done without a door. */
  readonly browsers: Browsers | null
}

export function browsersOf(browser: Browser, world: TestWorld, base: string): Browsers {
  const opened = new Map<Person, Page>()
  const at = async (person: Person, size: typeof desk, path: string): Promise<Page> => {
    const page = opened.get(person) ?? (await newPage(browser, size)).page
    if (!opened.has(person)) await page.context().addCookies([cookieOf(world, person, base)])
    opened.set(person, page)
    await page.goto(base + path)
    await page.locator('h1').first().waitFor()
    return page
  }
  return {
    desk: (path) => at('dm', desk, path),
    phone: (path) => at('player', phone, path),
  }
}

export type Row = Readonly<Record<string, unknown>>
export const itemsOf = (answer: { readonly items: readonly Row[] }): readonly Row[] => answer.items
export const namesOf = (rows: readonly Row[]): readonly string[] => rows.map(({ name }) => String(name))

/** Who and what there is by the time they sit down. */
export interface Evening {
  readonly campaignId: number
  readonly ash: number
  readonly bo: number
  readonly cass: number
  readonly dell: number
  readonly tallow: number
  readonly party: readonly number[]
  readonly placeId: number
  readonly questId: number
  readonly sessionId: number
  readonly mapId: number
}

export const sword = {
  key: 'sword',
  name: 'Sword',
  cost: 'action',
  attack: 5,
  damage: [{ expression: '1d8+3', type: 'slashing' }],
}
export const bow = {
  key: 'bow',
  name: 'Bow',
  cost: 'action',
  attack: 5,
  damage: [{ expression: '1d8+3', type: 'piercing' }],
}
export const word = { key: 'word', name: 'Healing word', cost: 'bonus', spellLevel: 1, heals: '1d4+3' }
export const abilities = { str: 14, dex: 14, con: 14, int: 10, wis: 14, cha: 10 }
