import { createHash } from 'node:crypto'
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import * as z from 'zod'

// The personal token of `talekeeper mcp-stdio`: in a file that only its account reads, outside the data folder, so that no
// backup holds it. One for each data folder.

export interface KeyFacts {
  readonly platform: NodeJS.Platform
  readonly home: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly dataDir: string
}

const shape = z.object({ dataDir: z.string(), tokenId: z.int(), token: z.string().startsWith('tkp_') })

/** The token, and by what it is revoked. */
export type AssistantKey = Pick<z.output<typeof shape>, 'token' | 'tokenId'>

/** Where the key for the server of a data folder is kept. */
export function assistantKeyFile({ platform, home, env, dataDir }: KeyFacts): string {
  const digest = createHash('sha256').update(dataDir).digest('hex').slice(0, 12)
  return path.join(settingsFolder(platform, home, env), 'assistants', `key-${digest}.json`)
}

function settingsFolder(platform: NodeJS.Platform, home: string, env: KeyFacts['env']): string {
  switch (platform) {
    case 'win32':
      return path.join(env.LOCALAPPDATA ?? path.join(home, 'AppData', 'Local'), 'Talekeeper')
    case 'darwin':
      return path.join(home, 'Library', 'Preferences', 'Talekeeper')
    default:
      return path.join(
        env.XDG_CONFIG_HOME !== undefined && path.isAbsolute(env.XDG_CONFIG_HOME)
          ? env.XDG_CONFIG_HOME
          : path.join(home, '.config'),
        'talekeeper',
      )
  }
}

/** Null where there is none, or none that can be used. */
export function readAssistantKey(facts: KeyFacts): AssistantKey | null {
  try {
    return shape.parse(JSON.parse(readFileSync(assistantKeyFile(facts), 'utf8')))
  } catch {
    return null
  }
}

/** Replaces the key. Throws the system's error where it cannot be written. */
export function writeAssistantKey(facts: KeyFacts, { tokenId, token }: AssistantKey): void {
  const file = assistantKeyFile(facts)
  const temporary = `${file}.new`
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
  rmSync(temporary, { force: true })
  writeFileSync(temporary, `${JSON.stringify({ dataDir: facts.dataDir, tokenId, token }, null, 2)}\n`, {
    flag: 'wx',
    mode: 0o600,
  })
  // Whatever the account's habits are.
  chmodSync(temporary, 0o600)
  renameSync(temporary, file)
}
