import * as z from 'zod'
import { errorTable } from '../kernel/errors.ts'
import { type AnyOperation, routeOf, type World } from '../kernel/operation.ts'
import { type AnyTransfer, carriedOperations } from '../kernel/transfer.ts'
import { whyNotWaiting } from '../kernel/waiting.ts'
import { totalMember, viewAsMember } from './caller.ts'

type Json = Readonly<Record<string, unknown>>
type Declared = AnyOperation | AnyTransfer

/** Made-up ids, so that every example of the document is a whole request. */
const exampleWorld: World = { id: () => 1, text: (what) => `<${what}>` }

/** The OpenAPI 3.1 description, made from the declarations. It differs between builds only where they do. */
export function openApiDocument(
  operations: Iterable<AnyOperation>,
  transfers: readonly AnyTransfer[],
  version: string,
): Json {
  const offered = Array.from(operations)
  const carried = carriedOperations(offered, transfers)
  const paths: Record<string, Record<string, Json>> = {}
  for (const declared of [...offered.filter(({ name }) => !carried.has(name)), ...transfers]) {
    const { method, path } = routeOf(declared.route)
    const item = paths[`/api/v1${path}`] ?? {}
    item[method.toLowerCase()] = operationObject(declared, method, path)
    paths[`/api/v1${path}`] = item
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Talekeeper',
      version,
      description:
        'Campaign manager for tabletop role-playing games. Every operation is also an MCP tool of the same name.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    security: [{ bearer: [] }, { cookie: [] }],
    paths: Object.fromEntries(Object.entries(paths).sort(([one], [other]) => (one < other ? -1 : 1))),
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'Personal access token or OAuth access token.' },
        cookie: { type: 'apiKey', in: 'cookie', name: 'talekeeper_session', description: 'The web app’s session.' },
      },
      schemas: { Error: errorSchema() },
      parameters: {
        viewAs: {
          name: viewAsMember,
          in: 'query',
          description:
            'The id of a membership. A Dungeon Master of its campaign reads through the eyes of that player, as far as they may read it themself.',
          schema: { type: 'integer', minimum: 1 },
        },
        withTotal: {
          name: totalMember,
          in: 'query',
          description:
            'The first page says how many there are in all (`total`), as far as the reader sees them; it counts to 1,000.',
          schema: { type: 'boolean' },
        },
      },
      responses: {
        Error: {
          description: 'The error object of every interface.',
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
        },
      },
    },
  }
}

function errorSchema(): Json {
  return {
    type: 'object',
    required: ['error'],
    properties: {
      error: {
        type: 'object',
        required: ['status', 'code', 'message'],
        properties: {
          status: { type: 'integer' },
          code: { type: 'string', enum: Object.keys(errorTable) },
          message: { type: 'string' },
          details: {
            type: 'array',
            items: { type: 'object', properties: { path: { type: 'string' }, message: { type: 'string' } } },
          },
        },
      },
    },
  }
}

function operationObject(declared: Declared, method: string, path: string): Json {
  const input = jsonSchema(declared.input, 'input')
  const properties = (input.properties ?? {}) as Readonly<Record<string, Json>>
  const requiredMembers = (input.required ?? []) as readonly string[]
  const { placeholders } = routeOf(declared.route)
  const example = declared.example(exampleWorld) as Json
  const inQuery = method === 'GET' || method === 'DELETE'
  const outside = Object.keys(properties).filter((key) => placeholders.includes(key) || inQuery)
  const body = Object.keys(properties).filter((key) => !outside.includes(key))
  const own: readonly Json[] = outside.map((key) => ({
    name: key,
    in: path.includes(`{${key}}`) ? 'path' : 'query',
    required: requiredMembers.includes(key),
    schema: properties[key],
    ...(key in example ? { example: example[key] } : {}),
  }))
  const shared = [
    ...(isReadThroughEyes(declared) ? [viewAsMember] : []),
    ...(method === 'GET' && 'limit' in properties ? [totalMember] : []),
  ]
  const parameters = [...own, ...shared.map((name) => ({ $ref: `#/components/parameters/${name}` }))]
  const carries = 'carries' in declared ? declared.carries : undefined
  return {
    operationId: declared.name,
    summary: declared.title,
    description: `${declared.description}\n\nAccess: \`${declared.access}\`.`,
    tags: ['toolset' in declared ? declared.toolset : 'server'],
    ...(declared.access === 'public' ? { security: [] } : {}),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...bodyObject(carries, body, properties, requiredMembers, example),
    responses: responsesOf(declared, carries),
  }
}

function isReadThroughEyes(declared: Declared): boolean {
  if (!('toolset' in declared)) return declared.throughEyes === true
  return declared.effect === 'read' && declared.toolset !== 'server' && declared.secretAnswer !== true
}

function bodyObject(
  carries: AnyTransfer['carries'],
  body: readonly string[],
  properties: Readonly<Record<string, Json>>,
  requiredMembers: readonly string[],
  example: Json,
): Json {
  if (carries === 'multipart' || carries === 'document') {
    const file = { type: 'string', format: 'binary' }
    return {
      requestBody: {
        required: true,
        content: {
          ...(carries === 'document'
            ? { 'application/json': { schema: { type: 'object', additionalProperties: true }, example } }
            : {}),
          'multipart/form-data': {
            schema: { type: 'object', required: ['file'], properties: { file, ...only(properties, body) } },
          },
        },
      },
    }
  }
  if (body.length === 0) return {}
  const schema = {
    type: 'object',
    properties: only(properties, body),
    required: requiredMembers.filter((key) => body.includes(key)),
    additionalProperties: false,
  }
  return { requestBody: { required: true, content: { 'application/json': { schema, example: only(example, body) } } } }
}

function responsesOf(declared: Declared, carries: AnyTransfer['carries']): Json {
  const failure = { default: { $ref: '#/components/responses/Error' } }
  if (carries === 'events')
    return {
      200: {
        description: 'A stream of server-sent events.',
        content: { 'text/event-stream': { schema: { type: 'string' } } },
      },
      ...failure,
    }
  if (carries === 'bytes')
    return {
      200: {
        description: 'The bytes.',
        content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
      },
      ...failure,
    }
  const status = declared.creates ? 201 : 200
  const answer = declared.output
    ? { content: { 'application/json': { schema: jsonSchema(declared.output, 'output') } } }
    : {}
  const proposed =
    'toolset' in declared && whyNotWaiting(declared) === null
      ? { 202: { description: 'Filed as a proposal; nothing was changed yet.' } }
      : {}
  return { [status]: { description: 'Done.', ...answer }, ...proposed, ...failure }
}

function only(source: Readonly<Record<string, unknown>>, keys: readonly string[]): Json {
  return Object.fromEntries(Object.entries(source).filter(([key]) => keys.includes(key)))
}

function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): Readonly<Record<string, unknown>> {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' })
  return rest
}
