// What MCP requests are measured against: a server of the protocol's own SDK, stateless as its examples are, with JSON for an
// answer, whose one tool reads the same row, and which lists the same tools. Started by scripts/bench.ts with a copy of the
// database and a file with the list; says its port.
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { CallToolRequestSchema, ListToolsRequestSchema, type Tool } from '@modelcontextprotocol/sdk/types.js'
import Database from 'better-sqlite3'

const [file, listFile = ''] = process.argv.slice(2)
const statement = new Database(file, { readonly: true }).prepare('SELECT * FROM npcs WHERE id = ?')
const tools = JSON.parse(readFileSync(listFile, 'utf8')) as Tool[]

const server = createServer(async (request, response) => {
  const mcp = new Server({ name: 'bare', version: '1' }, { capabilities: { tools: {} } })
  mcp.setRequestHandler(ListToolsRequestSchema, () => ({ tools }))
  mcp.setRequestHandler(CallToolRequestSchema, ({ params }) => ({
    content: [{ type: 'text', text: JSON.stringify(statement.get(params.arguments?.npcId)) }],
  }))
  const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true })
  response.once('close', () => {
    void transport.close()
    void mcp.close()
  })
  // The SDK's own types disagree under exactOptionalPropertyTypes.
  await mcp.connect(transport as never)
  await transport.handleRequest(request, response)
})
server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`))
process.once('SIGTERM', () => process.exit(0))
