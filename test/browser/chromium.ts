import { existsSync } from 'node:fs'
import { type Browser, chromium, type Page } from 'playwright-core'

// First the one without windows: it draws the same pages with half of the processor time.
const places = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
]

/** Where this machine's browser is, or null. In CI a missing one is a failure, elsewhere a reason to skip. */
export function findChromium(): string | null {
  const found = places.find((place) => existsSync(place)) ?? null
  if (found === null && process.env.CI === 'true') throw new Error('chromium is missing; .ci/run installs it')
  if (found === null) console.warn('skipped: no chromium on this machine (Debian: apt-get install chromium)')
  return found
}

export function launchChromium(executablePath: string): Promise<Browser> {
  return chromium.launch({
    executablePath,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
}

export const phone = { width: 360, height: 740 }
export const desk = { width: 1280, height: 800 }

/** A page of its own profile; what the page complains about in its console ends up in `complaints`. */
export async function newPage(
  browser: Browser,
  viewport: { width: number; height: number },
  locale?: string,
): Promise<{ page: Page; complaints: string[] }> {
  const context = await browser.newContext({
    viewport,
    acceptDownloads: true,
    reducedMotion: 'reduce',
    colorScheme: 'dark',
    ...(locale === undefined ? {} : { locale }),
  })
  // What hangs is ended by the test's own limit; a machine that is slow takes its time.
  context.setDefaultTimeout(300_000)
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', (message) => {
    // A refused call is shown to the user by the page; the browser's own line about it says nothing more.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(String(error)))
  return { page, complaints }
}
