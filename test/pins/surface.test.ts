import { afterAll, beforeAll, expect, test } from 'vitest'
import { entities } from '../../src/catalogue.ts'
import { errorTable } from '../../src/kernel/errors.ts'
import { migrationSources } from '../../src/storage/migrations/all.ts'
import { schemaText } from '../../src/storage/migrations.ts'
import { createRegistry } from '../../src/storage/registry.ts'
import { migrationsOf } from '../../src/storage/schema.ts'
import { pinOf, readFrozenPins } from '../support/frozen.ts'
import { expectPinned } from '../support/pin.ts'
import { startServer, type TestServer } from '../support/server.ts'

// What others rely on: addresses, codes, the schema of what is stored. Nothing of it changes unseen.

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.stop())

test('the error codes with their status', () => {
  expectPinned(
    'errors.tsv',
    Object.entries(errorTable).map(([code, { status }]) => `${code}\t${status}`),
  )
})

interface Described {
  readonly operationId: string
  readonly parameters?: readonly { readonly name: string; readonly required: boolean }[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: ObjectSchema }>> }
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema: ObjectSchema }>> }>
  >
}
interface ObjectSchema {
  readonly properties?: Readonly<Record<string, unknown>>
  readonly required?: readonly string[]
}

test('the OpenAPI description: method, path, statuses, operation, what it takes and what it gives', async () => {
  const { payload } = await server.app.server.inject({ url: '/api/openapi.json', headers: { host: 'localhost' } })
  const { paths } = JSON.parse(payload) as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>
  }
  const lines = Object.entries(paths).flatMap(([address, methods]) =>
    Object.entries(methods).map(([method, described]) => {
      const body = Object.values(described.requestBody?.content ?? {})[0]?.schema
      const takes = [
        ...(described.parameters ?? []).map(({ name, required }) => `${name}${required ? '' : '?'}`),
        ...Object.keys(body?.properties ?? {}).map((name) => `${name}${body?.required?.includes(name) ? '' : '?'}`),
      ]
      const statuses = Object.keys(described.responses).filter((status) => status !== 'default')
      const answers = Object.values(described.responses).flatMap(({ content = {} }) => Object.entries(content))
      const gives = answers.flatMap(([type, { schema }]) =>
        schema.properties
          ? [Object.keys(schema.properties).join(' ')]
          : type === 'application/json'
            ? ['json']
            : [type],
      )
      return [
        method.toUpperCase(),
        address,
        statuses.join('/'),
        described.operationId,
        takes.join(' '),
        gives.join(' | '),
      ].join('\t')
    }),
  )
  expectPinned('openapi.tsv', lines)
})

test('the migrations with their checksums: one that is frozen never changes', () => {
  const migrations = migrationsOf(createRegistry(entities))
  const isFrozen = (index: number): boolean => migrationSources[index]?.frozen !== null
  const lines = migrations.map((migration, index) => pinOf(migration, isFrozen(index)))
  // Ahead of what UPDATE_PINS would write: it changes no line of a frozen one, and adds none.
  expect(lines.filter((_, index) => isFrozen(index))).toEqual(readFrozenPins())
  expectPinned('migrations.tsv', lines)
})

test('the whole schema that the migrations make', () => {
  expectPinned('schema.sql', schemaText(server.app.store().connection).split('\n'))
})
