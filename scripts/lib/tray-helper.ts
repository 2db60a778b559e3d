import { chmodSync, cpSync, existsSync, mkdirSync } from 'node:fs'
import path from 'node:path'
import type { Target } from '../../build.config.ts'
import { projectRoot } from './node-runner.mjs'

/**
 * Puts the tray helper where systray2 looks for it: in traybin/ beside the program. Answers whether there is one for
 * this machine type.
 * @throws Error when systray2 is not installed.
 */
export function copyTrayHelper(target: Target, folder: string): boolean {
  if (target.trayHelper === undefined) return false
  const source = path.join(projectRoot, 'node_modules', 'systray2', 'traybin', target.trayHelper)
  if (!existsSync(source)) throw new Error('systray2 is not installed. Run "npm ci".')
  const helper = path.join(folder, 'traybin', target.trayHelper)
  mkdirSync(path.dirname(helper), { recursive: true })
  cpSync(source, helper)
  // The package has it without the right to execute.
  chmodSync(helper, 0o755)
  return true
}
