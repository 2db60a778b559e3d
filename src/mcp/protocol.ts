import { classifyInboundRequest, createMcpHandler, Server } from '@modelcontextprotocol/server'

/**
 * The protocol's library. It is a file of its own in the build and is loaded with the first request that is not answered
 * directly (direct.ts): whoever connects no AI client pays nothing for it.
 */
export const protocol = { classifyInboundRequest, createMcpHandler, Server }
export type Protocol = typeof protocol
