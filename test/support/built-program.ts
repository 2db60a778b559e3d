import { isBuildCurrent } from '../../scripts/lib/build-state.mjs'

/**
 * The program's bundle, relative to the project: what people start, and ready in half the time of the sources. `npm test`
 * builds it; nothing is tried on one that is older than the sources.
 */
export function builtProgram(): string {
  isCurrent ??= isBuildCurrent()
  if (!isCurrent) throw new Error('build/ is older than the sources: run npm run build first')
  return 'build/talekeeper.cjs'
}

let isCurrent: boolean | undefined
