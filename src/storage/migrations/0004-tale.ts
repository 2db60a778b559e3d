import type { MigrationSource } from './source.ts'

export const tale: MigrationSource = {
  number: 4,
  name: 'The tale',
  frozen: null,
}
