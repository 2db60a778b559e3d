import path from 'node:path'
import { worldsVariable } from './global-setup.ts'

/**
 * Environment of programs that tests start on Node: they keep what they compiled for the next one of the run. A program
 * starts hundreds of times in a run, and takes half the time so. One that is killed keeps nothing.
 */
export function compiledModules(): Readonly<Record<string, string>> {
  const worlds = process.env[worldsVariable]
  return worlds === undefined ? {} : { NODE_COMPILE_CACHE: path.join(worlds, 'compiled') }
}
