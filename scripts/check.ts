// npm run check: what a change must pass before it is shown to anybody: format, lint, types, pins and unit tests, side by
// side. Each says how it went when it has ended.
import { projectRoot } from './lib/node-runner.mjs'
import { runTask, type TaskResult } from './lib/tasks.ts'

const QUICK_TESTS = ['test/unit', 'test/pins']

process.chdir(projectRoot)
const started = performance.now()

const tasks = [
  runTask('format and lint', 'biome', ['check', '--error-on-warnings', '.']),
  // One checker: each one infers anew the types that files share, so four take more than twice the processor's time.
  runTask('types', 'tsc', ['--noEmit', '--checkers', '1', '-p', '.']),
  runTask('unit tests and pins', 'vitest', ['run', ...QUICK_TESTS]),
]
for (const task of tasks) void task.then(report)
const results = await Promise.all(tasks)

const failed = results.filter((result) => result.code !== 0).map((result) => result.name)
const seconds = ((performance.now() - started) / 1000).toFixed(1)
console.log(failed.length > 0 ? `check failed: ${failed.join(', ')} (${seconds} s)` : `check passed (${seconds} s)`)
process.exitCode = failed.length > 0 ? 1 : 0

function report(result: TaskResult): void {
  const verdict = result.code === 0 ? 'ok' : 'FAILED'
  console.log(`${result.name}: ${verdict} (${result.seconds.toFixed(1)} s)`)
  if (result.code !== 0) console.log(result.output)
}
