import type * as z from 'zod'
import { withChangedIds } from '../kernel/inner-ids.ts'
import { wordsOf } from './page-names.ts'

// Values of fields in words: short ones for front matter and for a line, longer ones as a list with lists inside.

/** How what stands in a value is written. */
export interface Writing {
  /** A link to a thing; null where it is not in the export. */
  link(kind: string, id: number): string | null
  /** A text with its mentions as links. */
  text(text: string): string
}

type Scalar = string | number | boolean
type Short = Scalar | readonly string[]

const isScalar = (value: unknown): value is Scalar => ['string', 'number', 'boolean'].includes(typeof value)

/** Whether a value says nothing: empty, false, or made of such values alone. */
export function saysNothing(value: unknown): boolean {
  if (value === null || value === undefined || value === '' || value === false) return true
  return typeof value === 'object' && Object.values(value).every(saysNothing)
}

/** A value for front matter; null where it is more than a list of short texts. */
export function shortOf(value: unknown): Short | null {
  if (isScalar(value)) return value
  if (Array.isArray(value)) return value.every(isScalar) ? value.map(String) : null
  if (typeof value !== 'object' || value === null) return null
  const said = Object.entries(value).filter(([key, each]) => key !== 'id' && !saysNothing(each))
  return said.every(([, each]) => isScalar(each)) ? said.map(([key, each]) => pair(key, each as Scalar, ' ')) : null
}

function pair(key: string, value: Scalar, between: string): string {
  const name = wordsOf(key).toLowerCase()
  return value === true ? name : `${name}${between}${value}`
}

/** What an entry of a list is called by, the first that it has. */
const leads = ['name', 'title', 'text', 'says', 'label'] as const

/** A value as lines of a list. `schema` says which of its numbers are ids. */
export function listOf(schema: z.ZodType, value: unknown, { link, text }: Writing): readonly string[] {
  const links = new Map<string, string | null>()
  withChangedIds(schema, value, (kind, id, place) => {
    links.set(place, link(kind, id))
    return id
  })
  const scalar = (each: Scalar, place: string): string | null =>
    links.has(place) ? (links.get(place) ?? null) : typeof each === 'string' ? text(each) : String(each)
  const members = (each: object, place: string) =>
    Object.entries(each)
      .filter(([key, inner]) => key !== 'id' && key !== 'key' && !saysNothing(inner))
      .map(([key, inner]) => ({ key, inner, at: `${place}.${key}` }))

  const oneLine = (each: unknown, place: string): string | null => {
    if (isScalar(each)) return scalar(each, place)
    if (Array.isArray(each)) {
      const parts = each.map((inner, index) => oneLine(inner, `${place}[${index}]`))
      return each.every(isScalar) ? parts.filter((part) => part !== null).join(', ') : null
    }
    const parts = members(each as object, place).map(({ key, inner, at }) => {
      if (!isScalar(inner)) return null
      const said = scalar(inner, at)
      return said === null ? '' : pair(key.replace(/Id$/, ''), inner === true ? true : said, ' ')
    })
    return parts.includes(null) ? null : parts.filter(Boolean).join(', ')
  }
  const lines = (each: unknown, place: string, depth: number): string[] => {
    const indent = '  '.repeat(depth)
    const item = (said: string): string => `${indent}- ${said.replaceAll('\n', `\n${indent}  `)}`
    if (Array.isArray(each))
      return each.flatMap((inner, index) => {
        const at = `${place}[${index}]`
        return isScalar(inner) || inner === null ? [item(String(oneLine(inner ?? '–', at)))] : entry(inner, at, depth)
      })
    return members(each as object, place).flatMap(({ key, inner, at }) => {
      const name = wordsOf(key.replace(/Id$/, ''))
      const said = oneLine(inner, at)
      if (said === '') return []
      return said === null
        ? [item(`**${name}**`), ...lines(inner, at, depth + 1)]
        : [item(inner === true ? `**${name}**` : `**${name}:** ${said}`)]
    })
  }
  const entry = (each: object, place: string, depth: number): string[] => {
    const indent = '  '.repeat(depth)
    const lead = leads.find((key) => key in each && isScalar((each as Record<string, unknown>)[key]))
    const said =
      lead === undefined ? undefined : scalar((each as Record<string, Scalar>)[lead] as Scalar, `${place}.${lead}`)
    // What something says stands behind its name.
    const speech =
      lead === 'text'
        ? undefined
        : ['text', 'says'].find((key) => key !== lead && typeof (each as Record<string, unknown>)[key] === 'string')
    const spoken =
      speech === undefined ? null : scalar((each as Record<string, Scalar>)[speech] as Scalar, `${place}.${speech}`)
    const rest = Object.fromEntries(Object.entries(each).filter(([key]) => key !== lead && key !== speech))
    const more = oneLine(rest, place)
    const start =
      spoken === null ? (said ?? more ?? '') : `${said === undefined || said === null ? '' : `${said}: `}${spoken}`
    const facts = start !== more && more !== null && more !== '' ? ` (${more})` : ''
    const head = `${indent}- ${`${start}${facts}`.replaceAll('\n', `\n${indent}  `)}`
    return more === null ? [head.trimEnd(), ...lines(rest, place, depth + 1)] : [head]
  }
  return lines(value, '', 0)
}
