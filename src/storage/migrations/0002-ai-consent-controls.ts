import type { MigrationSource } from './source.ts'

export const aiConsentControls: MigrationSource = {
  number: 2,
  name: 'AI consent controls',
  frozen: null,
}
