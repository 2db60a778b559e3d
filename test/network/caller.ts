// Runs on another host (namespaces.ts): makes the calls that come in as lines of JSON, and prints what came of them.
import { createInterface } from 'node:readline'
import createMulticastDns from 'multicast-dns'

interface Question {
  readonly id: number
  readonly method?: string
  readonly url?: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly name?: string
}

async function call({ method = 'GET', url = '', body, headers = {} }: Question): Promise<object> {
  try {
    const response = await fetch(url, {
      method,
      headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.startsWith('application/json')
    return { status: response.status, body: isJson ? JSON.parse(text) : text }
  } catch (error) {
    const cause = (error as { readonly cause?: { readonly code?: string } }).cause
    return { status: 0, body: null, failed: cause?.code ?? String(error) }
  }
}

async function resolve(name: string): Promise<string | null> {
  const mdns = createMulticastDns()
  const found = new Promise<string>((done) => {
    mdns.on('response', ({ answers }) => {
      for (const answer of answers ?? []) if (answer.type === 'A' && answer.name === name) done(answer.data)
    })
  })
  const asked = setInterval(() => mdns.query(name, 'A'), 300)
  const address = await Promise.race([found, new Promise<null>((late) => setTimeout(() => late(null), 20_000))])
  clearInterval(asked)
  mdns.destroy()
  return address
}

createInterface({ input: process.stdin })
  .on('line', (line) => {
    const question = JSON.parse(line) as Question
    const answered = question.name === undefined ? call(question) : resolve(question.name)
    void answered.then((answer) => process.stdout.write(`${JSON.stringify({ id: question.id, answer })}\n`))
  })
  .on('close', () => process.exit())
