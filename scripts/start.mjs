// npm start: builds when the sources have changed since the last build, then runs Talekeeper from the build folder.
//
//   npm start                       the desktop program
//   npm start -- serve              any other command of it
import path from 'node:path'
import { isBuildCurrent } from './lib/build-state.mjs'
import { findNode, programOptions, projectRoot, runNode } from './lib/node-runner.mjs'

try {
  process.exitCode = await start(process.argv.slice(2))
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}

/**
 * @param {readonly string[]} args
 * @returns {Promise<number>} the exit code
 */
async function start(args) {
  const node = findNode()
  if (!isBuildCurrent()) {
    const buildCode = await runNode(node, [path.join(projectRoot, 'scripts', 'build.ts'), '--to-stderr'])
    if (buildCode !== 0) return buildCode
  }
  return runNode(node, [...programOptions, path.join(projectRoot, 'build', 'talekeeper.cjs'), ...args])
}
