import type { ModelRequest } from '../../src/kernel/model-port.ts'
import { type ScriptedModel, scriptedModel } from '../support/models.ts'
import { type Answer, makeTable, type Table } from './support.ts'

/** A table with a seat whose model says what a test wants. */
export interface SeatTable {
  readonly table: Table
  readonly model: ScriptedModel
  dm(name: string, input?: object): Promise<Answer>
  seat(input: object): Promise<Answer>
  /** Asks, waits for the end of the turn, and gives it. */
  ask(prompt?: string, more?: object): Promise<Answer>
  /** All that the model was sent. */
  sent(): string
}

export async function seatTable(): Promise<SeatTable> {
  const model = scriptedModel()
  const table = await makeTable([], {}, model)
  const dm: SeatTable['dm'] = (name, input = {}) => table.call('ellen', name, { ...input })
  await dm('update_campaign', { ruleSystem: 'dnd5e 2014' })
  return {
    table,
    model,
    dm,
    seat: (input) => dm('update_ai_seat', input),
    async ask(prompt = 'Go on.', more = {}) {
      const { id } = await dm('narrate', { prompt, ...more })
      await table.ai.idle()
      return (await dm('list_ai_turns')).items.find((each: Answer) => each.id === id)
    },
    sent: () => JSON.stringify(model.asked.map(({ messages }) => messages)),
  }
}

export const calls = (...wanted: readonly (readonly [string, unknown])[]) => ({
  calls: wanted.map(([name, input]) => ({ name, input })),
})

export const outcomes = ({ actions }: Answer): string[] =>
  actions.map(({ operation, outcome }: Answer) => `${operation} ${outcome}`)

export const resultsOf = (request: ModelRequest | undefined): string[] =>
  (request?.messages ?? []).flatMap((message) => (message.role === 'tool' ? [message.text] : []))
