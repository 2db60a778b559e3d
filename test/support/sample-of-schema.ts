interface Schema {
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly minimum?: number
  readonly minItems?: number
}

/** A value that fits a JSON schema: the least of everything, and names after their members. */
export function sampleOf(schema: object, name = 'value'): unknown {
  const { type, enum: words, const: only, anyOf, properties, items, minimum = 1, minItems = 1 } = schema as Schema
  if (only !== undefined) return only
  if (words !== undefined) return words[0]
  const [first] = anyOf ?? []
  if (first !== undefined) return sampleOf(first, name)
  switch (Array.isArray(type) ? type[0] : type) {
    case 'object':
      return Object.fromEntries(Object.entries(properties ?? {}).map(([key, each]) => [key, sampleOf(each, key)]))
    case 'array':
      return Array.from({ length: Math.max(1, minItems) }, () => sampleOf(items ?? {}, name))
    case 'integer':
    case 'number':
      return minimum
    case 'boolean':
      return false
    case 'null':
      return null
    default:
      return `A sample ${name}`
  }
}
