import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type InputRequiredResult,
  MissingRequiredClientCapabilityError,
  type ServerContext,
  type Tool,
} from '@modelcontextprotocol/server'

/** A tool that the conformance suite knows by its name and calls with arguments of its own. */
export interface FixtureTool {
  readonly tool: Tool
  run(args: Readonly<Record<string, unknown>>, context: ServerContext): Promise<CallToolResult | InputRequiredResult>
}

/** One red pixel. */
export const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=='
/** A header and no sound. */
const wav = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAAAAA=='

export function text(value: string): CallToolResult {
  return { content: [{ type: 'text', text: value }] }
}

export function defineFixture(
  name: string,
  description: string,
  run: FixtureTool['run'],
  properties: Readonly<Record<string, { readonly type: string }>> = {},
): FixtureTool {
  const inputSchema = { type: 'object', properties: { ...properties }, required: Object.keys(properties) } as const
  return { tool: { name, description, inputSchema: { ...inputSchema, required: [...inputSchema.required] } }, run }
}

/** What the client of a request of the present era says that it can do. */
export function declared({ mcpReq }: ServerContext): ClientCapabilities {
  const envelope: Readonly<Record<string, unknown>> = { ...mcpReq.envelope }
  return (envelope[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined) ?? {}
}

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds))

/** Tools that answer at once, or tell of their progress. */
export const plainTools: readonly FixtureTool[] = [
  defineFixture('test_simple_text', 'Answers text.', async () => text('This is a simple text response for testing.')),
  defineFixture('test_image_content', 'Answers an image.', async () => ({
    content: [{ type: 'image', data: png, mimeType: 'image/png' }],
  })),
  defineFixture('test_audio_content', 'Answers a sound.', async () => ({
    content: [{ type: 'audio', data: wav, mimeType: 'audio/wav' }],
  })),
  defineFixture('test_embedded_resource', 'Answers a resource.', async () => ({
    content: [
      {
        type: 'resource',
        resource: {
          uri: 'test://embedded-resource',
          mimeType: 'text/plain',
          text: 'This is an embedded resource content.',
        },
      },
    ],
  })),
  defineFixture('test_multiple_content_types', 'Answers text, an image and a resource.', async () => ({
    content: [
      { type: 'text', text: 'Multiple content types test:' },
      { type: 'image', data: png, mimeType: 'image/png' },
      {
        type: 'resource',
        resource: {
          uri: 'test://mixed-content-resource',
          mimeType: 'application/json',
          text: JSON.stringify({ test: 'data', value: 123 }),
        },
      },
    ],
  })),
  defineFixture('test_error_handling', 'Fails.', async () => ({
    ...text('This tool intentionally returns an error for testing'),
    isError: true,
  })),
  defineFixture('test_tool_with_logging', 'Logs three times.', async (_, { mcpReq }) => {
    await mcpReq.log('info', 'Tool execution started')
    await pause(50)
    await mcpReq.log('info', 'Tool processing data')
    await pause(50)
    await mcpReq.log('info', 'Tool execution completed')
    return text('Logged three times.')
  }),
  defineFixture('test_logging_tool', 'Logs once.', async (_, { mcpReq }) => {
    await mcpReq.log('info', 'one line')
    return text('Logged once.')
  }),
  defineFixture('test_tool_with_progress', 'Tells of its progress three times.', async (_, { mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken
    for (const progress of [0, 50, 100]) {
      if (progressToken !== undefined) {
        const params = { progressToken, progress, total: 100 }
        await mcpReq.notify({ method: 'notifications/progress', params })
      }
      await pause(50)
    }
    return text('Done.')
  }),
  defineFixture('test_missing_capability', 'Needs a client that samples.', async (_, context) => {
    if (declared(context).sampling === undefined) {
      throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { sampling: {} } })
    }
    return text('The client samples.')
  }),
]

const options = ['option1', 'option2', 'option3']
const titled = ['First', 'Second', 'Third'].map((word, index) => ({
  const: `value${index + 1}`,
  title: `${word} Option`,
}))

/** Tools of the older era that ask the client something in the middle of a call, for which they would need a session. */
export const askingTools: readonly FixtureTool[] = [
  defineFixture(
    'test_sampling',
    'Has the client sample.',
    async ({ prompt }, { mcpReq }) => {
      const { content } = await mcpReq.requestSampling(
        { messages: [{ role: 'user', content: { type: 'text', text: String(prompt) } }], maxTokens: 100 },
        // Without a session the question reaches nobody.
        { timeout: 1000 },
      )
      return text(`LLM response: ${JSON.stringify(content)}`)
    },
    { prompt: { type: 'string' } },
  ),
  defineFixture(
    'test_elicitation',
    'Has the client ask its user.',
    async ({ message }, { mcpReq }) => {
      const { action, content } = await mcpReq.elicitInput({
        mode: 'form',
        message: String(message),
        requestedSchema: {
          type: 'object',
          properties: {
            username: { type: 'string', description: "User's response" },
            email: { type: 'string', description: "User's email address" },
          },
          required: ['username', 'email'],
        },
      })
      return text(`User response: action=${action}, content=${JSON.stringify(content)}`)
    },
    { message: { type: 'string' } },
  ),
  defineFixture('test_elicitation_sep1034_defaults', 'Asks with defaults.', async (_, { mcpReq }) => {
    const { action, content } = await mcpReq.elicitInput({
      mode: 'form',
      message: 'Who are you?',
      requestedSchema: {
        type: 'object',
        properties: {
          name: { type: 'string', default: 'John Doe' },
          age: { type: 'integer', default: 30 },
          score: { type: 'number', default: 95.5 },
          status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
          verified: { type: 'boolean', default: true },
        },
      },
    })
    return text(`Elicitation completed: action=${action}, content=${JSON.stringify(content)}`)
  }),
  defineFixture('test_elicitation_sep1330_enums', 'Asks with every kind of choice.', async (_, { mcpReq }) => {
    const { action, content } = await mcpReq.elicitInput({
      mode: 'form',
      message: 'Which?',
      requestedSchema: {
        type: 'object',
        properties: {
          untitledSingle: { type: 'string', enum: options },
          titledSingle: { type: 'string', oneOf: titled },
          legacyEnum: { type: 'string', enum: ['opt1', 'opt2', 'opt3'], enumNames: ['One', 'Two', 'Three'] },
          untitledMulti: { type: 'array', items: { type: 'string', enum: options } },
          titledMulti: { type: 'array', items: { anyOf: titled } },
        },
      },
    })
    return text(`Elicitation completed: action=${action}, content=${JSON.stringify(content)}`)
  }),
]
