import { readFileSync } from 'node:fs'
import path from 'node:path'
import { projectRoot } from '../lib/node-runner.mjs'

/**
 * A file of installer/ with its marks (`@VERSION@`) filled in.
 * @throws Error when it has a mark without a value.
 */
export function filledIn(file: string, values: Readonly<Record<string, string>> = {}): string {
  return readFileSync(path.join(projectRoot, 'installer', file), 'utf8').replace(
    /@([A-Z_]+)@/g,
    (mark, name: string) => {
      const value = values[name]
      if (value === undefined)
        throw new Error(`installer/${file} has the mark ${mark}, and nothing is known to put there.`)
      return value
    },
  )
}
