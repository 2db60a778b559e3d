import { describe, expect, test } from 'vitest'
import { type CommandSpec, helpText, parseCommandLine, UsageError } from '../../src/cli/command-line.ts'
import { explain } from '../../src/cli/explain.ts'
import { ownCommand } from '../../src/cli/own-command.ts'
import { fail } from '../../src/kernel/errors.ts'

const commands: Readonly<Record<string, CommandSpec>> = {
  '': { usage: '', about: 'start', options: { hidden: 'flag' }, args: [] },
  backup: { usage: '[--to FILE] [--json]', about: 'make a backup', options: { to: 'value', json: 'flag' }, args: [] },
  restore: { usage: 'FILE --confirm RESTORE', about: 'restore', options: { confirm: 'value' }, args: ['FILE'] },
  admin: { usage: '[NAME]', about: 'accounts', options: {}, args: ['NAME?'] },
}
const parse = (...argv: string[]) => {
  const { command, options, args } = parseCommandLine(argv, commands, ['PORT', 'DATA_DIR'])
  return [command, Object.fromEntries(options), args]
}

describe('a command line', () => {
  test.each([
    [[], ['', {}, []]],
    [['--hidden'], ['', { hidden: '' }, []]],
    [
      ['backup', '--to', 'a b.zip', '--json'],
      ['backup', { to: 'a b.zip', json: '' }, []],
    ],
    [
      ['backup', '--to=a.zip'],
      ['backup', { to: 'a.zip' }, []],
    ],
    [
      ['restore', 'a.zip', '--confirm', 'RESTORE'],
      ['restore', { confirm: 'RESTORE' }, ['a.zip']],
    ],
    [['admin'], ['admin', {}, []]],
    [
      ['admin', 'ellen'],
      ['admin', {}, ['ellen']],
    ],
    // Help and version go with everything, whatever else is wrong.
    [['--help'], ['help', {}, []]],
    [['-h'], ['help', {}, []]],
    [
      ['restore', '-h'],
      ['help', {}, ['restore']],
    ],
    [
      ['restore', '--nonsense', '--help'],
      ['help', {}, ['restore']],
    ],
    [['-v'], ['version', {}, []]],
    [
      ['backup', '--version'],
      ['version', {}, []],
    ],
  ])('%j', (argv, expected) => {
    expect(parse(...argv)).toEqual(expected)
  })

  test.each([
    [['bakcup'], 'There is no command "bakcup". Did you mean "backup"?'],
    [['frobnicate'], 'There is no command "frobnicate". "talekeeper help" says what there is.'],
    [['backup', '--too', 'x'], 'There is no option "--too" for talekeeper backup. Did you mean "--to"?'],
    [['--port', '80'], 'There is no option "--port" for talekeeper. Set the environment variable PORT instead.'],
    [
      ['backup', '--data-dir=x'],
      'There is no option "--data-dir" for talekeeper backup. Set the environment variable DATA_DIR instead.',
    ],
    [['backup', '-x'], 'There is no option "-x" for talekeeper backup. "talekeeper help" says what there is.'],
    [['backup', '--to'], '--to needs a value: talekeeper backup [--to FILE] [--json]'],
    [['backup', '--to', '--json'], '--to needs a value: talekeeper backup [--to FILE] [--json]'],
    [['backup', '--json=yes'], '--json takes no value.'],
    [['restore'], 'Give FILE: talekeeper restore FILE --confirm RESTORE'],
    [['restore', 'a', 'b'], '"b" is too much. This is how it goes: talekeeper restore FILE --confirm RESTORE'],
    [['backup', 'a'], '"a" is too much. This is how it goes: talekeeper backup [--to FILE] [--json]'],
  ])('%j is refused with the nearest thing that there is', (argv, message) => {
    expect(() => parse(...argv)).toThrow(new UsageError(message))
  })

  test('the help names every command, or tells of one', () => {
    expect(helpText(commands, undefined)).toBe(
      [
        'talekeeper [command]',
        '',
        '  (none)',
        '      start',
        '  backup [--to FILE] [--json]',
        '      make a backup',
        '  restore FILE --confirm RESTORE',
        '      restore',
        '  admin [NAME]',
        '      accounts',
      ].join('\n'),
    )
    expect(helpText(commands, 'restore')).toBe('talekeeper restore FILE --confirm RESTORE\n\n  restore')
  })
})

describe('an error becomes one line that says what to do', () => {
  const system = (facts: object): Error => Object.assign(new Error('system error'), facts)
  test.each([
    [fail('invalid_state', 'Two\n lines.'), 'Two lines.'],
    [
      system({ code: 'ENOSPC', path: '/d/x' }),
      'The disk is full: /d/x cannot be written. Make room on it, then try again.',
    ],
    [
      system({ code: 'EACCES', path: '/d/x' }),
      'Talekeeper may not use /d/x. Give its account the right to read and write there, or name another place.',
    ],
    [
      system({ code: 'EPERM', path: '/d/x', dest: '/d/y' }),
      'Talekeeper may not use /d/y. Give its account the right to read and write there, or name another place.',
    ],
    [system({ code: 'ENOENT', path: '/d/x' }), 'There is no /d/x.'],
    [
      system({ code: 'EADDRINUSE', syscall: 'listen', port: 8020 }),
      'Port 8020 is used by another program. Set PORT to another number, or stop that program.',
    ],
    [
      system({ code: 'EACCES', syscall: 'listen', port: 80 }),
      'Talekeeper may not listen on port 80. Set PORT to a number above 1023.',
    ],
    [
      system({ code: 'ENOTFOUND', syscall: 'getaddrinfo', hostname: 'nowhere' }),
      'HOST is nowhere, which is no address of this machine (ENOTFOUND). Set it to 127.0.0.1, or to 0.0.0.0 for the whole network.',
    ],
    [new Error('something odd'), 'Talekeeper failed: something odd'],
    ['thrown', 'thrown'],
  ])('%s', (error, sentence) => {
    expect(explain(error)).toBe(sentence)
    expect(explain(error)).not.toContain('\n')
  })
})

describe('the command that a message names can be typed', () => {
  const facts = { platform: 'linux', executable: null, dataDir: null } as const
  test.each([
    [facts, ['restore', '/b/a.zip'], 'npm start -- restore /b/a.zip'],
    [{ ...facts, dataDir: '/my data' }, ['backup'], "DATA_DIR='/my data' npm start -- backup"],
    [
      { ...facts, executable: '/opt/tale keeper/talekeeper' },
      ['restore', "it's.zip"],
      "'/opt/tale keeper/talekeeper' restore 'it'\\''s.zip'",
    ],
    [
      { platform: 'win32', executable: 'C:\\Program Files\\Talekeeper\\talekeeper.com', dataDir: 'D:\\tale' } as const,
      ['restore', 'D:\\a b.zip'],
      'set "DATA_DIR=D:\\tale" && "C:\\Program Files\\Talekeeper\\talekeeper.com" restore "D:\\a b.zip"',
    ],
  ])('%j %j', (where, args, command) => {
    expect(ownCommand(where, args)).toBe(command)
  })
})
