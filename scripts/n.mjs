// Runs a program on the project's pinned Node, whatever Node npm itself runs on.
//
//   node scripts/n.mjs scripts/build.ts [args]   a file (the pinned Node reads TypeScript directly)
//   node scripts/n.mjs vitest run [args]         a command that a dependency installs
//   node scripts/n.mjs -p process.version        Node's own options
//
// A bare word is a command; anything with a dot or a slash is a file; anything that starts with a dash goes to Node.
import { findCommand, findNode, runNode } from './lib/node-runner.mjs'

const [program, ...args] = process.argv.slice(2)

try {
  const node = findNode()
  process.exitCode = await runNode(node, program === undefined ? [] : [resolve(program), ...args])
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}

/** @param {string} word */
function resolve(word) {
  if (word.startsWith('-') || /[./\\]/.test(word)) return word
  const file = findCommand(word)
  if (file === undefined) throw new Error(`No dependency of this project installs a command "${word}".`)
  return file
}
