import { firstTables } from './0001-first-tables.ts'
import { aiConsentControls } from './0002-ai-consent-controls.ts'
import { oauth } from './0003-oauth.ts'
import { tale } from './0004-tale.ts'
import type { MigrationSource } from './source.ts'

/** Every migration, in order. A new one is a file and a line here. */
export const migrationSources: readonly MigrationSource[] = [firstTables, aiConsentControls, oauth, tale]
