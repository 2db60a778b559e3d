// npm test: builds when needed, runs every test, and ends with the line "N passed, N failed, N skipped".
//
//   npm test -- test/http     only what is in that folder
//   npm test -- --long        also the tests that take minutes
//
// Other arguments go to vitest.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { projectRoot } from './lib/node-runner.mjs'
import { ensureBuilt, runHere } from './lib/tasks.ts'

/** The part of vitest's JSON report that is read here. */
interface TestReport {
  readonly numPassedTests: number
  readonly numFailedTests: number
  readonly numPendingTests: number
  readonly numTodoTests: number
  readonly testResults: readonly {
    readonly status: string
    readonly assertionResults: readonly { readonly status: string }[]
  }[]
}

process.chdir(projectRoot)
process.exitCode = await test(process.argv.slice(2))

async function test(args: readonly string[]): Promise<number> {
  if (args.includes('--long')) process.env.TALEKEEPER_TEST_LONG = '1'

  const buildCode = await ensureBuilt()
  if (buildCode !== 0) return buildCode

  const folder = mkdtempSync(path.join(tmpdir(), 'talekeeper-test-'))
  try {
    const reportFile = path.join(folder, 'report.json')
    const code = await runHere('vitest', [
      'run',
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${reportFile}`,
      ...args.filter((arg) => arg !== '--long'),
    ])
    if (!existsSync(reportFile)) throw new Error(`vitest ended with code ${code} before it had run a test.`)
    const counts = count(JSON.parse(readFileSync(reportFile, 'utf8')))
    // vitest also fails for what is no test, an unhandled rejection for one. That must not read "0 failed".
    if (code !== 0 && counts.failed === 0) {
      console.log(`vitest ended with code ${code} although no test failed (see above): counted as one.`)
      counts.failed = 1
    }
    console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`)
    return counts.failed > 0 ? 1 : 0
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** A file that could not be loaded has no test that failed; it counts as one. */
function count(report: TestReport): { passed: number; failed: number; skipped: number } {
  const brokenFiles = report.testResults.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some((result) => result.status === 'failed'),
  ).length
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + brokenFiles,
    skipped: report.numPendingTests + report.numTodoTests,
  }
}
