import { excerptOf } from './excerpt.ts'
import type { AnyOperation } from './operation.ts'
import type { ChangedRow, Outcome } from './system.ts'

// What an answer is to a language model: the same facts in fewer tokens. A null says nothing that absence does not, the id of
// a reference stands in the object with its name, and a row of a list needs no revision: whoever changes it reads it first.

type Json = Readonly<Record<string, unknown>>

/** Characters of JSON that one page of a list has at most; what is beyond comes with the cursor. */
export const longestPage = 40_000
/** The same of a first look: a list that was asked for neither in full nor for so many rows. */
export const shortestPage = 12_000
/** A text in the answer to a write was sent a moment ago: its beginning tells that it arrived. */
const longestEcho = 160

/** The answer of a call as it goes to a client. */
export function leanAnswer(
  { effect, tells = [] }: Pick<AnyOperation, 'effect' | 'tells'>,
  { output, changed }: Outcome,
  input: object = {},
): unknown {
  if (!isObject(output)) return output
  if (changed !== undefined && effect !== 'read') return echo(output, changed, input, tells)
  // What it changed is kept in another row, as the hit points of a character in a fight: what it tells is all there is to tell.
  if (effect !== 'read' && tells.length > 0 && typeof output.id === 'number')
    return echo(output, { isNew: false, fields: [], title: 'name' in output ? 'name' : 'title' }, input, tells)
  return lean(output, false)
}

/** Rows that stand side by side in an answer, each with what its next change needs. */
export function leanMembers(output: unknown): Json {
  if (!isObject(output)) return {}
  return Object.fromEntries(
    Object.entries(output).map(([key, value]) => [key, isObject(value) ? lean(value, false) : leanMember(value)]),
  )
}

/** Which row it was, its new revision, what it is called, and what of it changed: of a new one, what was not in the input. */
function echo(output: Json, { isNew, fields, title }: ChangedRow, input: object, tells: readonly string[]): Json {
  const told = Object.entries(output).filter(([key, value]) => {
    if (key === 'id' || key === 'revision' || key === title || tells.includes(key)) return true
    if (isNew && (key in input || `${key}Id` in input || isEmpty(value))) return false
    return fields.includes(key) || fields.includes(`${key}Id`)
  })
  return lean(Object.fromEntries(told.map(([key, value]) => [key, shortened(value)])), false)
}

function isEmpty(value: unknown): boolean {
  return value === null || value === false || (Array.isArray(value) && value.length === 0)
}

function shortened(value: unknown): unknown {
  return typeof value === 'string' && value.length > longestEcho ? excerptOf(value) : value
}

/** `inside`: a row of a list, or one that another row brings along. */
function lean(value: Json, inside: boolean): Json {
  const members = Object.entries(value).filter(([key, member]) => isTold(value, key, member, inside))
  return Object.fromEntries(members.map(([key, member]) => [key, leanMember(member)]))
}

/** Around the words that a search found stand control characters, which are a mark to the web app alone. */
const foundMarks = ['\u0002', '\u0003'] as const

function leanMember(value: unknown): unknown {
  if (typeof value === 'string') return foundMarks.reduce((text, mark) => text.replaceAll(mark, '**'), value)
  if (Array.isArray(value)) return value.map((each) => (isObject(each) ? lean(each, true) : each))
  return isObject(value) ? lean(value, true) : value
}

function isTold(row: Json, key: string, value: unknown, inside: boolean): boolean {
  if (value === null || value === undefined) return false
  if (key.endsWith('Id') && isObject(row[key.slice(0, -2)])) return false
  // What has no name of its own.
  if (key === 'title' && value === '') return false
  const isRow = 'updatedAt' in row
  if (!isRow) return true
  // When somebody wrote something is part of what it says.
  if (key === 'createdAt') return 'authorUserId' in row
  return key !== 'campaignId' && key !== 'updatedAt' && (key !== 'revision' || !inside)
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
