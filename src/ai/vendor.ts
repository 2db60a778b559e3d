import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'

/**
 * The client libraries of AI providers. They are a file of their own in the build and are loaded when a model is first asked:
 * whoever uses none pays nothing for them. Only their wire formats are used; retries, limits and judging are ours.
 */
export const clients = { createAnthropic, createOpenAICompatible }
export type Vendor = typeof clients
