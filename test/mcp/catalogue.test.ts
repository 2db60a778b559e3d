import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { describe, expect, it, test } from 'vitest'
import { operations } from '../../src/catalogue.ts'
import { compactTools, hasFinders, shownTools as shownTo } from '../../src/mcp/compact.ts'
import { inputHint } from '../../src/mcp/input-hint.ts'
import { instructionsFor } from '../../src/mcp/instructions.ts'
import { createToolTable } from '../../src/mcp/tools.ts'
import { presets, type Selection, selectionOf } from '../../src/mcp/toolsets.ts'
import { shownTools } from '../../src/web/pages/account/assistants.ts'

/** Bytes of `tools/list` for each tool, over all 277: about 100 tokens of a language model. */
const budget = { bytes: 404, tools: 277 }

const everything: Selection = {
  groups: [],
  tools: [],
  without: [],
  opened: null,
  readOnly: false,
  role: 'dm',
  proposing: false,
  bound: false,
  playersPropose: true,
  everyday: false,
  compact: false,
}
const table = createToolTable(operations.values())
const tools = table.list(everything)
const instructionsOf = (narrowed: Partial<Selection>): string => {
  const selection = { ...everything, ...narrowed }
  const listed = table.select(selection).map(({ operation }) => operation)
  const { proposing, compact } = selection
  return instructionsFor({ listed, proposing, compact, findsMore: hasFinders(table, selection) })
}
const instructions = instructionsOf({})
const compactInstructions = instructionsOf({ compact: true })
const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))

interface Node {
  readonly [keyword: string]: unknown
}

/** Every schema in a schema, with where it stands. */
function nodesOf(node: unknown, at: string): { readonly at: string; readonly node: Node }[] {
  if (Array.isArray(node)) return node.flatMap((each, index) => nodesOf(each, `${at}/${index}`))
  if (typeof node !== 'object' || node === null) return []
  const schema = node as Node
  const inner = Object.entries(schema).flatMap(([keyword, value]) => {
    if (keyword === 'properties')
      return Object.entries(value as Node).flatMap(([name, member]) => nodesOf(member, `${at}.${name}`))
    return ['enum', 'const', 'required'].includes(keyword) ? [] : nodesOf(value, `${at}/${keyword}`)
  })
  return [{ at, node: schema }, ...inner]
}
const nodes = tools.flatMap(({ name, inputSchema }) => nodesOf(inputSchema, name))

describe('the tools of the catalogue', () => {
  it('stay within their share of the bytes', () => {
    const bytes = bytesOf({ tools })
    const share = budget.bytes * tools.length
    const largest = tools.toSorted((one, other) => bytesOf(other) - bytesOf(one)).slice(0, 5)
    console.info(
      `tools/list: ${tools.length} tools, ${bytes} bytes of ${share}; largest: ${largest.map((tool) => `${tool.name} ${bytesOf(tool)}`).join(', ')}`,
    )
    expect(bytes).toBeLessThanOrEqual(share)
  })

  it('are few words each: the form of what is long stands in words', () => {
    for (const tool of tools) expect(bytesOf(tool), tool.name).toBeLessThanOrEqual(1800)
  })

  it.each(Object.entries(shownTools))(
    'are about as many as people are told: %s',
    (_, { query, tools: told, kilobytes }) => {
      const actor = { credential: { toolsets: null, scope: 'dm', writeMode: 'direct', campaignId: null } } as never
      const selection = selectionOf(new URL(`http://localhost/mcp${query}`), {}, actor, table.byName)
      const listed = selection.compact ? compactTools(selection) : table.list(selection)
      expect(Math.abs(listed.length - told) / told).toBeLessThan(0.1)
      expect(Math.abs(bytesOf({ tools: listed }) / 1000 - kilobytes)).toBeLessThan(Math.max(1, kilobytes * 0.15))
    },
  )

  it('are far fewer bytes for who may only propose, and for players', () => {
    const whole = bytesOf({ tools })
    const shares = {
      proposing: { proposing: true, everyday: true },
      player: { role: 'player' },
      both: { proposing: true, everyday: true, role: 'player' },
    }
    for (const [who, narrowed] of Object.entries(shares)) {
      const bytes = bytesOf({ tools: shownTo(table, { ...everything, ...narrowed } as Selection) })
      console.info(`tools/list, ${who}: ${bytes} bytes of ${whole}`)
      expect(bytes, who).toBeLessThan((whole * 2) / 3)
    }
  })

  it('are every operation that is not for the web alone, and in its order', () => {
    const expected = Array.from(operations.values()).filter(({ mcp }) => mcp === undefined)
    expect(tools.map(({ name }) => name)).toEqual(expected.map(({ name }) => name))
  })

  it('are the same byte for byte in another process', () => {
    const print = `
      const { operations } = await import('./src/catalogue.ts')
      const { createToolTable } = await import('./src/mcp/tools.ts')
      process.stdout.write(JSON.stringify(createToolTable(operations.values()).list(${JSON.stringify(everything)})))`
    const other = execFileSync(process.execPath, ['--input-type=module', '-e', print], { maxBuffer: 1024 * 1024 })
    const digest = (text: string | Buffer) => createHash('sha256').update(text).digest('hex')
    expect(digest(other)).toBe(digest(JSON.stringify(tools)))
  })

  // Hosts put the server's name before the tool's and drop what is longer than 60 or 64.
  test.each(tools)(
    '$name has a name, a title and a description that every host takes',
    ({ name, title, description }) => {
      expect(name).toMatch(/^[a-z][a-z_]{2,39}$/)
      expect(title).toMatch(/\S/)
      expect(description?.length).toBeGreaterThan(0)
      expect(description?.length).toBeLessThanOrEqual(200)
    },
  )

  test.each(tools)('$name says what it may do to what is there', ({ name, annotations }) => {
    const operation = operations.get(name)
    if (operation === undefined) throw new Error(name)
    expect(annotations).toEqual({
      ...(operation.effect === 'read' ? { readOnlyHint: true } : { destructiveHint: operation.creates !== true }),
      ...(operation.callsOut ? {} : { openWorldHint: false }),
    })
  })

  it('have strict schemas that the hosts of today take', () => {
    for (const { inputSchema } of tools) {
      expect(inputSchema).toMatchObject({ type: 'object' })
      for (const keyword of ['anyOf', 'oneOf', 'allOf', 'not']) expect(inputSchema).not.toHaveProperty(keyword)
    }
    const wrong = nodes.filter(
      ({ node }) =>
        ['$ref', '$schema', '$defs', 'default', 'propertyNames', 'prefixItems'].some((keyword) => keyword in node) ||
        Array.isArray(node.type) ||
        // Whoever is stricter than the call would refuse what it takes.
        ('additionalProperties' in node && node.additionalProperties === false) ||
        (node.type === 'array' && (typeof node.items !== 'object' || node.items === null)) ||
        ['minimum', 'maximum', 'pattern', 'format'].some((keyword) => keyword in node),
    )
    expect(wrong.map(({ at }) => at)).toEqual([])
  })

  it('have no output schema, which costs bytes and makes older clients refuse errors', () => {
    expect(tools.filter((tool) => 'outputSchema' in tool)).toEqual([])
  })
})

