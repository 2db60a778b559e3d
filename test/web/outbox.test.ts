import { expect, test } from 'vitest'
import { CallError, type Client } from '../../src/web/api/call.ts'
import { createOutbox } from '../../src/web/api/outbox.ts'

function desk(answers: (CallError | null)[]) {
  const kept = new Map<string, string>()
  const store = {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, value: string) => void kept.set(name, value),
    removeItem: (name: string) => void kept.delete(name),
  }
  const sent: { name: string; body: string; key: string }[] = []
  const refused: string[] = []
  const taken: string[] = []
  const client = {
    async write(name: string, input: { body: string }, { key }: { key: string }) {
      sent.push({ name, body: input.body, key })
      const next = answers.shift()
      if (next) throw next
      return { kind: 'done', value: {} }
    },
  } as unknown as Client
  const outbox = createOutbox({
    client,
    store,
    onSent: (operation) => taken.push(operation),
    onRefused: (body, why) => refused.push(`${body}: ${why}`),
  })
  return { outbox, sent, refused, taken, kept }
}

const offline = () => new CallError(0, 'offline', 'no answer')
const note = (body: string) => ({ campaignId: 1, body })

test('words that arrive leave nothing behind', async () => {
  const { outbox, sent, kept } = desk([null])
  expect(await outbox.post(7, 'create_note', note('hum'))).toBe(true)
  expect(sent).toMatchObject([{ name: 'create_note', body: 'hum' }])
  expect(outbox.waiting.value).toBe(0)
  expect(kept.size).toBe(0)
})

test('words written without a connection wait, and go out once under the same key, in order', async () => {
  const { outbox, sent, taken } = desk([offline(), offline(), null, null])
  expect(await outbox.post(7, 'submit_inbox_item', note('one'))).toBe(false)
  expect(await outbox.post(7, 'create_note', note('two'))).toBe(false)
  expect(outbox.waiting.value).toBe(2)
  await Promise.all([outbox.flush(7), outbox.flush(7)])
  expect(outbox.waiting.value).toBe(0)
  expect(sent.map(({ body }) => body)).toEqual(['one', 'two', 'one', 'two'])
  expect(sent[2]?.key).toBe(sent[0]?.key)
  expect(taken).toEqual(['submit_inbox_item', 'create_note'])
})

test("another person at the keyboard neither sends nor sees somebody's waiting words", async () => {
  const { outbox, sent } = desk([offline(), null])
  await outbox.post(7, 'create_note', note('mine'))
  await outbox.flush(8)
  expect(outbox.waiting.value).toBe(0)
  expect(sent).toHaveLength(1)
  await outbox.flush(7)
  expect(sent).toHaveLength(2)
})

test('words that the server will never take are handed back', async () => {
  const { outbox, refused } = desk([offline(), new CallError(403, 'forbidden', 'You have left.')])
  await outbox.post(7, 'create_note', note('late'))
  await outbox.flush(7)
  expect(refused).toEqual(['late: You have left.'])
  expect(outbox.waiting.value).toBe(0)
  const other = desk([new CallError(400, 'validation_failed', 'Too long.')])
  await expect(other.outbox.post(7, 'create_note', note('x'))).rejects.toThrow('Too long.')
  expect(other.outbox.waiting.value).toBe(0)
})
