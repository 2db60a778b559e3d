import type { AddressInfo } from 'node:net'
import {
  type GetPromptResult,
  type InputRequiredResult,
  inputRequired,
  type Prompt,
  type ReadResourceResult,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server'
import Fastify from 'fastify'
import { sendFailure } from '../../src/http/failures.ts'
import { mcpRoute } from '../../src/http/mcp-route.ts'
import { callsPerMinute, createThrottle } from '../../src/http/throttle.ts'
import { isAllowedHost, isForeignOrigin } from '../../src/identity/hosts.ts'
import { fail } from '../../src/kernel/errors.ts'
import { invalidParams } from '../../src/mcp/errors.ts'
import { createHandler, errorObjectServer } from '../../src/mcp/handler.ts'
import { protocol } from '../../src/mcp/protocol.ts'
import { actorWith } from '../mcp/small-world.ts'
import { answered, askContext, rounds, roundTools } from './fixture-rounds.ts'
import { askingTools, plainTools, png } from './fixture-tools.ts'

// Tools, resources and prompts that the conformance suite knows by name, behind this program's own route, checks and
// handler. They exist in tests only: the program has no switch that would make them appear.

export const fixtureBearer = 'conformance-fixtures'

const tools = [...plainTools, ...askingTools, ...roundTools]
const kept = { ttlMs: 60_000, cacheScope: 'private' } as const

const staticResources: readonly (ReadResourceResult['contents'][number] & { readonly name: string })[] = [
  {
    name: 'static-text',
    uri: 'test://static-text',
    mimeType: 'text/plain',
    text: 'This is the content of the static text resource.',
  },
  { name: 'static-binary', uri: 'test://static-binary', mimeType: 'image/png', blob: png },
  { name: 'watched', uri: 'test://watched-resource', mimeType: 'text/plain', text: 'Watch this.' },
]

function read(uri: string): ReadResourceResult {
  const found = staticResources.find((each) => each.uri === uri)
  if (found !== undefined) {
    const { name: _, ...content } = found
    return { contents: [content as ReadResourceResult['contents'][number]] }
  }
  const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1]
  if (id === undefined) throw invalidParams('not_found', 'There is no such resource.', { uri })
  const data = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` })
  return { contents: [{ uri, mimeType: 'application/json', text: data }] }
}

interface FixturePrompt {
  readonly prompt: Prompt
  get(args: Readonly<Record<string, string>>, context: ServerContext): GetPromptResult | InputRequiredResult
}

const said = (text: string): GetPromptResult['messages'][number] => ({ role: 'user', content: { type: 'text', text } })
const argument = (name: string): NonNullable<Prompt['arguments']>[number] => ({
  name,
  description: 'For tests.',
  required: true,
})

const prompts: readonly FixturePrompt[] = [
  {
    prompt: { name: 'test_simple_prompt', description: 'Says one thing.' },
    get: () => ({ messages: [said('This is a simple prompt for testing.')] }),
  },
  {
    prompt: {
      name: 'test_prompt_with_arguments',
      description: 'Says what it is given.',
      arguments: [argument('arg1'), argument('arg2')],
    },
    get: ({ arg1, arg2 }) => ({ messages: [said(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)] }),
  },
  {
    prompt: {
      name: 'test_prompt_with_embedded_resource',
      description: 'Says a resource.',
      arguments: [argument('resourceUri')],
    },
    get: ({ resourceUri = '' }) => ({
      messages: [
        {
          role: 'user',
          content: {
            type: 'resource',
            resource: { uri: resourceUri, mimeType: 'text/plain', text: 'Embedded resource content for testing.' },
          },
        },
        said('Please process the embedded resource above.'),
      ],
    }),
  },
  {
    prompt: { name: 'test_prompt_with_image', description: 'Shows an image.' },
    get: () => ({
      messages: [
        { role: 'user', content: { type: 'image', data: png, mimeType: 'image/png' } },
        said('Please analyze the image above.'),
      ],
    }),
  },
  {
    prompt: { name: 'test_input_required_result_prompt', description: 'Asks what to say.' },
    get: (_, context) => {
      const known = answered(context, 'user_context', 'context')
      return known === undefined
        ? inputRequired({ inputRequests: { user_context: askContext } })
        : { messages: [said(`In the context of ${known}.`)] }
    },
  },
]

function createFixtureServer(): Server {
  const server = errorObjectServer(
    protocol,
    { name: 'fixtures', version: '1' },
    {
      capabilities: { tools: {}, resources: { subscribe: true }, prompts: {}, completions: {}, logging: {} },
      requestState: { verify: rounds.verify },
      cacheHints: {
        'server/discover': kept,
        'tools/list': kept,
        'prompts/list': kept,
        'resources/list': kept,
        'resources/templates/list': kept,
        'resources/read': kept,
      },
    },
  )
  server.setRequestHandler('tools/list', () => ({ tools: tools.map(({ tool }) => tool) }))
  server.setRequestHandler('tools/call', ({ params }, context) => {
    const found = tools.find(({ tool }) => tool.name === params.name)
    if (found === undefined) throw invalidParams('not_found', 'There is no such tool.')
    return found.run(params.arguments ?? {}, context)
  })
  server.setRequestHandler('resources/list', () => ({
    resources: staticResources.map(({ name, uri, mimeType }) => ({ name, uri, ...(mimeType ? { mimeType } : {}) })),
  }))
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: [{ name: 'template', uriTemplate: 'test://template/{id}/data', mimeType: 'application/json' }],
  }))
  server.setRequestHandler('resources/read', ({ params }) => read(params.uri))
  server.setRequestHandler('resources/subscribe', () => ({}))
  server.setRequestHandler('resources/unsubscribe', () => ({}))
  server.setRequestHandler('prompts/list', () => ({ prompts: prompts.map(({ prompt }) => prompt) }))
  server.setRequestHandler('prompts/get', ({ params }, context) => {
    const found = prompts.find(({ prompt }) => prompt.name === params.name)
    if (found === undefined) throw invalidParams('not_found', 'There is no such prompt.')
    return found.get(params.arguments ?? {}, context)
  })
  server.setRequestHandler('completion/complete', ({ params }) => {
    const values = ['paris', 'park', 'party'].filter((value) => value.startsWith(params.argument.value))
    return { completion: { values, total: values.length, hasMore: false } }
  })
  return server
}

export interface FixtureHost {
  /** Without a slash at the end. */
  readonly base: string
  stop(): Promise<void>
}

/** The fixtures on a loopback port; `/mcp` opens with the fixture bearer. */
export async function serveFixtures(): Promise<FixtureHost> {
  const log = { info: () => undefined, error: (facts: object, message: string) => console.error(message, facts) }
  const handler = createHandler<null>({ serverOf: createFixtureServer, loadProtocol: async () => protocol, log })
  const app = Fastify({ genReqId: () => crypto.randomUUID() })
  const hosts = { ownNames: [], baseUrl: null, allowedHosts: [] }
  app.addHook('onRequest', async (request) => {
    if (!isAllowedHost(request.headers.host, hosts)) throw fail('misdirected')
  })
  app.setErrorHandler((error, request, reply) => reply.send(sendFailure(error, request, reply)))
  const originOf = (): string => 'http://127.0.0.1'
  mcpRoute(app, {
    endpoint: {
      handle: (request) => handler.handle(request, () => null),
      prepare: async () => undefined,
      close: handler.close,
    },
    authentication: {
      resolve: async ({ authorization }) => (authorization === `Bearer ${fixtureBearer}` ? actorWith() : null),
      originOf,
      isSameOrigin: () => true,
    },
    originOf,
    isForeignOrigin: (facts) => isForeignOrigin({ ...facts, baseUrl: null, tls: false, allowedHosts: [] }),
    throttle: createThrottle(callsPerMinute.mcp),
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  return {
    base: `http://127.0.0.1:${port}`,
    async stop() {
      await handler.close()
      await app.close()
    },
  }
}
