// The sample campaign is written as people would write it: things have names instead of ids, `npc:marta` for one of them,
// and times are so many days before or after today. What comes of it is a document as any export is.

/**
 * A row as it is written: `from`, `to` and `entity` are links to any kind of thing, a member that ends with `Id` is one to its
 * own kind, in lists and objects too, and `days` is when it was written down.
 */
export type Written = Readonly<Record<string, unknown>>
/** Rows of one kind of thing by their names. */
export type WrittenRows = Readonly<Record<string, Written>>
export type WrittenBook = Readonly<Record<string, WrittenRows>>

const named = /^([a-z_]+):([a-z0-9-]+)$/
const mention = /\]\(([a-z_]+):([a-z0-9-]+)\)/g
const dayMs = 24 * 3600 * 1000

/** The instant so many days from `now`, at an hour of the day in UTC. */
export function dayAt(now: string, days: number, hour = 18): string {
  const day = new Date(Date.parse(now) + days * dayMs).toISOString().slice(0, 10)
  return `${day}T${String(hour).padStart(2, '0')}:00:00.000Z`
}

/** Makes a document of what was written. Throws on a name that nothing has. */
export function documentOf(campaign: Written, book: WrittenBook, now: string): Readonly<Record<string, unknown>> {
  const ids = new Map<string, number>()
  for (const [kind, rows] of Object.entries(book))
    for (const [index, name] of Object.keys(rows).entries()) ids.set(`${kind}:${name}`, index + 1)
  const idOf = (name: string): number => {
    const id = ids.get(name)
    if (id === undefined) throw new Error(`the sample campaign has no ${name}`)
    return id
  }
  const withIds = (text: string): string =>
    text.replaceAll(mention, (_, kind: string, name: string) => `](${kind}:${idOf(`${kind}:${name}`)})`)
  const inside = (key: string, value: unknown): unknown => {
    if (typeof value === 'string') return key.endsWith('Id') && key !== 'checkId' ? idOf(value) : withIds(value)
    if (Array.isArray(value)) return value.map((each) => inside(key.replace(/Ids$/, 'Id'), each))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([member, each]) => [member, inside(member, each)]))
  }
  const settled = (row: Written): Record<string, unknown> => {
    const result: Record<string, unknown> = {}
    for (const [key, value] of Object.entries(row)) {
      if (key === 'days') {
        result.createdAt = dayAt(now, value as number, 21)
        result.updatedAt = result.createdAt
      } else if (typeof value === 'string' && (key === 'from' || key === 'to' || key === 'entity')) {
        result[`${key}Type`] = named.exec(value)?.[1]
        result[`${key}Id`] = idOf(value)
      } else result[key] = inside(key, value)
    }
    return result
  }
  const rows = Object.entries(book).map(([kind, written]) => [
    kind,
    Object.values(written).map((row, index) => ({ id: index + 1, ...settled(row) })),
  ])
  return {
    format: 'talekeeper-campaign',
    version: 1,
    madeBy: 'Talekeeper',
    campaign: settled(campaign),
    rows: Object.fromEntries(rows),
  }
}

/** Places in an order that people choose, one behind the other. */
export function inOrder(rows: WrittenRows): WrittenRows {
  return Object.fromEntries(
    Object.entries(rows).map(([name, row], index) => [name, { ...row, position: (index + 1) * 1_048_576 }]),
  )
}
