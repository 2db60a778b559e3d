import { chromium, type Page } from 'playwright-core'
import { findChromium } from '../../test/browser/chromium.ts'
import { type Installation, type Program, startOn } from './installation.ts'
import { median, percentile } from './load.ts'
import type { Measure } from './measures.ts'
import type { Running } from './programs.ts'

const changes = 30
const betweenMs = 200

/** When what happened to one change, in milliseconds since it was sent. */
interface Course {
  readonly answered: number
  /** The page heard of it, asked anew, had the answer, and had painted it. */
  readonly heard: number
  readonly asked: number
  readonly had: number
  readonly painted: number
  /** How many answers were fetched. */
  readonly requests: number
}

/** How long it takes until somebody's change stands on the screen of another, in a real browser on the page of a quest. */
export async function screenMeasures(program: Program, installation: Installation): Promise<readonly Measure[]> {
  const line = { name: 'a change until it is on another screen, p95', unit: 'ms', budget: { most: 250 } } as const
  const executablePath = findChromium()
  if (executablePath === null) return [{ ...line, value: null, detail: 'there is no chromium on this machine' }]
  const server = await startOn(program, installation)
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
  try {
    const page = await browser.newPage()
    await watch(page)
    await openQuest(page, server, installation)
    const courses: Course[] = []
    for (let number = 0; number <= changes; number += 1) {
      const course = await courseOf(page, server, installation, `Marta ${number}`)
      // The first one compiles what all of them need.
      if (number > 0) courses.push(course)
      await new Promise((resolve) => setTimeout(resolve, betweenMs))
    }
    const painted = courses.map((course) => course.painted)
    const part = (name: keyof Course): string => `${name} ${median(courses.map((course) => course[name])).toFixed(0)}`
    const parts = (['answered', 'heard', 'asked', 'had', 'painted'] as const).map(part).join(', ')
    const requests = median(courses.map((course) => course.requests))
    return [
      {
        ...line,
        value: percentile(Float64Array.from(painted).sort(), 0.95),
        detail: `${changes} changes of a name on the page of a quest`,
      },
      {
        name: '  the same, median',
        value: median(painted),
        unit: 'ms',
        detail: `medians since it was sent: ${parts}; ${requests} requests`,
      },
    ]
  } finally {
    await browser.close()
    await server.stop()
  }
}

/** In the page: notes when an event came, when the quest was asked for and was there, and when a name was painted. */
async function watch(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const now = () => performance.timeOrigin + performance.now()
    const noted = { heard: 0, painted: 0 }
    Object.assign(globalThis, { noted })
    const Plain = EventSource
    globalThis.EventSource = class extends Plain {
      constructor(address: string | URL) {
        super(address)
        this.addEventListener('changed', () => {
          noted.heard = now()
        })
      }
    }
    let shown = ''
    const look = () => {
      const name = document.querySelector('main a[href*="/people/"]')?.textContent ?? ''
      if (name === shown) return
      shown = name
      // The frame that shows it is over when the next one begins.
      requestAnimationFrame(() =>
        requestAnimationFrame(() => {
          noted.painted = now()
          document.documentElement.dataset.painted = name
        }),
      )
    }
    addEventListener('DOMContentLoaded', () =>
      new MutationObserver(look).observe(document.body, { childList: true, characterData: true, subtree: true }),
    )
  })
}

async function openQuest(page: Page, server: Running, { campaignId, questId }: Installation): Promise<void> {
  await page.goto(`${server.found}/login`)
  await page.evaluate(async () => {
    const body = JSON.stringify({ username: 'bench', password: 'a lantern in the orchard' })
    await fetch('/api/v1/auth/login', { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  })
  await page.goto(`${server.found}/campaigns/${campaignId}/quests/${questId}`)
  await page.locator('html[data-painted]').waitFor()
  await page.waitForTimeout(3000)
}

async function courseOf(page: Page, server: Running, installation: Installation, name: string): Promise<Course> {
  const { npcId, questId, tokens } = installation
  const now = () => performance.timeOrigin + performance.now()
  const sent = now()
  const response = await fetch(`${server.found}/api/v1/npcs/${npcId}`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${tokens[0]}` },
    body: JSON.stringify({ name }),
  })
  if (!response.ok) throw new Error(`The change was answered with ${response.status}: ${await response.text()}`)
  const answered = now()
  await page.locator(`html[data-painted="${name}"]`).waitFor()
  const seen = await page.evaluate((path) => {
    const { noted } = globalThis as unknown as { noted: { heard: number; painted: number } }
    const entries = performance.getEntriesByType('resource') as PerformanceResourceTiming[]
    const { startTime = 0, responseEnd = 0 } = entries.findLast((entry) => entry.name.endsWith(path)) ?? {}
    const requests = entries.filter((entry) => entry.name.includes('/api/v1/')).length
    performance.clearResourceTimings()
    return { ...noted, asked: performance.timeOrigin + startTime, had: performance.timeOrigin + responseEnd, requests }
  }, `/quests/${questId}`)
  const since = (time: number): number => time - sent
  return {
    answered: since(answered),
    heard: since(seen.heard),
    asked: since(seen.asked),
    had: since(seen.had),
    painted: since(seen.painted),
    requests: seen.requests,
  }
}
