import { accessSync, constants, existsSync } from 'node:fs'
import path from 'node:path'

export interface PathFacts {
  readonly platform: NodeJS.Platform
  readonly home: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** The executable's folder, or null where Node runs the bundle. */
  readonly portableDir: string | null
}

/**
 * Where the data lies when DATA_DIR does not say: `/data` where that is a writable folder (containers), `./data` beside a
 * portable executable where that exists, else the profile folder of the operating system.
 */
export function defaultDataDir(facts: PathFacts): string {
  if (facts.platform === 'linux' && isWritable('/data')) return '/data'
  const portable = facts.portableDir === null ? null : path.join(facts.portableDir, 'data')
  if (portable !== null && existsSync(portable)) return portable
  return profileDir(facts)
}

function profileDir({ platform, home, env }: PathFacts): string {
  switch (platform) {
    case 'win32':
      return path.join(env.LOCALAPPDATA ?? path.join(home, 'AppData', 'Local'), 'Talekeeper', 'data')
    case 'darwin':
      return path.join(home, 'Library', 'Application Support', 'Talekeeper')
    default:
      return path.join(absolute(env.XDG_DATA_HOME) ?? path.join(home, '.local', 'share'), 'talekeeper')
  }
}

/** Where the log of a program lies that nobody watches. A data folder that was named, or is portable, has its own. */
export function logDir(facts: PathFacts, dataDir: string): string {
  const { platform, home, env } = facts
  if (dataDir !== profileDir(facts)) return path.join(dataDir, 'logs')
  switch (platform) {
    case 'win32':
      return path.join(path.dirname(dataDir), 'logs')
    case 'darwin':
      return path.join(home, 'Library', 'Logs', 'Talekeeper')
    default:
      return path.join(absolute(env.XDG_STATE_HOME) ?? path.join(home, '.local', 'state'), 'talekeeper', 'log')
  }
}

/** Where programs keep what people chose, on Linux desktops. */
export function configHome({ home, env }: Pick<PathFacts, 'home' | 'env'>): string {
  return absolute(env.XDG_CONFIG_HOME) ?? path.join(home, '.config')
}

/** The XDG specification has relative paths ignored. */
function absolute(value: string | undefined): string | undefined {
  return value !== undefined && path.isAbsolute(value) ? value : undefined
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK)
    return true
  } catch {
    return false
  }
}
