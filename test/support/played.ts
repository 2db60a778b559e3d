import type { Connected } from '../mcp/clients.ts'

// A table that plays over MCP: who called what, what came back, and how much of the tools it took.

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape
type Any = any

export interface Line {
  readonly who: string
  readonly tool: string
  readonly input: object
  readonly bytes: number
  readonly isError: boolean
  readonly answer: Any
}

/** Somebody at the table, who calls tools by one client. `call` throws where a tool refuses; `refused` where it does not. */
export interface Seat {
  call(tool: string, input?: object): Promise<Any>
  refused(tool: string, input?: object): Promise<{ readonly code: string; readonly message: string }>
}

export interface Played {
  seat(who: string, client: Connected): Seat
  readonly lines: readonly Line[]
  /** Distinct tools that did what they were asked. */
  tools(): ReadonlySet<string>
  bytes(): number
  /** One line for each call, for a person to read. */
  transcript(): string
}

const shown = (value: unknown, most: number): string => {
  const text = JSON.stringify(value) ?? ''
  return text.length <= most ? text : `${text.slice(0, most)}…`
}

export function playing(): Played {
  const lines: Line[] = []
  return {
    lines,
    seat(who, client) {
      const made = async (tool: string, input: object): Promise<Line> => {
        const { json, isError } = await client.callTool(tool, { ...input })
        const line = { who, tool, input, bytes: Buffer.byteLength(JSON.stringify(json)), isError, answer: json as Any }
        lines.push(line)
        return line
      }
      return {
        async call(tool, input = {}) {
          const { isError, answer } = await made(tool, input)
          if (isError) throw new Error(`${who} ${tool} ${shown(input, 300)}: ${shown(answer, 600)}`)
          return answer
        },
        async refused(tool, input = {}) {
          const { isError, answer } = await made(tool, input)
          if (!isError) throw new Error(`${who} ${tool} ${shown(input, 300)} was not refused: ${shown(answer, 300)}`)
          return answer.error
        },
      }
    },
    tools: () => new Set(lines.filter(({ isError }) => !isError).map(({ tool }) => tool)),
    bytes: () => lines.reduce((sum, { bytes }) => sum + bytes, 0),
    transcript: () =>
      lines
        .map(
          ({ who, tool, input, bytes, isError, answer }) =>
            `${who} > ${tool} ${shown(input, 400)}\n  ${isError ? 'refused: ' : ''}${bytes} B ${shown(answer, 500)}`,
        )
        .join('\n'),
  }
}
