import type { Tool } from '@modelcontextprotocol/server'

type Schema = Readonly<Record<string, unknown>>

/** Characters of one hint. What is cut off stands in the whole schema. */
const longest = 400
/** Characters of a list of choices, beyond which the type has to do. */
const longestChoice = 120

/** A tool's arguments on one line, in the manner of TypeScript: `{title, campaignId?: int, status?: "open"|"done"}`. What has no type is text. */
export function inputHint({ inputSchema }: Pick<Tool, 'inputSchema'>): string {
  const text = objectHint(inputSchema)
  return text.length <= longest ? text : `${text.slice(0, longest)} …`
}

function objectHint(schema: Schema): string {
  const properties = isSchema(schema.properties) ? schema.properties : undefined
  if (properties === undefined) return 'object'
  const required: readonly unknown[] = Array.isArray(schema.required) ? schema.required : []
  const members = Object.entries(properties).map(([name, member]) => {
    const type = isSchema(member) ? typeHint(member) : 'any'
    return `${name}${required.includes(name) ? '' : '?'}${type === 'string' ? '' : `: ${type}`}`
  })
  return `{${members.join(', ')}}`
}

export function typeHint(schema: Schema): string {
  const { type, format, items } = schema
  if (Array.isArray(schema.enum)) {
    const choices = schema.enum.map((value) => JSON.stringify(value)).join('|')
    return choices.length <= longestChoice ? choices : 'string'
  }
  if ('const' in schema) return JSON.stringify(schema.const)
  if (Array.isArray(schema.anyOf)) return schema.anyOf.filter(isSchema).map(typeHint).join('|')
  if (type === 'array') return isSchema(items) ? arrayHint(typeHint(items)) : 'any[]'
  if (type === 'object') return objectHint(schema)
  if (typeof format === 'string') return format
  if (type === 'integer') return 'int'
  return typeof type === 'string' ? type : 'any'
}

function arrayHint(item: string): string {
  return item.includes('|') ? `(${item})[]` : `${item}[]`
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
