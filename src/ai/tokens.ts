import type { ModelMessage, ModelTool, ModelUsage } from '../kernel/model-port.ts'

// Tokens are counted by the provider alone. Until it has said, and where it never does, they are reckoned from the bytes in
// UTF-8: 2.4 to 3.9 bytes are a token of the languages and vocabularies that were measured.

/** What text is likely to be, in tokens. */
export function estimated(bytes: number): number {
  return Math.ceil(bytes / 3.3)
}

/** What it will hardly be more than. */
export function reserved(bytes: number): number {
  return Math.ceil(bytes / 2.3)
}

/** Tokens that a provider adds around each message. */
const aroundMessage = 8

export interface PromptSize {
  readonly bytes: number
  readonly estimated: number
  readonly reserved: number
}

export function sizeOf(messages: readonly ModelMessage[], extra: readonly ModelTool[] | object = []): PromptSize {
  const parts = [...messages.map(textOf), JSON.stringify(extra)]
  const bytes = parts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
  const around = messages.length * aroundMessage
  return { bytes, estimated: estimated(bytes) + around, reserved: reserved(bytes) + around }
}

function textOf(message: ModelMessage): string {
  if (message.role !== 'assistant') return message.text
  return message.text + (message.toolCalls ?? []).map((call) => call.name + call.argumentsText).join('')
}

/** What two askings cost together. */
export function sum(one: ModelUsage, other: ModelUsage): ModelUsage {
  const source = one.source === 'estimated' || other.source === 'estimated' ? 'estimated' : 'reported'
  return { input: one.input + other.input, output: one.output + other.output, source }
}
