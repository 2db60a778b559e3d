import { expect, test } from 'vitest'
import type { Route } from '../../src/kernel/operation.ts'
import { carriedOperations } from '../../src/kernel/transfer.ts'

const upload = { name: 'upload_picture', route: 'POST /pictures' as Route }
const transfer = { name: 'picture_form', route: 'POST /pictures' as Route, carriesBytesOf: 'upload_picture' }

test('a transfer takes the place of the operation that it names, and of no other', () => {
  const list = { name: 'list_pictures', route: 'GET /pictures' as Route }
  expect([...carriedOperations([upload, list], [transfer])]).toEqual(['upload_picture'])
  expect([...carriedOperations([upload, list], [])]).toEqual([])
})

test('nothing is left away because two routes are alike: it has to be said, and to be so', () => {
  expect(() => carriedOperations([upload], [{ name: 'picture_form', route: upload.route }])).toThrow(
    'picture_form: carriesBytesOf is undefined, and the operation of its route is upload_picture',
  )
  expect(() => carriedOperations([upload], [{ ...transfer, route: 'POST /forms' }])).toThrow('picture_form')
  expect(() => carriedOperations([], [transfer])).toThrow('picture_form')
})
