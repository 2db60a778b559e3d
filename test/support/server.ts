import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createApp } from '../../src/app.ts'
import type { App, AppOptions } from '../../src/app-options.ts'
import { readConfig } from '../../src/config.ts'
import type { Computer } from '../../src/desktop/computer-transfers.ts'
import { pointAtSharedFake } from './fake-world-provider.ts'
import { seededRandom } from './random.ts'

/** A clock that stands still until it is moved. */
export interface TestClock {
  (): Date
  advance(milliseconds: number): void
}

export function fixedClock(start = '2026-11-20T18:00:00.000Z'): TestClock {
  let now = Date.parse(start)
  const advance = (milliseconds: number): void => {
    now += milliseconds
  }
  return Object.assign(() => new Date(now), { advance })
}

export interface TestServer {
  readonly app: App
  readonly dataDir: string
  readonly clock: TestClock
  /** Everything that was logged, as one text. */
  logs(): string
  stop(): Promise<void>
}

export interface TestServerOptions
  extends Partial<
    Pick<
      AppOptions,
      | 'files'
      | 'checkpoint'
      | 'network'
      | 'catalogue'
      | 'onPrepare'
      | 'startThread'
      | 'surroundings'
      | 'bridge'
      | 'model'
    >
  > {
  /** An installation that is there, or where it is made; it stays when the server stops. */
  readonly dataDir?: string
  /** The instant at which the clock stands. */
  readonly now?: string
  readonly env?: Readonly<Record<string, string>>
}

/** A whole server on a folder of its own, not listening. Its folder goes when it stops, unless it was given. */
export async function startServer({ dataDir, now, env = {}, ...options }: TestServerOptions = {}): Promise<TestServer> {
  const folder = dataDir ?? mkdtempSync(path.join(tmpdir(), 'talekeeper-test-'))
  const clock = fixedClock(now)
  const lines: string[] = []
  const config = readConfig({ DATA_DIR: folder, HOME: folder, PORT: '0', API_DOCS: '1', ...env })
  const app = await createApp({
    config,
    version: '0.0.0-test',
    clock,
    random: seededRandom(),
    logStream: { write: (line) => void lines.push(line) },
    computer: quietComputer(),
    ...options,
  })
  await pointAtSharedFake(app.store())
  return {
    app,
    clock,
    dataDir: folder,
    logs: () => lines.join(''),
    async stop() {
      await app.stop()
      if (dataDir === undefined) rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** A machine at which nothing opens, and whose start at login is remembered as long as it stands. */
function quietComputer(): Computer {
  let isOn = false
  return {
    logDir: null,
    system: { open: async () => {} },
    autostart: {
      isOn: async () => isOn,
      async set(on) {
        isOn = on
      },
    },
  }
}
