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

/** Puts questions, and what follows from their answers. */
export interface Asker {
  /** A question with all its pages. */
  ask(question: Question): Promise<readonly Reply[]>
  /** Over MCP: resources, prompts, completions and lists, for every campaign. */
  askBesideTools(): Promise<readonly Reply[]>
}

export function askerOn(world: TestWorld, name: CallerName, door: Door): Asker {
  const caller = door === 'rest' ? () => world.callers[name] : renewed(world, name)
  const call = ({ declared, input }: Question): Promise<Answer> =>
    door === 'rest'
      ? restCall(caller(), declared, input)
      : caller()
          .tool(declared.name, input)
          .then(({ answer }) => answer)
  return {
    async ask(question) {
      const replies: Reply[] = []
      let page: Question | null = question
      while (page !== null) {
        const answer: Answer = await call(page)
        replies.push({ question: sayQuestion(page), text: textOf(answer) })
        const cursor = nextCursor(answer)
        // A list with room for one is followed to its end: what a page leaves out may stand in the cursor.
        const goesOn = question.input.limit === 1 && cursor !== null && replies.length <= 40
        page = goesOn ? { ...question, input: { ...question.input, cursor } } : null
      }
      return replies
    },
    askBesideTools: () => (door === 'rest' ? Promise.resolve([]) : askBesideTools(world, caller)),
  }
}

/** Puts every question at a door as a caller and gives each answer to `onReply`. Returns how many calls it took. */
export async function walk(
  world: TestWorld,
  name: CallerName,
  door: Door,
  onReply: (reply: Reply) => void,
): Promise<number> {
  const asker = askerOn(world, name, door)
  let calls = 0
  const take = (answers: readonly Reply[]): void => {
    calls += answers.length
    for (const reply of answers) onReply(reply)
  }
  for (const question of questionsOf(world, door)) take(await asker.ask(question))
  take(await asker.askBesideTools())
  return calls
}

/** Each credential may call so often in a minute; a walk over MCP takes a new one in time. */
function renewed(world: TestWorld, name: CallerName): () => Caller {
  if (name === 'anonymous') return () => world.callers.anonymous
  let left = 0
  let current = world.callers[name]
  return () => {
    if (left === 0) [left, current] = [1000, newCaller(world, name)]
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

async function askBesideTools(world: TestWorld, caller: () => Caller): Promise<readonly Reply[]> {
  const replies: Reply[] = []
  const ask = async (method: string, params: object): Promise<Answer> => {
    const answer = await caller().mcp(method, params)
    replies.push({ question: `${method} ${JSON.stringify(params)}`, text: textOf(answer) })
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
  return replies
}

function textOf({ status, headers, text }: Answer): string {
  return `${status} ${JSON.stringify(headers)} ${text}`
}

function nextCursor({ body }: Answer): string | null {
  const text = body?.result?.content?.[0]?.text
  const page = typeof text === 'string' && text.startsWith('{') ? JSON.parse(text) : body
  return typeof page?.nextCursor === 'string' ? page.nextCursor : null
}