describe('compact mode', () => {
  it('is three tools that are in no catalogue, in at most 2 KB', () => {
    const compact = compactTools(everything)
    console.info(`tools/list in compact mode: ${compact.length} tools, ${bytesOf({ tools: compact })} bytes`)
    expect(compact.map(({ name }) => name)).toEqual(['search_tools', 'describe_tools', 'call_tool'])
    expect(compact.filter(({ name }) => operations.has(name))).toEqual([])
    expect(bytesOf({ tools: compact })).toBeLessThanOrEqual(2048)
  })

  it('has the arguments of every tool on one line', () => {
    for (const tool of tools) {
      const hint = inputHint(tool)
      expect(hint, tool.name).toMatch(/^\{.*(\}| …)$/)
      expect(hint.length, tool.name).toBeLessThanOrEqual(402)
      const required = Array.isArray(tool.inputSchema.required) ? tool.inputSchema.required : []
      if (hint.endsWith('}'))
        for (const name of required) expect(hint, tool.name).toMatch(new RegExp(`[{ ]${name}[:,}]`))
    }
  })
})

describe('presets', () => {
  test.each(Object.entries(presets))('%s holds tools, not what is for the web alone', (_, names) => {
    expect(Array.from(names).filter((name) => operations.get(name)?.mcp !== undefined)).toEqual([])
    // The others come with the rest of the catalogue.
    expect(Array.from(names).some((name) => operations.has(name))).toBe(true)
  })

  it('hold nothing that a full catalogue lacks', () => {
    const unknown = Array.from(new Set(Object.values(presets).flatMap((names) => [...names]))).filter(
      (name) => !operations.has(name),
    )
    expect(unknown.length).toBeLessThanOrEqual(budget.tools - tools.length)
  })
})

describe('instructions', () => {
  it('fit into the 2 KB that hosts read, the words to find it by first', () => {
    expect(Buffer.byteLength(instructions)).toBeLessThan(2048)
    expect(instructions.slice(0, 120)).toMatch(/tabletop role-playing/)
  })

  it('of compact mode fit too, and say how tools are called there', () => {
    expect(Buffer.byteLength(compactInstructions)).toBeLessThan(2048)
    for (const { name } of compactTools(everything)) expect(compactInstructions).toContain(name)
    expect(compactInstructions.slice(0, 120)).toBe(instructions.slice(0, 120))
  })

  test.each<readonly [string, Partial<Selection>]>([
    ['a player', { role: 'player' }],
    ['a viewer', { role: 'viewer' }],
    ['who may only read', { readOnly: true }],
    ['who may only propose', { proposing: true }],
    ['who may only propose and asked for nothing', { proposing: true, everyday: true }],
    ['a player who may only propose', { proposing: true, everyday: true, role: 'player' }],
    ['one toolset', { groups: [['files']] }],
    ['two tools', { tools: ['get_npc', 'roll_dice'] }],
  ])('for %s fit too, and name no tool that is not listed', (_, narrowed) => {
    const text = instructionsOf(narrowed)
    expect(Buffer.byteLength(text)).toBeLessThan(2048)
    const listed = new Set(table.list({ ...everything, ...narrowed }).map(({ name }) => name))
    const named = text.match(/[a-z]+_[a-z_]+[a-z]/g) ?? []
    expect(named.filter((name) => operations.has(name) && !listed.has(name))).toEqual([])
  })

  it('name every toolset', () => {
    const missing = new Set(
      Array.from(operations.values(), ({ toolset }) => toolset).filter(
        (toolset) => !new RegExp(`\\b${toolset}\\b`).test(instructions),
      ),
    )
    expect([...missing]).toEqual([])
  })
})
