export interface OwnCommandFacts {
  readonly platform: NodeJS.Platform
  /** The executable, or null where Node runs the bundle of a clone. */
  readonly executable: string | null
  /** DATA_DIR, where it was set: whoever types the command may not have it set. */
  readonly dataDir: string | null
}

/** A command line of this program as somebody can type it here, for messages that say what to do. */
export function ownCommand(facts: OwnCommandFacts, args: readonly string[]): string {
  const { platform, executable, dataDir } = facts
  const quoted = (text: string): string => (/^[\w@%+=:,./\\-]+$/.test(text) ? text : quote(text, platform))
  const program = executable === null ? 'npm start --' : quoted(executable)
  const command = [program, ...args.map(quoted)].join(' ')
  if (dataDir === null) return command
  return platform === 'win32' ? `set "DATA_DIR=${dataDir}" && ${command}` : `DATA_DIR=${quoted(dataDir)} ${command}`
}

function quote(text: string, platform: NodeJS.Platform): string {
  return platform === 'win32' ? `"${text}"` : `'${text.replaceAll("'", `'\\''`)}'`
}
