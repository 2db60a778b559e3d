// npm run test:mutants: takes one guard away at a time, each in a copy of the project, and expects the suite to notice.
//
//   npm run test:mutants                    all of scripts/mutants/list.ts
//   npm run test:mutants -- consent live    those whose name, file or tests hold one of the words
//
// A mutant that no test notices survives, and the run fails; so it does when the tests fail without a mutant, when the
// text that a mutant replaces is gone, and when a mutant does not even load.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { findCommand, projectRoot } from './lib/node-runner.mjs'
import { type Mutant, mutants } from './mutants/list.ts'

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

process.exitCode = run(process.argv.slice(2))

function run(words: readonly string[]): number {
  const chosen = mutants.filter(({ without, file, tests }) => {
    const text = [without, file, ...tests].join(' ')
    return words.length === 0 || words.some((word) => text.includes(word))
  })
  if (chosen.length === 0) {
    console.error('No mutant is of these words.')
    return 2
  }
  const every = Array.from(new Set(chosen.flatMap(({ tests }) => tests)))
  const whole = withCopy((folder) => testIn(folder, every))
  if (whole.kind !== 'passed') {
    console.error(`The tests fail before anything is taken away; mend that first.\n${whole.output}`)
    return 1
  }
  const outcomes = chosen.map((mutant) => {
    const started = performance.now()
    const outcome = attempt(mutant)
    console.log(
      `${outcome.padEnd(9)} ${mutant.without} (${mutant.file}, ${((performance.now() - started) / 1000).toFixed(0)} s)`,
    )
    return outcome
  })
  const killed = outcomes.filter((outcome) => outcome === 'killed').length
  console.log(`${killed} of ${chosen.length} mutants killed`)
  return killed === chosen.length ? 0 : 1
}

type Outcome = 'killed' | 'SURVIVED' | 'BROKEN'

function attempt(mutant: Mutant): Outcome {
  return withCopy((folder) => {
    const problem = mutate(folder, mutant)
    if (problem !== undefined) {
      console.error(problem)
      return 'BROKEN'
    }
    // One file after the other: the first is meant to notice.
    for (const test of mutant.tests) {
      const { kind, output } = testIn(folder, [test])
      if (kind === 'failed') return 'killed'
      if (kind === 'broken') {
        console.error(output)
        return 'BROKEN'
      }
    }
    return 'SURVIVED'
  })
}

/** Applies the edits. Returns what is wrong with them: a mutant whose text is gone guards nothing any more. */
function mutate(folder: string, { without, file, edits }: Mutant): string | undefined {
  const target = path.join(folder, file)
  let text = readFileSync(target, 'utf8')
  for (const [from, to] of edits) {
    const times = text.split(from).length - 1
    if (times !== 1) return `without ${without}: this stands in ${file} ${times} times instead of once: ${from}`
    text = text.replace(from, () => to)
  }
  writeFileSync(target, text)
  return undefined
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

function testIn(folder: string, tests: readonly string[]): Tested {
  const missing = tests.filter((test) => !existsSync(path.join(folder, test)))
  if (missing.length > 0) return { kind: 'broken', output: `there is no ${missing.join(', ')}` }
  const reportFile = path.join(folder, 'report.json')
  rmSync(reportFile, { force: true })
  const vitest = findCommand('vitest')
  if (vitest === undefined) throw new Error('vitest is not installed. Run "npm ci".')
  const args = [vitest, 'run', '--bail=1', '--reporter=default', '--reporter=json', `--outputFile.json=${reportFile}`]
  const { status, stdout, stderr } = spawnSync(process.execPath, [...args, ...tests], {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  })
  const output = `${stdout}${stderr}`.slice(-4000)
  if (status === 0) return { kind: 'passed', output }
  if (!existsSync(reportFile)) return { kind: 'broken', output }
  const report = JSON.parse(readFileSync(reportFile, 'utf8')) as Report
  const failedInHooks = report.testResults.some(
    ({ status: each, message, assertionResults }) =>
      each === 'failed' && (assertionResults.length > 0 || !/SyntaxError|Cannot find|does not provide/.test(message)),
  )
  return { kind: report.numFailedTests > 0 || failedInHooks ? 'failed' : 'broken', output }
}

function withCopy<T>(work: (folder: string) => T): T {
  const folder = mkdtempSync(path.join(tmpdir(), 'talekeeper-mutant-'))
  try {
    for (const name of copied) {
      cpSync(path.join(projectRoot, name), path.join(folder, name), {
        recursive: true,
        filter: (source) => path.basename(source) !== 'node_modules',
      })
    }
    for (const name of linked) {
      if (existsSync(path.join(projectRoot, name)))
        symlinkSync(path.join(projectRoot, name), path.join(folder, name), 'junction')
    }
    return work(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
