import { describe, expect, test } from 'vitest'
import { entities, operations } from '../../src/catalogue.ts'
import { excerptOf } from '../../src/kernel/excerpt.ts'
import { shareWorld } from '../support/shared-world.ts'

// Every list whose rows have texts: brief unless told otherwise, whole when asked, and narrowed by words on the server.

const shared = shareWorld()
const lists = [...operations.values()].filter(({ input }) => 'view' in input.shape && 'query' in input.shape)
const inputOf = (name: string) =>
  lists.find((each) => each.name === name)?.example(shared.world) as Readonly<Record<string, unknown>>

/** Members with long texts, and all in which words are looked for that everybody may read. */
const fields = entities.flatMap((entity) => Object.entries(entity.fields))
const long = entities.flatMap(({ prose }) => prose)
const said = fields.flatMap(([key, { marks }]) => (marks.search && marks.readableBy === undefined ? [key] : []))

test('there are such lists', () => {
  expect(lists.length).toBeGreaterThanOrEqual(8)
})

describe.each(lists.map(({ name }) => name))('%s', (name) => {
  test(
    'leaves long texts out, and has the beginning of the first that everybody reads',
    shared.alone(async ({ as }) => {
      const brief = (await as('dm', name, inputOf(name))).items
      const full = (await as('dm', name, { ...inputOf(name), view: 'full' })).items
      expect(brief.length).toBeGreaterThan(0)
      const leftOut = new Set<string>()
      for (const [index, row] of brief.entries()) {
        const whole = full[index]
        const { excerpt, ...rest } = row
        for (const key of Object.keys(whole)) if (!(key in rest)) leftOut.add(key)
        expect(rest).toEqual(Object.fromEntries(Object.keys(rest).map((key) => [key, whole[key]])))
        const texts = Object.entries(whole).filter(([key, text]) => typeof text === 'string' && !(key in rest))
        if (typeof excerpt !== 'string') continue
        expect(excerpt.length).toBeLessThanOrEqual(160)
        expect(texts.map(([, text]) => excerptOf(String(text)))).toContain(excerpt)
      }
      // What a proposal would change is no text of its own, and as long as all of them together.
      for (const key of leftOut) expect([...long, 'changes']).toContain(key)
    }),
  )

  test(
    'is narrowed by how words begin, and by nothing that the reader may not read',
    shared.alone(async ({ as }) => {
      const all = (await as('dm', name, { ...inputOf(name), view: 'full' })).items
      const read = (row: Record<string, unknown>) => said.map((key) => row[key]).filter(Boolean)
      const texts = all.map((row: Record<string, unknown>) => [row.id, read(row).join(' ')])
      const [id, text] = texts.find(([, words]: [number, string]) => /\p{L}{5}/u.test(words)) ?? []
      expect(id, 'one of them says something').toBeDefined()
      const word = /\p{L}{5,}/u.exec(String(text))?.[0] as string
      const found = (await as('dm', name, { ...inputOf(name), query: word.slice(0, 4) })).items
      expect(found.map((row: { readonly id: number }) => row.id)).toContain(id)
      expect((await as('dm', name, { ...inputOf(name), query: 'nothingisnamedso' })).items).toEqual([])
      for (const row of all.filter(({ dmSecret }: { dmSecret?: string }) => dmSecret)) {
        const secret = [...row.dmSecret.matchAll(/\p{L}{5,}/gu)].map(([each]: RegExpMatchArray) => each)
        for (const each of secret.filter((one) => !texts.some(([, words]: [number, string]) => words.includes(one)))) {
          const input = { ...inputOf(name), query: each }
          expect((await as('dm', name, input)).items.map((one: { readonly id: number }) => one.id)).toContain(row.id)
          expect((await as('player', name, input)).items).toEqual([])
        }
      }
    }),
  )
})
