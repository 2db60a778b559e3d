import { randomBytes } from 'node:crypto'
import {
  acceptedContent,
  createRequestStateCodec,
  type InputRequest,
  inputRequired,
  inputResponse,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { declared, defineFixture, type FixtureTool, text } from './fixture-tools.ts'

// What the present era has in place of questions in the middle of a call: an answer that says what is missing, and the
// same call once more with it.

/** What is between two rounds. It goes through the client, so it is signed. */
interface State {
  readonly round: number
  readonly name?: string
}
export const rounds = createRequestStateCodec<State>({ key: randomBytes(32) })

/** Asks for one text. */
function ask(message: string, name: string): InputRequest {
  const properties = { [name]: { type: 'string' as const } }
  return inputRequired.elicit({ message, requestedSchema: { type: 'object', properties, required: [name] } })
}

const askYes = inputRequired.elicit({
  message: 'Please confirm',
  requestedSchema: { type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'] },
})

function sample(prompt: string, maxTokens: number): InputRequest {
  return inputRequired.createMessage({
    messages: [{ role: 'user', content: { type: 'text', text: prompt } }],
    maxTokens,
  })
}

/** The text that was answered under a key; undefined where there is none. */
export function answered({ mcpReq }: ServerContext, key: string, name: string): string | undefined {
  const value = acceptedContent(mcpReq.inputResponses, key)?.[name]
  return typeof value === 'string' ? value : undefined
}

export const askContext = ask('What context should the prompt use?', 'context')
const askName = ask('What is your name?', 'name')

export const roundTools: readonly FixtureTool[] = [
  defineFixture('test_input_required_result_elicitation', 'Asks for a name.', async (_, context) => {
    const name = answered(context, 'user_name', 'name')
    return name === undefined ? inputRequired({ inputRequests: { user_name: askName } }) : text(`Hello, ${name}!`)
  }),
  defineFixture('test_streaming_elicitation', 'Asks for a name.', async (_, context) => {
    const name = answered(context, 'user_name', 'name')
    return name === undefined ? inputRequired({ inputRequests: { user_name: askName } }) : text(`Hello, ${name}!`)
  }),
  defineFixture('test_input_required_result_sampling', 'Has the client sample.', async (_, { mcpReq }) => {
    const answer = inputResponse(mcpReq.inputResponses, 'capital_question')
    if (answer.kind === 'sampling') return text(`Sampled: ${JSON.stringify(answer.result.content)}`)
    return inputRequired({ inputRequests: { capital_question: sample('What is the capital of France?', 100) } })
  }),
  defineFixture('test_input_required_result_list_roots', "Asks for the client's roots.", async (_, { mcpReq }) => {
    const answer = inputResponse(mcpReq.inputResponses, 'client_roots')
    if (answer.kind === 'roots') return text(`Roots: ${answer.roots.map(({ uri }) => uri).join(', ')}`)
    return inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } })
  }),
  ...['test_input_required_result_request_state', 'test_input_required_result_tampered_state'].map((name) =>
    defineFixture(name, 'Asks for a yes, and keeps state meanwhile.', async (_, context) => {
      const { mcpReq } = context
      const state = mcpReq.requestState<State>()
      if (state !== undefined && inputResponse(mcpReq.inputResponses, 'confirm').kind === 'elicit')
        return text('state-ok')
      return inputRequired({
        inputRequests: { confirm: askYes },
        requestState: await rounds.mint({ round: 1 }),
      })
    }),
  ),
  defineFixture('test_input_required_result_multiple_inputs', 'Asks for three things.', async (_, context) => {
    const { mcpReq } = context
    const name = answered(context, 'user_name', 'name')
    const greeting = inputResponse(mcpReq.inputResponses, 'greeting')
    const roots = inputResponse(mcpReq.inputResponses, 'client_roots')
    const isWhole = mcpReq.requestState<State>() !== undefined && name !== undefined
    if (isWhole && greeting.kind === 'sampling' && roots.kind === 'roots') return text(`${name} has all three.`)
    return inputRequired({
      inputRequests: {
        user_name: askName,
        greeting: sample('Generate a greeting', 50),
        client_roots: inputRequired.listRoots(),
      },
      requestState: await rounds.mint({ round: 1 }),
    })
  }),
  defineFixture('test_input_required_result_multi_round', 'Asks twice.', async (_, context) => {
    const state = context.mcpReq.requestState<State>()
    const color = answered(context, 'step2', 'color')
    if (state?.round === 2 && color !== undefined) return text(`${state.name} likes ${color}.`)
    const name = state?.round === 1 ? answered(context, 'step1', 'name') : state?.name
    if (name !== undefined) {
      return inputRequired({
        inputRequests: { step2: ask('Step 2: What is your favorite color?', 'color') },
        requestState: await rounds.mint({ round: 2, name }),
      })
    }
    return inputRequired({
      inputRequests: { step1: ask('Step 1: What is your name?', 'name') },
      requestState: await rounds.mint({ round: 1 }),
    })
  }),
  defineFixture('test_input_required_result_capabilities', 'Asks only what the client can.', async (_, context) => {
    const can = declared(context)
    const inputRequests: Record<string, InputRequest> = {
      ...(can.elicitation ? { user_name: askName } : {}),
      ...(can.sampling ? { greeting: sample('Generate a greeting', 50) } : {}),
      ...(can.roots ? { client_roots: inputRequired.listRoots() } : {}),
    }
    return Object.keys(inputRequests).length === 0 ? text('There is nobody to ask.') : inputRequired({ inputRequests })
  }),
]
