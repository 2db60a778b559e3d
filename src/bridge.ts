import { bridgeSettings } from './mcp/bridge-settings.ts'
import { runBridge } from './mcp/stdio-bridge.ts'

// The program inside talekeeper.mcpb: Claude Desktop starts it with its own Node, and gives it the address and the key that
// it has asked for. It reads and writes no file.

const settings = bridgeSettings(process.env)

void runBridge({
  input: process.stdin,
  output: process.stdout,
  find: async () => settings.server(),
  tell: (sentence) => void process.stderr.write(`${sentence}\n`),
}).then((reached) => process.exit(reached ? 0 : 1))
