import { beforeEach, describe, expect, test } from 'vitest'
import { entities } from '../../src/catalogue.ts'
import type { Entity } from '../../src/kernel/entity.ts'
import { carryOf, travels } from '../../src/kernel/travel.ts'
import { type FilledDocument, filledDocument, withoutIds } from '../support/filled-document.ts'
import { type Answer, makeTable, type Table } from './support.ts'

// A campaign leaves and comes home: equal, apart from what the marks of its entities leave behind.

let table: Table
beforeEach(async () => {
  table = await makeTable()
})

const bring = (document: unknown): Promise<Answer> => table.call('ellen', 'import_campaign', { document } as never)
const take = async (campaignId: number, input: object = {}): Promise<FilledDocument> => {
  const { document } = await table.call('ellen', 'export_campaign', { campaignId, ...input })
  return JSON.parse(document) as FilledDocument
}
/** Pictures are in no document: a row without its file stays behind, and what names it names nothing. */
const withoutPictures = (document: FilledDocument): FilledDocument => {
  const { attachment: _, ...rows } = document.rows
  const cleared = (row: Readonly<Record<string, unknown>>, { fields }: Entity): Record<string, unknown> =>
    Object.fromEntries(
      Object.entries(row).map(([key, value]) => {
        const { references, link } = fields[key]?.marks ?? {}
        const names = (kind: unknown): boolean => kind === 'attachment'
        if (references === 'attachment') return [key, null]
        if (link !== undefined && names('type' in link ? row[link.type] : row[key])) return [key, null]
        return [key, value]
      }),
    )
  const entityOf = (name: string): Entity => entities.find((each) => each.name === name) as Entity
  return {
    ...document,
    campaign: cleared(document.campaign, entityOf('campaign')),
    rows: Object.fromEntries(
      Object.entries(rows).map(([name, list]) => [name, list.map((row) => cleared(row, entityOf(name)))]),
    ),
  }
}

describe('every field of every kind of thing', () => {
  test('is in the document that is made from the declarations', () => {
    const { rows, campaign } = filledDocument(entities)
    const empty = entities.filter(travels).flatMap((entity) => {
      const first = entity.scope === 'root' ? [campaign] : (rows[entity.name] ?? [])
      return Object.keys(entity.fields)
        .filter(
          (key) =>
            !['object', 'file'].includes(
              typeof carryOf(entity, key) === 'object' ? 'object' : String(carryOf(entity, key)),
            ),
        )
        .filter((key) => first.every((row) => row[key] == null))
        .map((key) => `${entity.name}.${key}`)
    })
    expect(empty).toEqual([])
  })

  test('comes home as it left', async () => {
    const given = filledDocument(entities)
    const { id, report } = await bring(given)
    const home = await take(id)
    const expected = withoutPictures(withoutIds(entities, given))
    const { attachment: _, ...rows } = withoutIds(entities, home).rows
    for (const [name, list] of Object.entries(expected.rows)) expect(rows[name], name).toEqual(list)
    // When it came in is when the campaign itself last changed.
    const { updatedAt: _left, ...own } = expected.campaign
    expect(withoutIds(entities, home).campaign).toMatchObject(own)
    expect(report).toMatchObject({ plainMentions: 0, dropped: [], pictures: { found: 0, missing: 2 } })
  })

  test('once more, and again it is the same', async () => {
    const once = await take((await bring(filledDocument(entities))).id)
    const twice = await take((await bring(once)).id)
    expect(withoutIds(entities, twice).rows).toEqual(withoutIds(entities, once).rows)
  })

  test('is in a copy, without its members', async () => {
    const { id } = await bring(filledDocument(entities))
    const copy = await table.call('ellen', 'duplicate_campaign', { campaignId: id, name: 'Once more' })
    const [before, after] = [withoutIds(entities, await take(id)), withoutIds(entities, await take(copy.id))]
    expect(after.rows).toEqual(before.rows)
    expect(after.campaign.name).toBe('Once more')
    expect((await table.call('ellen', 'list_members', { campaignId: copy.id })).items).toHaveLength(1)
  })
})
