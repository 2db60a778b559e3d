import type { Answer, Caller } from '../support/callers.ts'
import { type Door, restCall } from '../support/matrix.ts'
import type { CallerName, TestWorld } from '../support/world.ts'
import { type Question, questionsOf, sayQuestion } from './questions.ts'

export const everybody = [
  'anonymous',
  'outsider',
  'viewer',
  'player',
  'otherPlayer',
  'dm',
  'capped',
  'propose',
  'bound',
  'oauth',
  'admin',
] as const satisfies readonly CallerName[]

/** One call and all that came back: status, headers, body. */
export interface Reply {
  readonly question: string
  readonly text: string
}

/** Puts every question at a door as a caller and gives each answer to `onReply`. Returns how many calls it took. */
export async function walk(
  world: TestWorld,
  name: CallerName,
  door: Door,
  onReply: (reply: Reply) => void,
  questions: readonly Question[] = questionsOf(world, door),
  caller: () => Caller = door === 'rest' ? () => world.callers[name] : renewed(world, name),
): Promise<number> {
  const ask = door === 'rest' ? askOverRest(caller) : askOverMcp(caller)
  let calls = 0
  const put = async (question: Question): Promise<string | null> => {
    calls += 1
    const answer = await ask(question)
    onReply({ question: sayQuestion(question), text: textOf(answer) })
    return nextCursor(answer)
  }
  for (const question of questions) {
    let cursor = await put(question)
    // A list with room for one is followed to its end: what a page leaves out may stand in the cursor.
    if (question.input.limit !== 1) continue
    for (let pages = 0; cursor !== null && pages < 40; pages += 1) {
      cursor = await put({ ...question, input: { ...question.input, cursor } })
    }
  }
  if (door === 'mcp') calls += await walkBesideTools(world, caller, onReply)
  return calls
}

type Ask = (question: Question) => Promise<Answer>

function askOverRest(caller: () => Caller): Ask {
  return ({ declared, input }) => restCall(caller(), declared, input)
}

function askOverMcp(caller: () => Caller): Ask {
  return async ({ declared, input }) => (await caller().tool(declared.name, input)).answer
}

/** Each credential may call so often in a minute; a walk over MCP takes a new one in time. */
export function renewed(world: TestWorld, name: CallerName, ahead = 0): () => Caller {
  if (name === 'anonymous') return () => world.callers.anonymous
  const ready = Array.from({ length: ahead }, () => newCaller(world, name))
  let left = 0
  let current = world.callers[name]
  return () => {
    if (left === 0) [left, current] = [1000, ready.pop() ?? newCaller(world, name)]
    left -= 1
    return current
  }
}

function newCaller(world: TestWorld, name: Exclude<CallerName, 'anonymous'>): Caller {
  switch (name) {
    case 'capped':
      return world.token('dm', { scope: 'player' })
    case 'propose':
      return world.token('dm', { writeMode: 'propose' })
    case 'bound':
      return world.token('dm', { campaignId: world.id('campaign', 'bound') })
    case 'oauth':
      return world.oauth('dm')
    case 'admin':
      return world.token('admin', { admin: true })
    default:
      return world.token(name)
  }
}

/** Resources, prompts, completions and lists of MCP, for every campaign. */
async function walkBesideTools(
  world: TestWorld,
  caller: () => Caller,
  onReply: (reply: Reply) => void,
): Promise<number> {
  let calls = 0
  const ask = async (method: string, params: object): Promise<Answer> => {
    calls += 1
    const answer = await caller().mcp(method, params)
    onReply({ question: `${method} ${JSON.stringify(params)}`, text: textOf(answer) })
    return answer
  }
  const listed = await ask('resources/list', {})
  const templates = await ask('resources/templates/list', {})
  const prompts = await ask('prompts/list', {})
  await ask('tools/list', {})
  await ask('server/discover', {})
  const campaigns = world.server.app
    .store()
    .all('SELECT id FROM campaigns')
    .map(({ id }) => String(id))
  const uris: string[] = (listed.body?.result?.resources ?? []).map(({ uri }: { readonly uri: string }) => uri)
  const patterns: string[] = (templates.body?.result?.resourceTemplates ?? []).map(
    ({ uriTemplate }: { readonly uriTemplate: string }) => uriTemplate,
  )
  const filled = patterns.flatMap((pattern) => campaigns.map((id) => pattern.replace('{campaignId}', id)))
  for (const uri of [...uris, ...filled]) await ask('resources/read', { uri })
  for (const prompt of prompts.body?.result?.prompts ?? []) {
    for (const campaignId of ['', ...campaigns])
      await ask('prompts/get', { name: prompt.name, arguments: campaignId === '' ? {} : { campaignId } })
    for (const argument of prompt.arguments ?? [])
      for (const value of ['', '1', 'z', 'zq'])
        await ask('completion/complete', {
          ref: { type: 'ref/prompt', name: prompt.name },
          argument: { name: argument.name, value },
        })
  }
  return calls
}

function textOf({ status, headers, text }: Answer): string {
  return `${status} ${JSON.stringify(headers)} ${text}`
}

function nextCursor({ body }: Answer): string | null {
  const text = body?.result?.content?.[0]?.text
  const page = typeof text === 'string' && text.startsWith('{') ? JSON.parse(text) : body
  return typeof page?.nextCursor === 'string' ? page.nextCursor : null
}
