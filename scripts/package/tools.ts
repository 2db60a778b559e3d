import { execFileSync, spawnSync } from 'node:child_process'

/** Programs that come with the system and not with npm -> the Debian package that has them. */
const tools = { 'dpkg-deb': 'dpkg', makensis: 'nsis' } as const

export type Tool = keyof typeof tools

/** Null when the program is there, else a line about what is not made without it. */
export function whyMissing(tool: Tool, product: string): string | null {
  const { error } = spawnSync(tool, [tool === 'makensis' ? '-VERSION' : '--version'], { stdio: 'ignore' })
  if (error === undefined) return null
  return `${tool} is not installed, so ${product} was not made. On Debian and Ubuntu: apt install ${tools[tool]}`
}

/** Runs a program to its end. @throws Error with what it wrote when it fails. */
export function runTool(tool: Tool, args: readonly string[], env: Readonly<Record<string, string>> = {}): void {
  try {
    execFileSync(tool, args, { stdio: ['ignore', 'pipe', 'pipe'], encoding: 'utf8', env: { ...process.env, ...env } })
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { readonly stdout?: string; readonly stderr?: string }
    throw new Error(`${tool} failed:\n${stdout}${stderr}`, { cause: error })
  }
}
