import { expect, test } from 'vitest'
import { decodeQr, drawnQr } from '../network/qr.ts'

test.each([
  'http://192.168.1.20:8020',
  `http://192.168.100.200:8029/join#tki_${'aZ0-_'.repeat(9).slice(0, 43)}`,
  'https://tale.example.org/join#tki_übermäßig',
])('a camera reads in the square what was drawn: %s', async (text) => {
  expect(await decodeQr(await drawnQr(text))).toBe(text)
})
