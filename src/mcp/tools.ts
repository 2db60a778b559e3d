import type { Tool, ToolAnnotations } from '@modelcontextprotocol/server'
import type { AnyOperation } from '../kernel/operation.ts'
import { mayOmitCampaign } from './campaign-of-call.ts'
import { inputSchemaOf } from './input-schema.ts'
import { isSelected, type Selection } from './toolsets.ts'

export interface ToolEntry {
  readonly operation: AnyOperation
  readonly tool: Tool
}

export interface ToolTable {
  /** What is selected, in the order of the catalogue. */
  select(selection: Selection): readonly ToolEntry[]
  /** The whole selection on one page, in the order of the catalogue: v1 clients read the first page only. */
  list(selection: Selection): Tool[]
  find(name: string): AnyOperation | undefined
  /** Makes some of the tools that were not asked for yet; false when all are there. */
  makeSome(): boolean
  /** All of them, by name. */
  readonly byName: ReadonlyMap<string, AnyOperation>
}

/** Selections of which the tools are kept. Clients send the same few; strangers could make up many. */
const kept = 24

/** The schemas of so many are a few milliseconds of work. */
const madeAtOnce = 4

/** Makes every tool once, when it is first asked for: most calls are of one. */
export function createToolTable(operations: Iterable<AnyOperation>): ToolTable {
  const entries = Array.from(operations)
    .filter(({ mcp }) => mcp === undefined)
    .map((operation) => new LazyEntry(operation))
  let made = 0
  const byName = new Map(entries.map(({ operation }) => [operation.name, operation]))
  const selected = new Map<string, readonly ToolEntry[]>()
  const select: ToolTable['select'] = (selection) => {
    const key = JSON.stringify({ ...selection, compact: false })
    const known = selected.get(key) ?? entries.filter(({ operation }) => isSelected(selection, operation))
    if (selected.size >= kept) selected.clear()
    selected.set(key, known)
    return known
  }
  return {
    select,
    byName,
    list: (selection) => select(selection).map(({ tool }) => tool),
    find: (name) => byName.get(name),
    makeSome() {
      const some = entries.slice(made, made + madeAtOnce)
      made += some.length
      return some.map(({ tool }) => tool).length > 0
    },
  }
}

class LazyEntry implements ToolEntry {
  readonly operation: AnyOperation
  #tool: Tool | undefined

  constructor(operation: AnyOperation) {
    this.operation = operation
  }

  get tool(): Tool {
    this.#tool ??= toolOf(this.operation)
    return this.#tool
  }
}

/** No output schema: it costs a quarter more bytes, and v1 clients refuse an error result that does not fit it. */
function toolOf(operation: AnyOperation): Tool {
  const { name, title, description, input } = operation
  const inputSchema = inputSchemaOf(input, mayOmitCampaign(operation) ? ['campaignId'] : [])
  return { name, title, description, inputSchema, annotations: annotationsOf(operation) }
}

/** `readOnlyHint` or `destructiveHint` on every tool, since directories ask for one; that a call may be
 * repeated is true of all, by its idempotency key. */
function annotationsOf({ effect, creates, callsOut }: AnyOperation): ToolAnnotations {
  const world: ToolAnnotations = callsOut ? {} : { openWorldHint: false }
  if (effect === 'read') return { readOnlyHint: true, ...world }
  // What makes something new overwrites nothing; everything else does, or may.
  return { destructiveHint: creates !== true, ...world }
}
