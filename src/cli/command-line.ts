import { parseArgs } from 'node:util'
import { nearest } from '../kernel/edit-distance.ts'

/** A command as it stands in the help. */
export interface CommandSpec {
  /** What follows the name, such as `FILE --confirm RESTORE`. */
  readonly usage: string
  readonly about: string
  /** Names of the options and whether they take a value. */
  readonly options: Readonly<Record<string, 'value' | 'flag'>>
  /** What its arguments are, in their order; those with `?` may be left away. */
  readonly args: readonly string[]
}

export interface CommandLine {
  readonly command: string
  /** Values by the option's name; a flag's is the empty text. */
  readonly options: ReadonlyMap<string, string>
  readonly args: readonly string[]
}

/** A command line that makes no sense. Exit 2. */
export class UsageError extends Error {}

const short: Readonly<Record<string, string>> = { h: 'help', v: 'version' }

/**
 * Reads a command line. `--help` and `--version` go with every command and are commands then, whatever else stands there.
 * Throws UsageError, with the nearest thing that there is.
 */
export function parseCommandLine(
  argv: readonly string[],
  commands: Readonly<Record<string, CommandSpec>>,
  settings: readonly string[],
): CommandLine {
  const first = argv[0]
  const isNamed = first !== undefined && !first.startsWith('-')
  const command = isNamed ? first : ''
  const spec = commands[command]
  if (spec === undefined)
    throw new UsageError(`There is no command "${command}".${didYouMean(command, Object.keys(commands))}`)
  const { tokens } = parseArgs({
    args: argv.slice(isNamed ? 1 : 0) as string[],
    options: {
      ...Object.fromEntries(
        Object.entries(spec.options).map(([name, kind]) => [
          name,
          { type: kind === 'value' ? 'string' : 'boolean' } as const,
        ]),
      ),
      help: { type: 'boolean', short: 'h' },
      version: { type: 'boolean', short: 'v' },
    },
    strict: false,
    allowPositionals: true,
    tokens: true,
  })
  const options = new Map<string, string>()
  const args: string[] = []
  for (const token of tokens) {
    if (token.kind === 'positional') args.push(token.value)
    if (token.kind === 'option') options.set(short[token.name] ?? token.name, token.value ?? '')
  }
  if (options.has('help')) return { command: 'help', options: new Map(), args: command === '' ? [] : [command] }
  if (options.has('version')) return { command: 'version', options: new Map(), args: [] }
  judgeOptions(tokens, command, spec, settings)
  const least = spec.args.filter((name) => !name.endsWith('?')).length
  if (args.length < least) throw new UsageError(`Give ${spec.args[args.length]}: ${usageOf(command, spec)}`)
  if (args.length > spec.args.length)
    throw new UsageError(`"${args[spec.args.length]}" is too much. This is how it goes: ${usageOf(command, spec)}`)
  return { command, options, args }
}

type Tokens = NonNullable<ReturnType<typeof parseArgs>['tokens']>

function judgeOptions(tokens: Tokens, command: string, spec: CommandSpec, settings: readonly string[]): void {
  for (const token of tokens) {
    if (token.kind !== 'option') continue
    const kind = spec.options[token.name]
    if (kind === undefined) {
      const setting = settings.find((name) => name.toLowerCase().replaceAll('_', '-') === token.name.toLowerCase())
      const known = [...Object.keys(spec.options), 'help', 'version'].map((name) => `--${name}`)
      const hint =
        setting === undefined ? didYouMean(token.rawName, known) : ` Set the environment variable ${setting} instead.`
      throw new UsageError(`There is no option "${token.rawName}" for ${nameOf(command)}.${hint}`)
    }
    if (kind === 'value' && (token.value ?? '--').replace(/^--.*/s, '') === '')
      throw new UsageError(`${token.rawName} needs a value: ${usageOf(command, spec)}`)
    if (kind === 'flag' && token.value !== undefined) throw new UsageError(`${token.rawName} takes no value.`)
  }
}

export function usageOf(command: string, { usage }: CommandSpec): string {
  return [nameOf(command), usage].filter((part) => part !== '').join(' ')
}

function nameOf(command: string): string {
  return command === '' ? 'talekeeper' : `talekeeper ${command}`
}

/** The help on one command, or on all. */
export function helpText(commands: Readonly<Record<string, CommandSpec>>, command: string | undefined): string {
  const spec = command === undefined ? undefined : commands[command]
  if (command !== undefined && spec !== undefined) return `${usageOf(command, spec)}\n\n  ${spec.about}`
  const lines = Object.entries(commands).flatMap(([name, each]) => [
    `  ${[name === '' ? '(none)' : name, each.usage].filter((part) => part !== '').join(' ')}`,
    `      ${each.about}`,
  ])
  return ['talekeeper [command]', '', ...lines].join('\n')
}

/** The nearest of what there is, where it is near enough to be what was meant. */
export function didYouMean(given: string, known: readonly string[]): string {
  const near = nearest(given, known)
  return near === null ? ' "talekeeper help" says what there is.' : ` Did you mean "${near}"?`
}
