import { type AnyOperation, toolsets } from '../kernel/operation.ts'
import type { OauthPorts } from './ports.ts'

/** How many tools an MCP client finds in each toolset, for those that have any. */
export function toolCounts(operations: ReadonlyMap<string, AnyOperation>): OauthPorts['toolsets'] {
  const tools = Array.from(operations.values()).filter(({ mcp }) => mcp === undefined)
  return toolsets
    .map((name) => ({ name, tools: tools.filter(({ toolset }) => toolset === name).length }))
    .filter((each) => each.tools > 0)
}
