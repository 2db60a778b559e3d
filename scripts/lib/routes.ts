import { operations } from '../../src/catalogue.ts'

/** Name of each operation -> its method and path below /api/v1, as the catalogue declares them. */
export function operationRoutes(): Readonly<Record<string, string>> {
  return Object.fromEntries([...operations].map(([name, operation]) => [name, operation.route]))
}
