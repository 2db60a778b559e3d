import { type Config, readBridgeSettings } from '../config.ts'
import { findRunning } from '../desktop/instance.ts'
import { readAssistantKey } from '../mcp/assistant-key.ts'
import { BridgeFailure, type BridgeServer, Unreachable } from '../mcp/bridge-post.ts'
import { endpointOf, noKey } from '../mcp/bridge-settings.ts'
import { runBridge } from '../mcp/stdio-bridge.ts'

/** What a bridge reads and writes: a process, or a test. */
export type BridgeStreams = Pick<NodeJS.Process, 'stdin' | 'stdout' | 'stderr'>

/**
 * `talekeeper mcp-stdio`: connects an AI client with the server that has the data folder, wherever it listens by now.
 * Returns false where none was reached.
 */
export async function connectAssistant(config: Config, { stdin, stdout, stderr }: BridgeStreams): Promise<boolean> {
  stderr.on('error', () => {})
  const tell = (sentence: string): void => void stderr.write(`${sentence}\n`)
  const find = (): Promise<BridgeServer> => findServer(config)
  if (!stdin.isTTY) return await runBridge({ input: stdin, output: stdout, find, tell })
  const { url } = await find()
  tell(`Talekeeper answers at ${url}. This command is for AI clients, which start it themselves.`)
  return true
}

/** Throws Unreachable where no server runs, BridgeFailure where there is no key for it. */
async function findServer({ dataDir, profile }: Config): Promise<BridgeServer> {
  const given = readBridgeSettings()
  const running = given.url === null ? await findRunning(dataDir) : { address: given.url }
  if (running === null)
    throw new Unreachable(`Talekeeper is not running (its data is in ${dataDir}). Start it, then try again.`)
  const token = given.token ?? readAssistantKey({ ...profile, dataDir })?.token
  if (token === undefined) throw new BridgeFailure(noKey)
  return { url: endpointOf(running.address), token }
}
