import { chmodSync, readFileSync } from 'node:fs'
import path from 'node:path'
import pkgSea from '@yao-pkg/pkg/lib-es5/sea.js'
import { nodeVersion, type Target } from '../../build.config.ts'
import { projectRoot } from './node-runner.mjs'

/**
 * Makes one executable: Node for that machine type with the main bundle and the assets inside. pkg's own function is
 * called, because its command line neither takes assets and the code cache nor a Node that is already there.
 * @param assets name in the executable -> absolute path of the file
 * @throws Error when the Node package is missing or of another version.
 */
export async function makeExecutable(
  target: Target,
  mainFile: string,
  assets: Readonly<Record<string, string>>,
  output: string,
): Promise<void> {
  const nodePackage = path.join(projectRoot, 'node_modules', target.nodePackage)
  const installed: { version: string } = JSON.parse(readFileSync(path.join(nodePackage, 'package.json'), 'utf8'))
  if (installed.version !== nodeVersion) {
    throw new Error(`${target.nodePackage} is ${installed.version}, but build.config.ts says ${nodeVersion}.`)
  }
  const seaConfig = {
    assets: { ...assets },
    disableExperimentalSEAWarning: true,
    useSnapshot: false,
    // A fifth of the start-up time. The cache is made by the Node it is for, so it needs that machine type.
    useCodeCache: target.os === process.platform && target.cpu === process.arch,
    // Without this, NODE_OPTIONS=--require=... would run foreign code inside the executable.
    execArgvExtension: 'none',
  }
  await pkgSea.default(mainFile, {
    seaConfig,
    signature: false,
    nodePath: path.join(nodePackage, target.nodeBinary),
    targets: [{ platform: target.pkgPlatform, arch: target.pkgArch, nodeRange: `node${nodeVersion}`, output }],
  })
  chmodSync(output, 0o755)
}
