import { type ChildProcess, spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'

const projectRoot = path.resolve(import.meta.dirname, '..', '..')
/** A project whose path holds a space, with the launcher and the dependencies of this one. */
let project: string

beforeAll(() => {
  project = path.join(mkdtempSync(path.join(tmpdir(), 'talekeeper-launcher-')), 'a clone')
  mkdirSync(project)
  cpSync(path.join(projectRoot, 'scripts'), path.join(project, 'scripts'), { recursive: true })
  cpSync(path.join(projectRoot, 'package.json'), path.join(project, 'package.json'))
  symlinkSync(path.join(projectRoot, 'node_modules'), path.join(project, 'node_modules'), 'junction')
})

afterAll(() => rmSync(path.dirname(project), { recursive: true, force: true }))

function launch(...args: string[]): { child: ChildProcess; ended: Promise<{ code: number | null; output: string }> } {
  const child = spawn(process.execPath, [path.join(project, 'scripts', 'n.mjs'), ...args], { cwd: project })
  let output = ''
  const keep = (chunk: Buffer) => {
    output += chunk.toString()
  }
  child.stdout.on('data', keep)
  child.stderr.on('data', keep)
  const ended = new Promise<{ code: number | null; output: string }>((resolve) => {
    child.once('close', (code) => resolve({ code, output }))
  })
  return { child, ended }
}

test('a file runs with its arguments, and its exit code is the launcher’s', async () => {
  writeFileSync(
    path.join(project, 'say.ts'),
    'const word: string = process.argv[2] ?? ""\nconsole.log(word)\nprocess.exitCode = 7\n',
  )
  expect(await launch('./say.ts', 'two words').ended).toEqual({ code: 7, output: 'two words\n' })
})

test('a command of a dependency runs by its name', async () => {
  const { code, output } = await launch('vitest', '--version').ended
  expect(output).toContain('vitest/')
  expect(code).toBe(0)
})

test('an unknown command is refused in words', async () => {
  const { code, output } = await launch('nothing-of-that-name').ended
  expect(output).toContain('"nothing-of-that-name"')
  expect(code).toBe(1)
})

test.skipIf(process.platform === 'win32').each(['SIGTERM', 'SIGINT'] as const)(
  '%s reaches the program, which ends in its own time',
  async (signal) => {
    writeFileSync(
      path.join(project, 'serve.mjs'),
      `setInterval(() => {}, 1000)
       process.on('${signal}', () => setTimeout(() => { console.log('closed'); process.exit(3) }, 50))
       console.log('ready')`,
    )
    const { child, ended } = launch('./serve.mjs')
    await new Promise((resolve) => child.stdout?.once('data', resolve))
    child.kill(signal)
    expect(await ended).toEqual({ code: 3, output: 'ready\nclosed\n' })
  },
)

test.skipIf(process.platform === 'win32')('a program that a signal ends gives 128 and its number', async () => {
  writeFileSync(path.join(project, 'die.mjs'), "process.kill(process.pid, 'SIGKILL')\nsetInterval(() => {}, 1000)\n")
  expect((await launch('./die.mjs').ended).code).toBe(128 + 9)
})
