// npm run test:mutants: takes one guard away at a time, in a copy of the project, and expects the suite to notice.
//
//   npm run test:mutants                          all of scripts/mutants/list.ts
//   npm run test:mutants -- consent live          those whose name, file or tests hold one of the words
//   npm run test:mutants -- consent --in test/domain/consent.test.ts
//                                                 the same, asking only these tests (several: with commas)
//   npm run test:mutants -- consent --at-once     without running the tests on the project as it is first
//   npm run test:mutants -- --list                says what there is
//
// A mutant that no test notices survives, and the run fails; so it does when the tests fail without a mutant, when the
// text that a mutant replaces is gone, and when a mutant does not even load.
import { spawn } from 'node:child_process'
import { constants, cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { findCommand, projectRoot } from './lib/node-runner.mjs'
import { type Mutant, mutate } from './mutants/edits.ts'
import { mutants } from './mutants/list.ts'

const copied = [
  'src',
  'test',
  'scripts',
  'assets',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'vitest.config.ts',
  'build.config.ts',
  'biome.json',
]
/** What is not changed is not copied. */
const linked = ['node_modules', 'build']
/** Each runs one file of tests at a time, on about one core. */
const most = Math.min(2, availableParallelism())

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { in: { type: 'string' }, 'at-once': { type: 'boolean' }, list: { type: 'boolean' } },
})
process.exitCode = await run(positionals)

async function run(words: readonly string[]): Promise<number> {
  const chosen = mutants
    .filter((mutant) => words.length === 0 || words.some((word) => textOf(mutant).includes(word)))
    .map((mutant) => (values.in === undefined ? mutant : { ...mutant, tests: values.in.split(',') }))
  if (values.list) {
    for (const { without, file } of chosen) console.log(`${without} (${file})`)
    return 0
  }
  if (chosen.length === 0) {
    console.error('No mutant is of these words.')
    return 2
  }
  const copies = Array.from({ length: Math.min(most, chosen.length) }, copyOfProject)
  try {
    if (!values['at-once']) {
      const every = Array.from(new Set(chosen.flatMap(({ tests }) => tests)))
      const whole = await testIn(copies[0] as string, every)
      if (whole.kind !== 'passed') {
        console.error(`The tests fail before anything is taken away; mend that first.\n${whole.output}`)
        return 1
      }
    }
    const outcomes = await attemptAll(chosen, copies)
    const killed = outcomes.filter((outcome) => outcome === 'killed').length
    console.log(`${killed} of ${chosen.length} mutants killed`)
    return killed === chosen.length ? 0 : 1
  } finally {
    for (const copy of copies) rmSync(copy, { recursive: true, force: true })
  }
}

function textOf({ without, file, tests }: Mutant): string {
  return [without, file, ...tests].join(' ')
}

type Outcome = 'killed' | 'SURVIVED' | 'BROKEN'

async function attemptAll(chosen: readonly Mutant[], copies: readonly string[]): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = []
  const waiting = [...chosen]
  const work = async (copy: string): Promise<void> => {
    for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift()) {
      const started = performance.now()
      const outcome = await attempt(mutant, copy)
      outcomes.push(outcome)
      const seconds = ((performance.now() - started) / 1000).toFixed(0)
      console.log(`${outcome.padEnd(9)} ${mutant.without} (${mutant.file}, ${seconds} s)`)
    }
  }
  await Promise.all(copies.map(work))
  return outcomes
}

/** Tries a mutant in a copy, and leaves the copy as it was. */
async function attempt({ without, file, edits, tests }: Mutant, copy: string): Promise<Outcome> {
  const target = path.join(copy, file)
  const original = readFileSync(target, 'utf8')
  const mutated = mutate(original, edits)
  if ('problem' in mutated) {
    console.error(`without ${without}: ${mutated.problem} in ${file}`)
    return 'BROKEN'
  }
  writeFileSync(target, mutated.text)
  try {
    // One file after the other: the first is meant to notice.
    for (const test of tests) {
      const { kind, output } = await testIn(copy, [test])
      if (kind === 'failed') return 'killed'
      if (kind === 'broken') {
        console.error(output)
        return 'BROKEN'
      }
    }
    return 'SURVIVED'
  } finally {
    writeFileSync(target, original)
  }
}

/** The part of vitest's JSON report that is read here. */
interface Report {
  readonly numFailedTests: number
  readonly testResults: readonly {
    readonly status: string
    readonly message: string
    readonly assertionResults: readonly unknown[]
  }[]
}

interface Tested {
  /** `broken`: a test file could not be loaded, which says nothing about what it would have noticed. */
  readonly kind: 'passed' | 'failed' | 'broken'
  readonly output: string
}

async function testIn(folder: string, tests: readonly string[]): Promise<Tested> {
  const missing = tests.filter((test) => !existsSync(path.join(folder, test)))
  if (missing.length > 0) return { kind: 'broken', output: `there is no ${missing.join(', ')}` }
  const reportFile = path.join(folder, 'report.json')
  rmSync(reportFile, { force: true })
  const { code, output } = await vitest(folder, ['--bail=1', `--outputFile.json=${reportFile}`, ...tests])
  if (code === 0) return { kind: 'passed', output }
  if (!existsSync(reportFile)) return { kind: 'broken', output }
  const report = JSON.parse(readFileSync(reportFile, 'utf8')) as Report
  const failedInHooks = report.testResults.some(
    ({ status: each, message, assertionResults }) =>
      each === 'failed' && (assertionResults.length > 0 || !/SyntaxError|Cannot find|does not provide/.test(message)),
  )
  return { kind: report.numFailedTests > 0 || failedInHooks ? 'failed' : 'broken', output }
}

function vitest(cwd: string, args: readonly string[]): Promise<{ code: number | null; output: string }> {
  const file = findCommand('vitest')
  if (file === undefined) throw new Error('vitest is not installed. Run "npm ci".')
  // What was transformed for one mutant serves the next in the same copy; the project's own is left alone.
  const cache = `--fsModuleCachePath=${path.join(cwd, '.cache')}`
  const all = [file, 'run', '--reporter=default', '--reporter=json', cache, ...args]
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, all, { cwd, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    const keep = (chunk: Buffer): void => {
      output = (output + chunk.toString()).slice(-4000)
    }
    child.stdout.on('data', keep)
    child.stderr.on('data', keep)
    child.once('error', reject)
    child.once('close', (code) => resolve({ code, output }))
  })
}

function copyOfProject(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'talekeeper-mutant-'))
  for (const name of copied) {
    cpSync(path.join(projectRoot, name), path.join(folder, name), {
      recursive: true,
      mode: constants.COPYFILE_FICLONE,
      filter: (source) => path.basename(source) !== 'node_modules',
    })
  }
  for (const name of linked) {
    if (existsSync(path.join(projectRoot, name)))
      symlinkSync(path.join(projectRoot, name), path.join(folder, name), 'junction')
  }
  return folder
}
