import { describe, expect, test } from 'vitest'
import { bytesOfBase64 } from '../../src/domain/attachment/rules.ts'
import { Failure } from '../../src/kernel/errors.ts'
import { limits } from '../../src/kernel/limits.ts'
import { makeTable, type Person, type Table } from './support.ts'

const upload = async (table: Table, person: Person, more: Record<string, unknown> = {}): Promise<number> =>
  (await table.call(person, 'create_attachment', { fileName: 'lantern.png', contentBase64: 'AQID', ...more })).id

describe('attachments', () => {
  test('keep the decoded bytes and answer with addresses, without what stays inside', async () => {
    const table = await makeTable()
    const row = await table.call('pell', 'create_attachment', {
      fileName: 'lantern.png',
      contentBase64: 'AQID',
      kind: 'portrait',
      caption: 'Hers',
    })
    expect(table.keptImages).toEqual([Buffer.from([1, 2, 3])])
    expect(row).toMatchObject({
      kind: 'portrait',
      caption: 'Hers',
      byteSize: 3,
      uploadedByUserId: table.userId('pell'),
      url: `/api/v1/attachments/${row.id}/file`,
      thumbnailUrl: `/api/v1/attachments/${row.id}/file?size=thumb`,
    })
    expect(row).not.toHaveProperty('fileKey')
    expect(row).not.toHaveProperty('sha256')
    expect(await table.call('gast', 'get_attachment', { attachmentId: row.id })).toEqual(row)
    expect((await table.call('gast', 'list_attachments', { kind: 'map' })).items).toEqual([])
    expect((await table.call('gast', 'list_attachments', { kind: 'portrait' })).items).toEqual([row])
  })

  test('a viewer uploads none, and nothing is kept of what they send', async () => {
    const table = await makeTable()
    expect((await table.refusal('gast', 'create_attachment', { fileName: 'a.png', contentBase64: 'AQID' })).code).toBe(
      'forbidden',
    )
    expect(table.keptImages).toEqual([])
    expect((await table.refusal('pell', 'create_attachment', { fileName: 'a.png' })).code).toBe('validation_failed')
  })

  test('are changed and deleted by who uploaded them or a DM', async () => {
    const table = await makeTable()
    const id = await upload(table, 'pell')
    const input = { attachmentId: id }
    expect((await table.refusal('wren', 'update_attachment', { ...input, caption: 'x' })).code).toBe('forbidden')
    expect((await table.refusal('wren', 'delete_attachment', input)).code).toBe('forbidden')
    expect((await table.call('pell', 'update_attachment', { ...input, caption: 'Mine', hidden: true })).caption).toBe(
      'Mine',
    )
    expect((await table.call('ellen', 'update_attachment', { ...input, caption: null })).caption).toBeNull()
    expect((await table.call('pell', 'get_attachment', input)).hidden).toBe(true)
    expect((await table.refusal('wren', 'get_attachment', input)).code).toBe('not_found')
    expect((await table.call('wren', 'list_attachments')).items).toEqual([])
    expect(await table.call('ellen', 'delete_attachment', input)).toEqual({
      trashed: { entityType: 'attachment', entityId: id },
    })
  })

  test('an image nobody may see is no picture of anything', async () => {
    const table = await makeTable()
    const id = await upload(table, 'ellen', { hidden: true })
    const { id: npcId } = await table.call('ellen', 'create_npc', { name: 'Marta', portraitAttachmentId: id })
    expect((await table.call('pell', 'get_npc', { npcId })).portraitAttachmentId).toBeNull()
  })
})

describe('base64', () => {
  const refused = (text: string, most = 100): string => {
    try {
      bytesOfBase64(text, most)
    } catch (error) {
      if (error instanceof Failure) return error.code
      throw error
    }
    return 'taken'
  }

  test('is decoded with and without padding', () => {
    for (const bytes of [[1], [1, 2], [1, 2, 3], [1, 2, 3, 255]]) {
      expect(Array.from(bytesOfBase64(Buffer.from(bytes).toString('base64'), 100))).toEqual(bytes)
    }
  })

  test.each(['data:image/png;base64,AQID', 'AQ\nID', 'AQI', 'A===', 'AQ!D', '====', 'AQIDé==='])(
    '%j is no base64',
    (text) => {
      expect(refused(text)).toBe('validation_failed')
    },
  )

  test('may have exactly the most bytes', () => {
    const most = limits.inlineUploadBytes
    const of = (size: number) => Buffer.alloc(size, 7).toString('base64')
    expect(refused(of(most), most)).toBe('taken')
    expect(refused(of(most + 1), most)).toBe('too_large')
  })
})
