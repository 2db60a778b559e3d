import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer } from 'node:net'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Browser, chromium } from 'playwright-core'
import { findChromium } from '../../test/browser/chromium.ts'
import { type Installation, type Program, signIn, startOn } from './installation.ts'
import { median } from './load.ts'
import type { Measure } from './measures.ts'
import { ownFile } from './programs.ts'

// Lighthouse is many packages, so it has a package.json of its own beside this file and is not installed by the project's npm ci.

const install = 'npm ci --prefix scripts/bench/lighthouse'
const main = path.join(ownFile('lighthouse'), 'node_modules', 'lighthouse', 'core', 'index.js')

/** It simulates a slow phone on a slow network from what it sees of this machine; the median of so many. */
const runs = 3
const aims = { performance: 95, accessibility: 100 } as const
type Category = keyof typeof aims
const categories = Object.keys(aims) as readonly Category[]

/** What is used of its answer (core/index.js: `lighthouse`). */
interface Report {
  readonly lhr: {
    readonly finalDisplayedUrl: string
    readonly runtimeError?: { readonly message: string }
    readonly categories: Readonly<
      Record<Category, { readonly score: number | null; readonly auditRefs: readonly { id: string; weight: number }[] }>
    >
    readonly audits: Readonly<
      Record<string, { readonly title: string; readonly score: number | null; readonly displayValue?: string }>
    >
  }
}
type Lighthouse = (address: string, flags: Readonly<Record<string, unknown>>) => Promise<Report | undefined>

/** Scores of sign-in and of a Dungeon Master's home, as a phone sees them. */
export async function lighthouseMeasures(program: Program, on: Installation): Promise<readonly Measure[]> {
  const executablePath = findChromium()
  const missing =
    executablePath === null
      ? 'there is no chromium on this machine'
      : existsSync(main)
        ? null
        : `Lighthouse is not installed: ${install}`
  if (executablePath === null || missing !== null)
    return [{ name: 'lighthouse', value: null, unit: '', detail: missing ?? '' }]
  const { default: lighthouse } = (await import(pathToFileURL(main).href)) as { readonly default: Lighthouse }
  const server = await startOn(program, on)
  const port = await freePort()
  const args = ['--no-sandbox', '--disable-gpu', '--disable-background-networking', `--remote-debugging-port=${port}`]
  const browser = await chromium.launch({ executablePath, args })
  try {
    const cookie = await signIn(server.found)
    const pages = [
      { name: 'sign-in', address: `${server.found}/login`, signedIn: false },
      {
        name: "a Dungeon Master's home with 1,000 NPCs",
        address: `${server.found}/campaigns/${on.campaignId}`,
        signedIn: true,
      },
    ]
    const measures: Measure[] = []
    for (const { name, address, signedIn } of pages) {
      // A header of its own would give way to the cookies that the page sets by itself.
      if (signedIn) await keepCookie(browser, cookie)
      const reports: Report['lhr'][] = []
      for (let run = 0; run < runs; run += 1) {
        const flags = {
          port,
          onlyCategories: categories,
          logLevel: 'error',
          disableStorageReset: true,
        }
        const report = await lighthouse(address, flags)
        if (report === undefined) throw new Error(`Lighthouse did not report of ${address}`)
        if (report.lhr.runtimeError) throw new Error(report.lhr.runtimeError.message)
        if (report.lhr.finalDisplayedUrl !== address)
          throw new Error(`${address} led to ${report.lhr.finalDisplayedUrl}, which is another page`)
        reports.push(report.lhr)
      }
      for (const category of categories) measures.push(measureOf(name, category, reports))
    }
    return measures
  } finally {
    await browser.close()
    await server.stop()
  }
}

/** In the context of the tabs that are opened from outside. */
async function keepCookie(browser: Browser, cookie: string): Promise<void> {
  const at = cookie.indexOf('=')
  const session = await browser.newBrowserCDPSession()
  const [name, value] = [cookie.slice(0, at), cookie.slice(at + 1)]
  await session.send('Storage.setCookies', { cookies: [{ name, value, domain: '127.0.0.1', path: '/' }] })
}

function measureOf(page: string, category: Category, reports: readonly Report['lhr'][]): Measure {
  const scores = reports.map(({ categories }) => (categories[category].score ?? 0) * 100)
  const value = median(scores)
  const report = reports[scores.indexOf(value)]
  return {
    name: `lighthouse, ${category} of ${page}`,
    value,
    unit: '',
    budget: { least: aims[category] },
    detail: `${scores.map((score) => score.toFixed(0)).join(', ')}${report === undefined ? '' : told(report, category)}`,
  }
}

/** The metrics of a score, and what is not in order of what it is made of, insights included. */
function told({ categories, audits }: Report['lhr'], category: Category): string {
  const parts = categories[category].auditRefs.flatMap(({ id, weight }) => {
    const { title, score, displayValue } = audits[id] ?? { title: id, score: null }
    const isMetric = category === 'performance' && weight > 0
    if (score === null || (score >= 0.9 && !isMetric)) return []
    return [`${title}${displayValue === undefined ? '' : ` ${displayValue}`} (${(score * 100).toFixed(0)})`]
  })
  return parts.length === 0 ? '' : `; ${parts.join('; ')}`
}

async function freePort(): Promise<number> {
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  const address = taken.address()
  taken.close()
  if (address === null || typeof address === 'string') throw new Error('no port was found')
  return address.port
}
